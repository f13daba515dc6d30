// A folder for the files of a test process.
#ifndef SHEAF_TEST_RUNTIME_PROCESS_FOLDER_H
#define SHEAF_TEST_RUNTIME_PROCESS_FOLDER_H

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace sheaf::rt::test {

/// A folder of this process alone, made by the first call and removed when the process ends. Shards of
/// one test binary run side by side, so a fixed name would be shared.
inline const std::filesystem::path &processFolder() {
  struct Folder {
    std::filesystem::path path =
        std::filesystem::path(testing::TempDir()) / ("sheaf_test_" + std::to_string(getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
      std::error_code ignored; // Nothing is left to report it to.
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Folder folder;
  return folder.path;
}

} // namespace sheaf::rt::test

#endif
