// Shows axes in the messages of tests.
#ifndef SHEAF_TEST_DIALECTS_DIST_PRINT_AXIS_H
#define SHEAF_TEST_DIALECTS_DIST_PRINT_AXIS_H

#include "dialects/dist/axis.h"

#include <ostream>

namespace sheaf::dist {
inline void PrintTo(Axis axis, std::ostream *os) {
  *os << axis.index << ":(" << axis.preSize << ")" << axis.size;
}
} // namespace sheaf::dist

#endif
