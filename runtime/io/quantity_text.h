// Numbers with units, as people read them.
#ifndef SHEAF_RUNTIME_IO_QUANTITY_TEXT_H
#define SHEAF_RUNTIME_IO_QUANTITY_TEXT_H

#include <cstdint>
#include <string>

namespace sheaf::rt::io {

/// "3.43 MiB": three digits and a binary unit.
std::string formatBytes(int64_t bytes);

/// "3m12s".
std::string formatSeconds(double seconds);

/// "12.4k": three digits.
std::string formatCount(double count);

/// "0.0312", "2.9e-04": four digits.
std::string formatNumber(double number);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_QUANTITY_TEXT_H
