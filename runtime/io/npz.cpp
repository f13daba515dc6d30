// Finds the members of an .npz archive; minizip knows the format, zlib inflates.
#include "runtime/io/npz.h"

#include "runtime/core/memory.h"
#include "runtime/io/npy.h"

#include <map>
#include <minizip/unzip.h>

namespace sheaf::rt::io {
namespace {

constexpr unsigned long encryptedFlag = 1, storedMethod = 0, deflateMethod = 8;
/// Deflate makes no more than 1032 bytes of one: a larger claim is a lie, and memory is asked for by it.
constexpr ZPOS64_T mostInflation = 1032, inflationSlack = 64;

/// What a member's header says.
struct Member {
  std::string name;
  unz_file_info64 info;
};

Result<Member> readMember(unzFile archive) {
  Member member{std::string(size_t(1) << 16, '\0'), {}};
  if (unzGetCurrentFileInfo64(archive, &member.info, member.name.data(), member.name.size(),
                              nullptr, 0, nullptr, 0) != UNZ_OK)
    return Status::invalid("the zip archive is damaged: a member's header can't be read");
  member.name.resize(std::min<size_t>(member.name.size(), member.info.size_filename));
  return member;
}

/// The bytes of the open member within the mapped file.
Result<StoredArray> mapMember(unzFile archive, const Member &member,
                              const std::shared_ptr<MappedFile> &file) {
  ZPOS64_T begin = unzGetCurrentFileZStreamPos64(archive);
  size_t available = file->bytes().size();
  if (member.info.compressed_size != member.info.uncompressed_size || begin > available ||
      member.info.uncompressed_size > available - begin)
    return Status::invalid("the zip archive is damaged: its bytes are not within the file");
  return npyArrayIn(file->bytes().subspan(begin, member.info.uncompressed_size), file);
}

/// The bytes of the open member, inflated.
Result<StoredArray> inflateMember(unzFile archive, const Member &member) {
  const unz_file_info64 &info = member.info;
  if (info.uncompressed_size / mostInflation > info.compressed_size + inflationSlack)
    return Status::invalid("the zip archive is damaged: ", info.compressed_size,
                           " bytes can't inflate to ", info.uncompressed_size);
  Result<Memory> allocated = allocateHostMemory(info.uncompressed_size);
  if (!allocated.isOk())
    return allocated.takeStatus();
  auto memory = std::make_shared<Memory>(std::move(*allocated));
  ZPOS64_T done = 0;
  while (done < info.uncompressed_size) {
    constexpr ZPOS64_T mostAtOnce = 1 << 30;
    auto part = static_cast<unsigned>(std::min(info.uncompressed_size - done, mostAtOnce));
    int count = unzReadCurrentFile(archive, memory->data() + done, part);
    if (count <= 0)
      return Status::invalid("the zip archive is damaged: it can't be inflated");
    done += static_cast<ZPOS64_T>(count);
  }
  return npyArrayIn({memory->data(), info.uncompressed_size}, memory);
}

Result<StoredArray> readArray(unzFile archive, const Member &member,
                              const std::shared_ptr<MappedFile> &file) {
  if (!member.name.ends_with(".npy"))
    return Status::invalid("it is no .npy file");
  if (member.info.flag & encryptedFlag)
    return Status::invalid("it is encrypted");
  bool isStored = member.info.compression_method == storedMethod;
  if (!isStored && member.info.compression_method != deflateMethod)
    return Status::invalid("it is compressed by method ", member.info.compression_method,
                           "; stored and deflated ones can be read");
  if (unzOpenCurrentFile(archive) != UNZ_OK)
    return Status::invalid("the zip archive is damaged: its headers disagree");
  Result<StoredArray> array =
      isStored ? mapMember(archive, member, file) : inflateMember(archive, member);
  bool isWhole = unzCloseCurrentFile(archive) == UNZ_OK;
  if (array.isOk() && !isWhole)
    return Status::invalid("the zip archive is damaged: its content has another checksum");
  return array;
}

} // namespace

Result<StoredArray> npyArrayIn(std::span<const std::byte> file,
                               std::shared_ptr<const void> memory) {
  Result<NpyHeader> header = parseNpyArray(file);
  if (!header.isOk())
    return header.takeStatus();
  std::optional<abi::ElementType> type = elementTypeOfNpy(header->descr);
  if (!type)
    return Status::invalid("dtype \"", header->descr, "\" is not supported");
  return StoredArray{"", *type, header->dims, file.subspan(header->dataOffset), std::move(memory)};
}

Result<std::vector<StoredArray>> openNpz(const std::filesystem::path &path,
                                         const std::shared_ptr<MappedFile> &file) {
  std::unique_ptr<void, int (*)(unzFile)> archive(unzOpen64(path.c_str()), unzClose);
  if (!archive)
    return Status::invalid("this is not an .npz file (it is no zip archive)");
  std::map<std::string, StoredArray> arrays;
  int state = unzGoToFirstFile(archive.get());
  for (; state == UNZ_OK; state = unzGoToNextFile(archive.get())) {
    Result<Member> member = readMember(archive.get());
    if (!member.isOk())
      return member.takeStatus();
    Result<StoredArray> array = readArray(archive.get(), *member, file);
    if (!array.isOk())
      return array.takeStatus().annotated("member \"", member->name, "\"");
    array->name = member->name.substr(0, member->name.size() - std::string_view(".npy").size());
    std::string name = array->name;
    if (!arrays.emplace(name, std::move(*array)).second)
      return Status::invalid("two members are named \"", name, "\"");
  }
  if (state != UNZ_END_OF_LIST_OF_FILE)
    return Status::invalid("the zip archive is damaged: its list of members is cut short");
  std::vector<StoredArray> sorted;
  for (auto &[name, array] : arrays)
    sorted.push_back(std::move(array));
  return sorted;
}

} // namespace sheaf::rt::io
