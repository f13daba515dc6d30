// Writes a file aside and renames it into place.
#include "passes/lowering/emit/whole_file.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;

Error sheaf::lowering::writeWholeFile(StringRef path, ArrayRef<uint8_t> bytes) {
  auto failed = [&](StringRef what, const Twine &why) {
    return createStringError("can't " + what + " \"" + path + "\": " + why);
  };
  Expected<sys::fs::TempFile> file =
      sys::fs::TempFile::create(path + ".%%%%%%%%.part", sys::fs::all_read | sys::fs::owner_write);
  if (!file)
    return failed("write", toString(file.takeError()));
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  if (!error && fsync(file->FD) != 0)
    error = errnoAsErrorCode();
  if (error) {
    consumeError(file->discard());
    return failed("write", error.message());
  }
  if (Error renamed = file->keep(path))
    return failed("write", toString(std::move(renamed)));
  return Error::success();
}
