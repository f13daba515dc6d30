// Finds checkpoints by their names and markers, and removes those that are not wanted.
#include "runtime/io/checkpoint/series.h"

#include "runtime/io/durable_file.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace sheaf::rt::io {
namespace fs = std::filesystem;
namespace {

bool isDigits(std::string_view text, std::string_view digits) {
  return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

bool startsWith(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// None when it is the name of something else.
std::optional<SeriesEntry> parseName(const std::string &name) {
  std::string_view rest = name;
  if (!startsWith(rest, "step-"))
    return std::nullopt;
  std::string_view digits = rest.substr(0, rest.find('.'));
  rest.remove_prefix(digits.size());
  SeriesEntry entry;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), entry.step);
  if (!isDigits(digits, "0123456789") || error != std::errc() ||
      end != digits.data() + digits.size() || !name.starts_with(stepName(entry.step)))
    return std::nullopt;
  if (rest.empty())
    return entry;
  if (startsWith(rest, ".partial-"))
    entry.kind = SeriesEntry::Kind::partial;
  else if (startsWith(rest, ".replaced-"))
    entry.kind = SeriesEntry::Kind::replaced;
  else
    return std::nullopt;
  return isDigits(rest, "0123456789abcdef") ? std::optional(entry) : std::nullopt;
}

bool isFileOfOurs(std::string_view name) {
  if (name == indexName || name == markerName || name == pendingMarkerName)
    return true;
  return startsWith(name, "rank-") && isDigits(name.substr(0, name.find('.')), "0123456789") &&
         (name.ends_with(".safetensors") || name.ends_with(".part.json"));
}

Status failed(const char *what, const fs::path &path, const std::error_code &error) {
  return Status::invalid("can't ", what, " ", path.string(), ": ", error.message());
}

Status moveBack(const SeriesEntry &replaced) {
  std::error_code error;
  fs::rename(replaced.path, replaced.path.parent_path() / stepName(replaced.step), error);
  return error ? failed("rename", replaced.path, error) : Status();
}

} // namespace

std::string stepName(int64_t step) {
  char text[32];
  std::snprintf(text, sizeof text, "step-%06lld", static_cast<long long>(step));
  return text;
}

Result<std::vector<SeriesEntry>> readSeries(const fs::path &folder) {
  std::vector<SeriesEntry> entries;
  std::error_code error;
  if (!fs::exists(folder, error) && !error)
    return entries;
  fs::directory_iterator files(folder, error);
  for (; !error && files != fs::directory_iterator(); files.increment(error)) {
    std::optional<SeriesEntry> entry = parseName(files->path().filename().string());
    std::error_code ignored; // What can't be examined is no folder.
    if (!entry || files->symlink_status(ignored).type() != fs::file_type::directory)
      continue;
    entry->path = files->path();
    entry->hasMarker = fs::exists(entry->path / markerName, ignored);
    entries.push_back(std::move(*entry));
  }
  if (error)
    return failed("read", folder, error);
  std::sort(entries.begin(), entries.end(), [](const SeriesEntry &a, const SeriesEntry &b) {
    return std::tie(a.step, b.kind, a.path) < std::tie(b.step, a.kind, b.path);
  });
  return entries;
}

Result<std::optional<fs::path>> latestCheckpoint(const fs::path &folder) {
  Result<std::vector<SeriesEntry>> entries = readSeries(folder);
  if (!entries.isOk())
    return entries.takeStatus();
  std::optional<fs::path> latest;
  for (const SeriesEntry &entry : *entries) // Of one step, the normal one comes last.
    if (entry.isComplete())
      latest = entry.path;
  return latest;
}

Status removeCheckpoint(const fs::path &path,
                        const std::function<void(std::string_view)> &onStage) {
  std::error_code error;
  fs::remove(path / markerName, error);
  if (error)
    return failed("remove", path / markerName, error);
  if (Status status = syncFolder(path); !status.isOk())
    return status;
  std::vector<fs::path> files;
  for (fs::directory_iterator file(path, error); !error && file != fs::directory_iterator();
       file.increment(error))
    if (isFileOfOurs(file->path().filename().string()))
      files.push_back(file->path());
  for (const fs::path &file : files) {
    if (onStage)
      onStage("removal");
    fs::remove(file, error);
    if (error)
      return failed("remove", file, error);
  }
  fs::remove(path, error); // Stays when there are files of others.
  return error && error != std::errc::directory_not_empty ? failed("remove", path, error)
                                                          : Status();
}

Status cleanSeries(const fs::path &folder) {
  Result<std::vector<SeriesEntry>> entries = readSeries(folder);
  if (!entries.isOk())
    return entries.takeStatus();
  auto isReplacement = [&](const SeriesEntry &replaced) {
    return std::any_of(entries->begin(), entries->end(), [&](const SeriesEntry &other) {
      return other.step == replaced.step && other.kind == SeriesEntry::Kind::normal &&
             other.hasMarker;
    });
  };
  std::vector<const SeriesEntry *> toMoveBack;
  for (const SeriesEntry &entry : *entries) {
    if (entry.kind == SeriesEntry::Kind::replaced && entry.hasMarker && !isReplacement(entry)) {
      toMoveBack.push_back(&entry); // When what is in its place has been removed.
      continue;
    }
    if (entry.kind == SeriesEntry::Kind::normal && entry.hasMarker)
      continue;
    if (Status status = removeCheckpoint(entry.path, {}); !status.isOk())
      return status;
  }
  for (const SeriesEntry *entry : toMoveBack)
    if (Status status = moveBack(*entry); !status.isOk())
      return status;
  return {};
}

Status thinSeries(const fs::path &folder, int keep, int64_t newStep,
                  const std::function<void(std::string_view)> &onStage) {
  Result<std::vector<SeriesEntry>> entries = readSeries(folder);
  if (!entries.isOk())
    return entries.takeStatus();
  std::erase_if(*entries, [&](const SeriesEntry &entry) {
    return !entry.hasMarker || entry.kind != SeriesEntry::Kind::normal || entry.step == newStep;
  });
  size_t numKept = static_cast<size_t>(std::max(keep, 1)) - 1;
  for (size_t i = 0; i + numKept < entries->size(); ++i)
    if (Status status = removeCheckpoint((*entries)[i].path, onStage); !status.isOk())
      return status;
  return {};
}

} // namespace sheaf::rt::io
