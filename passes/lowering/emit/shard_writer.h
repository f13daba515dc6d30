// Writes the mesh, and how values are cut over it, into the executable.
#ifndef SHEAF_PASSES_LOWERING_EMIT_SHARD_WRITER_H
#define SHEAF_PASSES_LOWERING_EMIT_SHARD_WRITER_H

#include "dialects/exec/exec.h"
#include "runtime/abi/executable_generated.h"

namespace sheaf::lowering {

/// The extents of the whole value of which a rank holds `type`, and its cuts; those of `type` and none
/// without a shard.
struct WrittenShard {
  flatbuffers::Offset<flatbuffers::Vector<int64_t>> wholeDims;
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<abi::DimCut>>> cuts;
};
WrittenShard writeShard(flatbuffers::FlatBufferBuilder &file, exec::BufferType type,
                        exec::ShardAttr shard);

/// The axes of a mesh, and its device order; none for a null mesh.
struct WrittenMesh {
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<abi::MeshAxis>>> axes;
  flatbuffers::Offset<flatbuffers::Vector<uint32_t>> devices;
};
WrittenMesh writeMesh(flatbuffers::FlatBufferBuilder &file, exec::MeshOp mesh);

} // namespace sheaf::lowering

#endif
