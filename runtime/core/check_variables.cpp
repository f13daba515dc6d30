// Checks the types and variables of an executable.
#include "runtime/core/check_executable.h"

#include "runtime/abi/contract_strides.h"
#include "runtime/core/checked.h"

#include <set>

namespace sheaf::rt {
namespace {

/// No buffer is larger: offsets into it and sums of two of them stay far from overflow.
constexpr int64_t maxBytes = int64_t(1) << 60;

Status checkSource(const abi::FileRange &source, const VariableInfo &variable) {
  std::filesystem::path path(source.file()->string_view());
  if (path.empty() || path.is_absolute() ||
      source.file()->string_view().find('\0') != std::string_view::npos)
    return Status::invalid("its file \"", source.file()->string_view(),
                           "\" must be a path relative to the executable's folder");
  if (source.bytes() != static_cast<uint64_t>(variable.bytes))
    return Status::invalid("its type ", variable.shape.str(), " has ", variable.bytes,
                           " bytes but its file range ", source.bytes());
  if (source.offset() > source.file_bytes() ||
      source.bytes() > source.file_bytes() - source.offset())
    return Status::invalid("its range of ", source.bytes(), " bytes at ", source.offset(),
                           " is not within the ", source.file_bytes(), " bytes of its file");
  return {};
}

Status checkConstant(const abi::Executable &executable, uint32_t index,
                     const VariableInfo &variable) {
  size_t numConstants = executable.constants() ? executable.constants()->size() : 0;
  if (index >= numConstants)
    return Status::invalid("it names constant ", index, " of ", numConstants);
  size_t bytes = executable.constants()->Get(index)->bytes()->size();
  if (bytes != static_cast<size_t>(variable.bytes))
    return Status::invalid("its type ", variable.shape.str(), " has ", variable.bytes,
                           " bytes but its constant ", bytes);
  return {};
}

Result<VariableInfo> checkVariable(const abi::Executable &executable, const abi::Variable &table) {
  VariableInfo variable;
  variable.table = &table;
  Result<BufferShape> shape = decodeType(*table.type());
  if (!shape.isOk())
    return shape.takeStatus();
  variable.shape = std::move(*shape);
  variable.bytes = variable.shape.elements() * variable.shape.elementBytes();
  bool hasConstant = table.constant() != UINT32_MAX;
  if (table.source() && hasConstant)
    return Status::invalid("it has both a file range and a constant");
  if (table.packed_bytes() > 0) {
    if (table.source() || hasConstant)
      return Status::invalid("it is packed, so only the program \"prepare\" can give its value");
    if (table.packed_bytes() > static_cast<uint64_t>(maxBytes))
      return Status::invalid("its packed layout has ", table.packed_bytes(), " bytes");
    variable.isPacked = true;
    variable.bytes = static_cast<int64_t>(table.packed_bytes());
  }
  Status status = table.source() ? checkSource(*table.source(), variable)
                  : hasConstant  ? checkConstant(executable, table.constant(), variable)
                                 : Status();
  if (!status.isOk())
    return status;
  return variable;
}

} // namespace

Result<BufferShape> decodeType(const abi::TensorType &type) {
  BufferShape shape;
  shape.type = type.element();
  int64_t elementBytes = abi::bytesOf(shape.type);
  if (elementBytes == 0)
    return Status::invalid("unknown element type ", static_cast<int>(shape.type));
  if (type.dims() && type.dims()->size() > maxRank)
    return Status::invalid("a type has ", type.dims()->size(), " dims; at most ", maxRank,
                           " are possible");
  if (!isAligned(type.dims()))
    return Status::invalid("the dims of a type are not aligned");
  if (type.dims())
    shape.dims.assign(type.dims()->begin(), type.dims()->end());
  std::optional<int64_t> count = checkedElements(shape.dims);
  std::optional<int64_t> bytes = count ? checkedMultiply(*count, elementBytes) : std::nullopt;
  if (!bytes || *bytes > maxBytes)
    return Status::invalid("the extents of ", shape.str(), " are negative or too large");
  shape.strides = abi::rowMajorStrides(shape.dims);
  return shape;
}

Result<std::vector<VariableInfo>> checkVariables(const abi::Executable &executable) {
  std::vector<VariableInfo> variables;
  if (!executable.variables())
    return variables;
  std::set<std::string_view> names;
  for (const abi::Variable *table : *executable.variables()) {
    std::string_view name = table->name()->string_view();
    if (!names.insert(name).second)
      return Status::invalid("there are two variables \"", name, "\"");
    Result<VariableInfo> variable = checkVariable(executable, *table);
    if (!variable.isOk())
      return variable.takeStatus().annotated("variable \"", name, "\"");
    variables.push_back(std::move(*variable));
  }
  return variables;
}

} // namespace sheaf::rt
