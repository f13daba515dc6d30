// How the runtime reports failure: a status whose text grows outside-in, and a value or such a status.
#ifndef SHEAF_RUNTIME_CORE_STATUS_H
#define SHEAF_RUNTIME_CORE_STATUS_H

#include <cassert>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace sheaf::rt {

enum class StatusCode {
  ok,
  invalid,  ///< the file, the input or the request is wrong
  failed,   ///< the program failed while it ran
  timedOut, ///< a rank did not come in time
  aborted   ///< another rank failed, as the text tells
};

/// Success, or a code and a text that reads outside-in: "program \"forward\": step 3 (contract): ...".
class [[nodiscard]] Status {
public:
  Status() = default;

  /// A failure whose text is the concatenation of `parts`.
  template <typename... Parts> static Status invalid(const Parts &...parts) {
    return Status(StatusCode::invalid, concat(parts...));
  }
  template <typename... Parts> static Status failed(const Parts &...parts) {
    return Status(StatusCode::failed, concat(parts...));
  }

  template <typename... Parts> static Status timedOut(const Parts &...parts) {
    return Status(StatusCode::timedOut, concat(parts...));
  }
  template <typename... Parts> static Status aborted(const Parts &...parts) {
    return Status(StatusCode::aborted, concat(parts...));
  }
  template <typename... Parts> static Status ofCode(StatusCode code, const Parts &...parts) {
    return Status(code, concat(parts...));
  }

  bool isOk() const { return !failure; }
  StatusCode code() const { return failure ? failure->code : StatusCode::ok; }
  /// The text; empty on success.
  std::string_view text() const {
    return failure ? std::string_view(failure->text) : std::string_view();
  }

  /// Puts the concatenation of `parts` and ": " in front of the text of a failure.
  template <typename... Parts> Status annotated(const Parts &...parts) && {
    if (failure)
      failure->text = concat(parts..., ": ", failure->text);
    return std::move(*this);
  }

private:
  struct Failure {
    StatusCode code;
    std::string text;
  };

  Status(StatusCode code, std::string text) : failure(new Failure{code, std::move(text)}) {}

  template <typename... Parts> static std::string concat(const Parts &...parts) {
    std::ostringstream stream;
    (stream << ... << parts);
    return stream.str();
  }

  std::unique_ptr<Failure> failure;
};

/// A value, or why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::in_place_index<0>, std::move(value)) {}
  Result(Status status) : content(std::in_place_index<1>, std::move(status)) {
    assert(!std::get<1>(content).isOk() && "a result without a value needs a reason");
  }

  bool isOk() const { return content.index() == 0; }
  T &operator*() { return std::get<0>(content); }
  const T &operator*() const { return std::get<0>(content); }
  T *operator->() { return &std::get<0>(content); }
  const T *operator->() const { return &std::get<0>(content); }

  /// The reason; only when there is no value.
  Status takeStatus() { return std::move(std::get<1>(content)); }

private:
  std::variant<T, Status> content;
};

} // namespace sheaf::rt

#endif // SHEAF_RUNTIME_CORE_STATUS_H
