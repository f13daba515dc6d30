// Checks the types and variables of an executable.
#include "runtime/core/check_executable.h"

#include "runtime/abi/contract_strides.h"
#include "runtime/core/checked.h"

#include <set>

namespace sheaf::rt {
namespace {

/// No buffer is larger: offsets into it and sums of two of them stay far from overflow.
constexpr int64_t maxBytes = int64_t(1) << 60;

/// Files and constants hold the whole value.
Status checkOriginBytes(const VariableInfo &variable, const char *origin, uint64_t bytes) {
  BufferShape whole = variable.globalShape();
  int64_t expected = whole.elements() * whole.elementBytes();
  if (bytes != static_cast<uint64_t>(expected))
    return Status::invalid("its type ", whole.str(), " has ", expected, " bytes but its ", origin,
                           " ", bytes);
  return {};
}

Status checkSource(const abi::FileRange &source, const VariableInfo &variable) {
  std::filesystem::path path(source.file()->string_view());
  if (path.empty() || path.is_absolute() ||
      source.file()->string_view().find('\0') != std::string_view::npos)
    return Status::invalid("its file \"", source.file()->string_view(),
                           "\" must be a path relative to the executable's folder");
  if (Status status = checkOriginBytes(variable, "file range", source.bytes()); !status.isOk())
    return status;
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
  return checkOriginBytes(variable, "constant",
                          executable.constants()->Get(index)->bytes()->size());
}

Result<VariableInfo> checkVariable(const abi::Executable &executable, const abi::Variable &table,
                                   const Mesh &mesh) {
  VariableInfo variable;
  variable.table = &table;
  Result<BufferShape> shape = decodeType(*table.type());
  if (!shape.isOk())
    return shape.takeStatus();
  variable.shape = std::move(*shape);
  variable.bytes = variable.shape.elements() * variable.shape.elementBytes();
  Result<Sharding> sharding =
      checkSharding(table.global_dims(), table.cuts(), variable.shape, mesh);
  if (!sharding.isOk())
    return sharding.takeStatus();
  variable.sharding = std::move(*sharding);
  bool hasConstant = table.constant() != UINT32_MAX;
  if (table.splat() && (table.source() || hasConstant || table.packed_bytes() > 0))
    return Status::invalid("it has a splat beside another origin, or is packed");
  if (table.splat() && table.splat()->size() != static_cast<size_t>(variable.shape.elementBytes()))
    return Status::invalid("its splat has ", table.splat()->size(), " bytes, an element has ",
                           variable.shape.elementBytes());
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
  if (table.role() > abi::VariableRole::MAX)
    return Status::invalid("it has role ", static_cast<int>(table.role()));
  if (table.role() != abi::VariableRole::other && variable.isPacked)
    return Status::invalid(
        "it is packed, so it can be neither a parameter nor a state, nor carried");
  if (variable.isCarried() &&
      (table.source() || table.splat() || hasConstant || table.is_prepare_only()))
    return Status::invalid("it is carried from part to part, so it has no origin and is no part of "
                           "the program \"prepare\"");
  Status status = table.source() ? checkSource(*table.source(), variable)
                  : hasConstant  ? checkConstant(executable, table.constant(), variable)
                                 : Status();
  if (!status.isOk())
    return status;
  return variable;
}

} // namespace

Result<BufferShape> checkedShape(abi::ElementType type, std::vector<int64_t> dims) {
  if (dims.size() > maxRank)
    return Status::invalid("a type has ", dims.size(), " dims; at most ", maxRank, " are possible");
  std::optional<int64_t> count = checkedElements(dims);
  std::optional<int64_t> bytes = count ? checkedMultiply(*count, abi::bytesOf(type)) : std::nullopt;
  if (!bytes || *bytes > maxBytes)
    return Status::invalid("the extents of ", abi::nameOf(type), dimsText(dims),
                           " are negative or too large");
  return rowMajorShape(type, std::move(dims));
}

Result<BufferShape> decodeType(const abi::TensorType &type) {
  if (abi::bytesOf(type.element()) == 0)
    return Status::invalid("unknown element type ", static_cast<int>(type.element()));
  if (!isAligned(type.dims()))
    return Status::invalid("the dims of a type are not aligned");
  std::vector<int64_t> dims;
  if (type.dims())
    dims.assign(type.dims()->begin(), type.dims()->end());
  return checkedShape(type.element(), std::move(dims));
}

Result<std::vector<VariableInfo>> checkVariables(const abi::Executable &executable,
                                                 const Mesh &mesh) {
  std::vector<VariableInfo> variables;
  if (!executable.variables())
    return variables;
  std::set<std::string_view> names;
  for (const abi::Variable *table : *executable.variables()) {
    std::string_view name = table->name()->string_view();
    if (!names.insert(name).second)
      return Status::invalid("there are two variables \"", name, "\"");
    Result<VariableInfo> variable = checkVariable(executable, *table, mesh);
    if (!variable.isOk())
      return variable.takeStatus().annotated("variable \"", name, "\"");
    variables.push_back(std::move(*variable));
  }
  return variables;
}

} // namespace sheaf::rt
