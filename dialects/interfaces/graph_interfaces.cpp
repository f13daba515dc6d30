// Out-of-line parts of the op interfaces.
#include "dialects/interfaces/graph_interfaces.h"

#include "dialects/interfaces/graph_interfaces.cpp.inc"
