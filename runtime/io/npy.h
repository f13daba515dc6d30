// NumPy's .npy files: headers read and written with care, arrays mapped.
#ifndef SHEAF_RUNTIME_IO_NPY_H
#define SHEAF_RUNTIME_IO_NPY_H

#include "runtime/abi/element_type.h"
#include "runtime/core/mapped_file.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::rt::io {

/// What an array's header says.
struct NpyHeader {
  std::string descr; ///< "<f4", without quotes
  bool isFortranOrder = false;
  std::vector<int64_t> dims;
  size_t dataOffset = 0; ///< of the first element in the file
};

/// Reads the header at the start of `file`, format versions 1 to 3. Errors: anything that NumPy's own writer does
/// not write, and extents whose product overflows.
Result<NpyHeader> parseNpyHeader(std::span<const std::byte> file);

/// The header of an .npy file that holds an array in C order, as `file` does whole. Errors: those of parseNpyHeader;
/// fewer or more bytes than the extents say; Fortran order of more than one dim; a dtype that is no plain number.
Result<NpyHeader> parseNpyArray(std::span<const std::byte> file);

/// An array in a mapped file, in C order.
class NpyArray {
public:
  /// Errors: those of parseNpyArray.
  static Result<NpyArray> open(const std::filesystem::path &path);

  const std::vector<int64_t> &dims() const { return header.dims; }
  const std::string &descr() const { return header.descr; }
  std::span<const std::byte> data() const { return file.bytes().subspan(header.dataOffset); }

  /// True when the array's dtype is how files hold elements of `type` (see npyDescr).
  bool holds(abi::ElementType type) const;

private:
  NpyArray(MappedFile file, NpyHeader header) : file(std::move(file)), header(std::move(header)) {}

  MappedFile file;
  NpyHeader header;
};

/// The dtype that .npy files hold elements of `type` in. NumPy has no bf16, 8-bit floats, or 2- and 4-bit integers:
/// bf16 is "<u2" and 8-bit and 4-bit floats "|u1" (their bits), narrow integers "|i1" and "|u1" (their values).
/// Reading also takes the dtypes of the ml_dtypes package, which are "<V2" and "|V1", or "<f2", "|b1" and the like.
std::string_view npyDescr(abi::ElementType type);

/// The element type of a dtype as its numbers are, not as their bits ("<u2" is u16); "<V2" of ml_dtypes is bf16. None
/// for other dtypes.
std::optional<abi::ElementType> elementTypeOfNpy(std::string_view descr);

/// A version 1 header (2 or 3 where it is too long) for an array in C order; the data follows it, 64-byte aligned.
std::string makeNpyHeader(abi::ElementType type, std::span<const int64_t> dims);

} // namespace sheaf::rt::io

#endif // SHEAF_RUNTIME_IO_NPY_H
