// Mailboxes in memory and in files.
#include "test/standin/nccl/mailbox.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

namespace sheaf::standin::nccl {

namespace {

class ProcessMailbox : public Mailbox {
public:
  void post(const std::string &name, int participant, Letter letter) override {
    std::lock_guard lock(mutex);
    shelves[name].letters[participant] = std::make_shared<const Letter>(std::move(letter));
  }
  std::shared_ptr<const Letter> find(const std::string &name, int participant) override {
    std::lock_guard lock(mutex);
    auto shelf = shelves.find(name);
    if (shelf == shelves.end())
      return nullptr;
    auto letter = shelf->second.letters.find(participant);
    return letter == shelf->second.letters.end() ? nullptr : letter->second;
  }
  void leave(const std::string &name, int, int participants) override {
    std::lock_guard lock(mutex);
    if (++shelves[name].numLeft == participants)
      shelves.erase(name);
  }

private:
  struct Shelf {
    std::map<int, std::shared_ptr<const Letter>> letters;
    int numLeft = 0;
  };
  std::mutex mutex;
  std::map<std::string, Shelf> shelves;
};

class FileMailbox : public Mailbox {
public:
  explicit FileMailbox(std::filesystem::path folder) : folder(std::move(folder)) {}

  void post(const std::string &name, int participant, Letter letter) override {
    const std::filesystem::path path = pathOf(name, participant);
    const std::filesystem::path unfinished = path.string() + ".part";
    std::error_code error;
    do { // Who leaves while no letter is there takes the folder along.
      std::filesystem::create_directories(folder);
      std::ofstream file(unfinished, std::ios::binary);
      file << letter.text << '\n';
      file.write(reinterpret_cast<const char *>(letter.data.data()),
                 static_cast<std::streamsize>(letter.data.size()));
      file.close();
      std::filesystem::rename(unfinished, path, error); // others see all of it or nothing
    } while (error == std::errc::no_such_file_or_directory);
    if (error)
      throw std::filesystem::filesystem_error("cannot post", path, error);
  }

  std::shared_ptr<const Letter> find(const std::string &name, int participant) override {
    std::ifstream file(pathOf(name, participant), std::ios::binary);
    if (!file)
      return nullptr;
    auto letter = std::make_shared<Letter>();
    std::getline(file, letter->text);
    std::ostringstream rest;
    rest << file.rdbuf();
    const std::string data = rest.str();
    const auto *begin = reinterpret_cast<const std::byte *>(data.data());
    letter->data.assign(begin, begin + data.size());
    return letter;
  }

  void leave(const std::string &name, int participant, int participants) override {
    std::ofstream(pathOf(name, participant).string() + ".left");
    for (int other = 0; other < participants; ++other)
      if (!std::filesystem::exists(pathOf(name, other).string() + ".left"))
        return;
    // Two of them may be the last at once; then both remove.
    std::error_code ignored;
    for (int other = 0; other < participants; ++other) {
      std::filesystem::remove(pathOf(name, other), ignored);
      std::filesystem::remove(pathOf(name, other).string() + ".left", ignored);
    }
  }

private:
  std::filesystem::path pathOf(std::string name, int participant) const {
    for (char &c : name)
      if (c == '/')
        c = '-';
    return folder / (name + "." + std::to_string(participant));
  }

  std::filesystem::path folder;
};

} // namespace

Mailbox &processMailbox() {
  static auto *mailbox = new ProcessMailbox;
  return *mailbox;
}

std::unique_ptr<Mailbox> openFileMailbox(const std::string &folder) {
  return std::make_unique<FileMailbox>(folder);
}

} // namespace sheaf::standin::nccl
