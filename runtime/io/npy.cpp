// Reads and writes .npy headers, and maps arrays.
#include "runtime/io/npy.h"

#include "runtime/core/checked.h"

#include <charconv>
#include <cstring>

namespace sheaf::rt::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// Reads the Python dictionary of a header: three keys, in any order, no expressions.
class DictReader {
public:
  explicit DictReader(std::string_view text) : rest(text) {}

  bool read(NpyHeader &header) {
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!take('{'))
      return false;
    while (!take('}')) {
      std::string key;
      if (!readString(key) || !take(':'))
        return false;
      bool *isSeen = key == "descr"           ? &hasDescr
                     : key == "fortran_order" ? &hasOrder
                     : key == "shape"         ? &hasShape
                                              : nullptr;
      if (!isSeen || *isSeen)
        return false;
      *isSeen = true;
      bool isRead = isSeen == &hasDescr   ? readString(header.descr)
                    : isSeen == &hasOrder ? readBool(header.isFortranOrder)
                                          : readShape(header.dims);
      if (!isRead || (!take(',') && !isNext('}')))
        return false;
    }
    skipSpace();
    return rest.empty() && hasDescr && hasOrder && hasShape;
  }

private:
  void skipSpace() {
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\n'))
      rest.remove_prefix(1);
  }
  bool isNext(char c) {
    skipSpace();
    return !rest.empty() && rest[0] == c;
  }
  bool take(char c) {
    if (!isNext(c))
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (!rest.starts_with(word))
      return false;
    rest.remove_prefix(word.size());
    return true;
  }
  bool readString(std::string &value) {
    char quote = take('\'') ? '\'' : take('"') ? '"' : 0;
    size_t end = quote ? rest.find(quote) : std::string_view::npos;
    if (end == std::string_view::npos)
      return false;
    value = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return true;
  }
  bool readBool(bool &value) {
    value = takeWord("True");
    return value || takeWord("False");
  }
  bool readShape(std::vector<int64_t> &dims) {
    if (!take('('))
      return false;
    while (!take(')')) {
      skipSpace();
      int64_t dim;
      auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), dim);
      if (error != std::errc() || dim < 0)
        return false;
      rest.remove_prefix(static_cast<size_t>(end - rest.data()));
      takeWord("L"); // Python 2 wrote long integers so.
      dims.push_back(dim);
      if (!take(',') && !isNext(')'))
        return false;
    }
    return true;
  }

  std::string_view rest;
};

/// The element size of "<f4"; 0 for what is no plain little-endian type.
int64_t descrBytes(std::string_view descr) {
  if (descr.size() < 3 || std::string_view("<|=").find(descr[0]) == std::string_view::npos ||
      std::string_view("biufV").find(descr[1]) == std::string_view::npos)
    return 0;
  int64_t bytes = 0;
  auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), bytes);
  bool isWhole = error == std::errc() && end == descr.data() + descr.size();
  return isWhole && bytes >= 1 && bytes <= 16 ? bytes : 0;
}

} // namespace

Result<NpyHeader> parseNpyHeader(std::span<const std::byte> file) {
  std::string_view text(reinterpret_cast<const char *>(file.data()), file.size());
  constexpr size_t versionBytes = 2;
  if (!text.starts_with(magic) || text.size() < magic.size() + versionBytes + 2)
    return Status::invalid("this is not an .npy file (it does not begin with \\x93NUMPY)");
  int version = static_cast<unsigned char>(text[magic.size()]);
  if (version < 1 || version > 3)
    return Status::invalid("it has .npy format version ", version, "; 1 to 3 are known");
  size_t lengthBytes = version == 1 ? 2 : 4;
  size_t start = magic.size() + versionBytes + lengthBytes;
  if (text.size() < start)
    return Status::invalid("the .npy header is cut short");
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(static_cast<unsigned char>(text[magic.size() + versionBytes + i])) << (8 * i);
  if (length > text.size() - start)
    return Status::invalid("the .npy header is cut short");
  NpyHeader header;
  header.dataOffset = start + length;
  if (!DictReader(text.substr(start, length)).read(header))
    return Status::invalid(
        "the .npy header can't be understood; structured and object dtypes are not supported");
  return header;
}

Result<NpyHeader> parseNpyArray(std::span<const std::byte> file) {
  Result<NpyHeader> header = parseNpyHeader(file);
  if (!header.isOk())
    return header;
  int64_t elementBytes = descrBytes(header->descr);
  if (elementBytes == 0)
    return Status::invalid("dtype \"", header->descr, "\" is not supported");
  std::optional<int64_t> count = checkedElements(header->dims);
  std::optional<int64_t> bytes = count ? checkedMultiply(*count, elementBytes) : std::nullopt;
  size_t available = file.size() - header->dataOffset;
  if (!bytes || static_cast<size_t>(*bytes) != available)
    return Status::invalid("the header tells of ", bytes ? std::to_string(*bytes) : "too many",
                           " bytes of data but ", available, " follow");
  size_t numLargeDims = 0;
  for (int64_t dim : header->dims)
    numLargeDims += dim > 1;
  if (header->isFortranOrder && numLargeDims > 1)
    return Status::invalid("the array is in Fortran order; save numpy.ascontiguousarray(array) "
                           "instead");
  return header;
}

Result<NpyArray> NpyArray::open(const std::filesystem::path &path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file.isOk())
    return file.takeStatus();
  Result<NpyHeader> header = parseNpyArray(file->bytes());
  if (!header.isOk())
    return header.takeStatus().annotated(path.string());
  return NpyArray(std::move(*file), std::move(*header));
}

bool NpyArray::holds(abi::ElementType type) const {
  std::string_view own = header.descr, wanted = npyDescr(type);
  auto isSameType = [&](std::string_view a, std::string_view b) {
    // The byte order mark of single bytes, and '=' on this little-endian machine, say nothing.
    return a.substr(1) == b.substr(1);
  };
  if (isSameType(own, wanted))
    return true;
  bool isPlainNumPy = type == abi::ElementType::boolean || abi::isInteger(type) ||
                      type == abi::ElementType::f16 || type == abi::ElementType::f32 ||
                      type == abi::ElementType::f64;
  bool isNarrow = type >= abi::ElementType::i2 && type <= abi::ElementType::ui4;
  if (isPlainNumPy && !isNarrow)
    return false;
  return isSameType(own, abi::bytesOf(type) == 2 ? "<V2" : "|V1");
}

std::string_view npyDescr(abi::ElementType type) {
  switch (type) {
  case abi::ElementType::boolean:
    return "|b1";
  case abi::ElementType::i2:
  case abi::ElementType::i4:
  case abi::ElementType::i8:
    return "|i1";
  case abi::ElementType::i16:
    return "<i2";
  case abi::ElementType::ui16:
  case abi::ElementType::bf16:
    return "<u2";
  case abi::ElementType::i32:
    return "<i4";
  case abi::ElementType::ui32:
    return "<u4";
  case abi::ElementType::i64:
    return "<i8";
  case abi::ElementType::ui64:
    return "<u8";
  case abi::ElementType::f16:
    return "<f2";
  case abi::ElementType::f32:
    return "<f4";
  case abi::ElementType::f64:
    return "<f8";
  default:
    return "|u1";
  }
}

std::optional<abi::ElementType> elementTypeOfNpy(std::string_view descr) {
  using abi::ElementType;
  constexpr std::pair<std::string_view, ElementType> types[] = {
      {"b1", ElementType::boolean}, {"i1", ElementType::i8},   {"u1", ElementType::ui8},
      {"i2", ElementType::i16},     {"u2", ElementType::ui16}, {"i4", ElementType::i32},
      {"u4", ElementType::ui32},    {"i8", ElementType::i64},  {"u8", ElementType::ui64},
      {"f2", ElementType::f16},     {"V2", ElementType::bf16}, {"f4", ElementType::f32},
      {"f8", ElementType::f64}};
  for (const auto &[name, type] : types)
    if (descr.substr(1) == name)
      return type;
  return std::nullopt;
}

std::string makeNpyHeader(abi::ElementType type, std::span<const int64_t> dims) {
  std::string dict =
      "{'descr': '" + std::string(npyDescr(type)) + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < dims.size(); ++i)
    dict += (i ? ", " : "") + std::to_string(dims[i]);
  dict += dims.size() == 1 ? ",), }" : "), }";
  // Magic, version, length: 10 bytes. The dictionary ends in a newline on a multiple of 64. At most 32 extents of
  // 20 digits: version 1 always has room for it.
  constexpr size_t fixedBytes = 10;
  size_t total = (fixedBytes + dict.size() + 1 + 63) / 64 * 64;
  dict.append(total - fixedBytes - dict.size() - 1, ' ');
  dict += '\n';
  std::string header(magic);
  header +=
      {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return header + dict;
}

} // namespace sheaf::rt::io
