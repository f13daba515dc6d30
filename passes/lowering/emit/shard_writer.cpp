// Writes meshes and cuts.
#include "passes/lowering/emit/shard_writer.h"

using namespace mlir;
using flatbuffers::Offset;

namespace sheaf::lowering {

WrittenShard writeShard(flatbuffers::FlatBufferBuilder &file, exec::BufferType type,
                        exec::ShardAttr shard) {
  WrittenShard written;
  ArrayRef<int64_t> whole = shard ? shard.getWhole() : type.getShape();
  written.wholeDims = file.CreateVector(whole.data(), whole.size());
  if (!shard || shard.getCuts().empty())
    return written;
  std::vector<std::vector<abi::AxisPart>> parts(whole.size());
  for (ArrayRef<int64_t> cuts = shard.getCuts(); !cuts.empty(); cuts = cuts.drop_front(4))
    parts[cuts[0]].emplace_back(uint32_t(cuts[1]), cuts[2], cuts[3]);
  std::vector<Offset<abi::DimCut>> dims;
  for (const std::vector<abi::AxisPart> &axes : parts)
    dims.push_back(abi::CreateDimCut(file, file.CreateVectorOfStructs(axes)));
  written.cuts = file.CreateVector(dims);
  return written;
}

WrittenMesh writeMesh(flatbuffers::FlatBufferBuilder &file, exec::MeshOp mesh) {
  WrittenMesh written;
  if (!mesh)
    return written;
  std::vector<Offset<abi::MeshAxis>> axes;
  for (auto [name, extent] :
       llvm::zip_equal(mesh.getAxes().getAsRange<StringAttr>(), mesh.getExtents()))
    axes.push_back(abi::CreateMeshAxis(file, file.CreateString(name.getValue().str()), extent));
  written.axes = file.CreateVector(axes);
  if (std::optional<ArrayRef<int64_t>> devices = mesh.getDevices())
    written.devices = file.CreateVector(std::vector<uint32_t>(devices->begin(), devices->end()));
  return written;
}

} // namespace sheaf::lowering
