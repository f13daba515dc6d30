// Where ranks leave what others come for.
#ifndef SHEAF_TEST_STANDIN_NCCL_MAILBOX_H
#define SHEAF_TEST_STANDIN_NCCL_MAILBOX_H

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace sheaf::standin::nccl {

/// What a participant says it does, such as "all_reduce of 4 f32, sum", and what it sends.
struct Letter {
  std::string text;
  std::vector<std::byte> data;
};

/// Letters by a name that all participants derive alike, and the participant. Any thread may call.
class Mailbox {
public:
  virtual ~Mailbox() = default;
  virtual void post(const std::string &name, int participant, Letter letter) = 0;
  /// Null if it isn't there yet.
  virtual std::shared_ptr<const Letter> find(const std::string &name, int participant) = 0;
  /// The participant has read all letters of the name: they go once all of them have.
  virtual void leave(const std::string &name, int participant, int participants) = 0;
};

/// Of the ranks in this process.
Mailbox &processMailbox();

/// Of ranks in processes of one machine: files in a folder, which is made if it isn't there.
std::unique_ptr<Mailbox> openFileMailbox(const std::string &folder);

} // namespace sheaf::standin::nccl

#endif
