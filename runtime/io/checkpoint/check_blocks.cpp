// Checks that the blocks of each variable are all of it, once.
#include "runtime/core/checked.h"
#include "runtime/io/checkpoint/index.h"

#include <set>

namespace sheaf::rt::io {
namespace {

/// Shardings cut each dim for itself, so blocks are all combinations of the parts of the dims. That is what is checked:
/// it takes n log n steps for n blocks, and covers every element once.
Status checkGrid(const StoredVariable &variable) {
  const BufferShape &shape = variable.shape;
  if (shape.elements() == 0)
    return variable.blocks.empty() ? Status() : Status::invalid("it has blocks but no elements");
  std::optional<int64_t> combinations = 1;
  for (size_t dim = 0; dim < shape.rank(); ++dim) {
    std::set<std::pair<int64_t, int64_t>> parts;
    for (const StoredBlock &block : variable.blocks)
      parts.insert({block.box[dim].begin, block.box[dim].extent});
    int64_t end = 0;
    for (auto [begin, extent] : parts) {
      if (begin != end)
        return Status::invalid("its blocks ", begin < end ? "overlap" : "leave a part out",
                               " along dim ", dim, ": one begins at ", begin,
                               " and those before it end at ", end);
      end += extent;
    }
    if (end != shape.dims[dim])
      return Status::invalid("its blocks leave a part out along dim ", dim, ": they end at ", end,
                             " of ", shape.dims[dim]);
    combinations = checkedMultiply(*combinations, static_cast<int64_t>(parts.size()));
    if (!combinations)
      break;
  }
  std::set<std::vector<int64_t>> places;
  for (const StoredBlock &block : variable.blocks) {
    std::vector<int64_t> begin;
    for (const abi::Shard &shard : block.box)
      begin.push_back(shard.begin);
    if (!places.insert(begin).second)
      return Status::invalid("two of its blocks begin at ", dimsText(begin));
  }
  if (!combinations || static_cast<uint64_t>(*combinations) != variable.blocks.size())
    return Status::invalid("it has ", variable.blocks.size(), " blocks, which leave a part out");
  return {};
}

} // namespace

Status checkBlocks(const CheckpointIndex &index) {
  std::set<std::pair<std::string_view, std::string_view>> tensors;
  for (const auto &[name, variable] : index.variables) {
    if (Status status = checkGrid(variable); !status.isOk())
      return std::move(status).annotated("variable \"", name, "\"");
    for (const StoredBlock &block : variable.blocks)
      if (!tensors.insert({block.file, block.tensor}).second)
        return Status::invalid("variable \"", name, "\": tensor \"", block.tensor, "\" of ",
                               block.file, " is taken twice");
  }
  return {};
}

} // namespace sheaf::rt::io
