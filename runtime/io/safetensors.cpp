// Reads the headers of safetensors files; nothing they say is believed before it has been checked.
#include "runtime/io/safetensors.h"

#include "runtime/core/buffer_shape.h"
#include "runtime/core/checked.h"
#include "runtime/io/strict_json.h"

#include <algorithm>

namespace sheaf::rt::io {
namespace {

constexpr size_t lengthBytes = 8;
constexpr uint64_t maxHeaderBytes = 100'000'000; // The format's own limit.

struct Dtype {
  std::string_view name;
  int64_t bits;
  std::optional<abi::ElementType> type;
};

constexpr Dtype dtypes[] = {{"BOOL", 8, abi::ElementType::boolean},
                            {"U8", 8, abi::ElementType::ui8},
                            {"I8", 8, abi::ElementType::i8},
                            {"F8_E5M2", 8, abi::ElementType::f8E5M2},
                            {"F8_E4M3", 8, abi::ElementType::f8E4M3FN},
                            {"F8_E8M0", 8, abi::ElementType::f8E8M0FNU},
                            {"I16", 16, abi::ElementType::i16},
                            {"U16", 16, abi::ElementType::ui16},
                            {"F16", 16, abi::ElementType::f16},
                            {"BF16", 16, abi::ElementType::bf16},
                            {"I32", 32, abi::ElementType::i32},
                            {"U32", 32, abi::ElementType::ui32},
                            {"F32", 32, abi::ElementType::f32},
                            {"I64", 64, abi::ElementType::i64},
                            {"U64", 64, abi::ElementType::ui64},
                            {"F64", 64, abi::ElementType::f64},
                            {"C64", 64, std::nullopt},
                            {"F4", 4, std::nullopt},
                            {"F6_E2M3", 6, std::nullopt},
                            {"F6_E3M2", 6, std::nullopt}};

const Dtype *findDtype(std::string_view name) {
  const auto *found = std::find_if(std::begin(dtypes), std::end(dtypes),
                                   [&](const Dtype &dtype) { return dtype.name == name; });
  return found == std::end(dtypes) ? nullptr : found;
}

/// The numbers of a list, or none when one of them is no integer that fits.
std::optional<std::vector<int64_t>> integersOf(const Json &entry, const char *key) {
  auto list = entry.find(key);
  if (list == entry.end() || !list->is_array())
    return std::nullopt;
  std::vector<int64_t> numbers;
  for (const Json &number : *list) {
    if (!number.is_number_unsigned() || number.get<uint64_t>() > INT64_MAX)
      return std::nullopt;
    numbers.push_back(number.get<int64_t>());
  }
  return numbers;
}

/// `start`: of the bytes of all tensors, of which there are `available`.
Result<StoredTensor> parseTensor(const Json &entry, size_t start, size_t available) {
  auto dtype = entry.is_object() ? entry.find("dtype") : entry.end();
  if (!entry.is_object() || entry.size() != 3 || dtype == entry.end() || !dtype->is_string())
    return Status::invalid("it must have dtype, shape and data_offsets, and nothing else");
  StoredTensor tensor;
  tensor.dtype = dtype->get<std::string>();
  const Dtype *known = findDtype(tensor.dtype);
  if (!known)
    return Status::invalid("dtype \"", tensor.dtype, "\" is unknown");
  std::optional<std::vector<int64_t>> shape = integersOf(entry, "shape"),
                                      offsets = integersOf(entry, "data_offsets");
  if (!shape || !offsets || offsets->size() != 2)
    return Status::invalid("its shape must be a list of sizes and its data_offsets two of them");
  tensor.dims = std::move(*shape);
  int64_t begin = (*offsets)[0], end = (*offsets)[1];
  if (begin > end || static_cast<uint64_t>(end) > available)
    return Status::invalid("its bytes, ", begin, " to ", end, ", are not within the ", available,
                           " that follow the header");
  std::optional<int64_t> count = checkedElements(tensor.dims);
  std::optional<int64_t> bits = count ? checkedMultiply(*count, known->bits) : std::nullopt;
  if (!bits || *bits % 8 != 0 || *bits / 8 != end - begin)
    return Status::invalid("it has ", end - begin, " bytes, which is not what its shape and dtype ",
                           tensor.dtype, " need");
  tensor.begin = start + static_cast<size_t>(begin);
  tensor.end = start + static_cast<size_t>(end);
  return tensor;
}

/// Every byte behind the header belongs to one tensor.
Status checkCover(const std::map<std::string, StoredTensor> &tensors, size_t start, size_t end) {
  std::vector<const std::pair<const std::string, StoredTensor> *> inOrder;
  for (const auto &entry : tensors)
    inOrder.push_back(&entry);
  std::sort(inOrder.begin(), inOrder.end(), [](const auto *a, const auto *b) {
    return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
  });
  size_t covered = start;
  for (const auto *entry : inOrder) {
    if (entry->second.begin != covered)
      return Status::invalid("tensor \"", entry->first, "\" begins at byte ",
                             entry->second.begin - start,
                             " of the data but the one before it ends at ", covered - start);
    covered = entry->second.end;
  }
  if (covered != end)
    return Status::invalid("the tensors end at byte ", covered - start, " of the data, which has ",
                           end - start);
  return {};
}

} // namespace

std::optional<abi::ElementType> elementTypeOf(std::string_view dtype) {
  const Dtype *known = findDtype(dtype);
  return known ? known->type : std::nullopt;
}

std::string_view safetensorsDtype(abi::ElementType type) {
  for (const Dtype &dtype : dtypes)
    if (dtype.type == type)
      return dtype.name;
  return type == abi::ElementType::i2 || type == abi::ElementType::i4 ? "I8" : "U8";
}

std::string makeSafetensorsHeader(const std::vector<NewTensor> &tensors) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  int64_t at = 0;
  for (const NewTensor &tensor : tensors) {
    int64_t end =
        at + rowMajorShape(tensor.type, tensor.dims).elements() * abi::bytesOf(tensor.type);
    header[std::string(tensor.name)] = {{"dtype", safetensorsDtype(tensor.type)},
                                        {"shape", tensor.dims},
                                        {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = header.dump();
  constexpr size_t alignment = 64;
  text.append((2 * alignment - lengthBytes - text.size() % alignment) % alignment, ' ');
  std::string length;
  for (size_t i = 0; i < lengthBytes; ++i)
    length += static_cast<char>(text.size() >> (8 * i));
  return length + text;
}

Result<std::map<std::string, StoredTensor>> parseSafetensors(std::span<const std::byte> file) {
  if (file.size() < lengthBytes)
    return Status::invalid("this is no safetensors file: it has ", file.size(), " bytes");
  uint64_t headerBytes = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    headerBytes |= static_cast<uint64_t>(file[i]) << (8 * i);
  if (headerBytes > maxHeaderBytes || headerBytes > file.size() - lengthBytes)
    return Status::invalid(
        "this is no safetensors file, or it is cut short: its header would have ", headerBytes,
        " bytes");
  Result<Json> header = parseStrictJson(file.subspan(lengthBytes, headerBytes));
  if (!header.isOk())
    return header.takeStatus().annotated("the header");
  if (!header->is_object())
    return Status::invalid("the header is no JSON object");
  size_t start = lengthBytes + headerBytes;
  std::map<std::string, StoredTensor> tensors;
  for (const auto &[name, entry] : header->items()) {
    if (name == "__metadata__")
      continue;
    Result<StoredTensor> tensor = parseTensor(entry, start, file.size() - start);
    if (!tensor.isOk())
      return tensor.takeStatus().annotated("tensor \"", name, "\"");
    tensors.emplace(name, std::move(*tensor));
  }
  if (Status status = checkCover(tensors, start, file.size()); !status.isOk())
    return status;
  return tensors;
}

} // namespace sheaf::rt::io
