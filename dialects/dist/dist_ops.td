// All ops of the dist dialect.
#ifndef SHEAF_DIALECTS_DIST_DIST_OPS
#define SHEAF_DIALECTS_DIST_DIST_OPS

include "dialects/dist/ops/annotation.td"
include "dialects/dist/ops/collective.td"
include "dialects/dist/ops/manual.td"
include "dialects/dist/ops/mesh.td"

#endif
