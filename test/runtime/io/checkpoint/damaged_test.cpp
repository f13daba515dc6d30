// Checkpoints that are cut, changed or made up are refused with one reason, and nothing of them is believed.
#include "runtime/io/checkpoint/series.h"
#include "runtime/io/sha256.h"
#include "test/runtime/io/checkpoint/saved_program.h"

#include <fstream>

namespace sheaf::rt::io {
namespace {

namespace fs = std::filesystem;
using abi::ElementType;

std::string textOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void store(const fs::path &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::span<const std::byte> bytesOf(const std::string &text) {
  return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
}

/// A checkpoint of two ranks, w cut and v whole.
fs::path newCheckpoint() {
  SavedProgram program({{"data", 2}},
                       {savedVariable("w", ElementType::f32, {5, 3}, {{{0, 1, 2}}, {}}),
                        savedVariable("v", ElementType::bf16, {4})});
  fs::path series = newFolder("damaged");
  Values values = randomValues(program.executable(), 1);
  EXPECT_TRUE(saveAll(program.executable(), values, {series, 3, 1}).isOk());
  return series / "step-000003";
}

/// What opening it, or reading all of it, says.
std::string errorOf(const fs::path &path) {
  Result<Checkpoint> checkpoint = Checkpoint::open(path);
  Status status = checkpoint.isOk() ? checkpoint->verify() : checkpoint.takeStatus();
  return std::string(status.text());
}

void expectError(const std::string &error, const std::string &part) {
  EXPECT_NE(error.find(part), std::string::npos) << "got: " << error << "\nwanted: " << part;
}

/// Puts another index into the checkpoint, marked as it should be.
void storeIndex(const fs::path &path, const std::string &text) {
  store(path / indexName, text);
  store(path / markerName, sha256Of(bytesOf(text)) + "\n");
}

/// The error of a checkpoint whose index `change` has changed.
std::string errorWith(const std::function<void(Json &)> &change) {
  fs::path path = newCheckpoint();
  Json index = Json::parse(textOf(path / indexName));
  change(index);
  storeIndex(path, index.dump());
  return errorOf(path);
}

TEST(Damaged, NeedsItsMarker) {
  fs::path path = newCheckpoint();
  EXPECT_EQ(errorOf(path), "");
  std::string marker = textOf(path / markerName);
  store(path / markerName, marker.substr(0, 30));
  expectError(errorOf(path), "is damaged: index.json is not the one");
  store(path / markerName, marker);
  store(path / indexName, textOf(path / indexName) + " ");
  expectError(errorOf(path), "is damaged: index.json is not the one");
  fs::remove(path / markerName);
  expectError(errorOf(path), "is no complete checkpoint: it has no file \"complete\"");
  expectError(errorOf(path / "nowhere"), "there is no checkpoint");
}

TEST(Damaged, FilesAreAsTheyWereWritten) {
  fs::path path = newCheckpoint(), file = path / rankFileName(0);
  std::string content = textOf(file);
  for (size_t at = 0; at < content.size(); ++at) {
    std::string changed = content;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    store(file, changed);
    EXPECT_NE(errorOf(path), "") << "byte " << at;
  }
  store(file, content.substr(0, content.size() - 1));
  expectError(errorOf(path), "bytes but had");
  store(file, content);
  EXPECT_EQ(errorOf(path), "");
  fs::rename(file, path / "elsewhere");
  expectError(errorOf(path), "can't open");
  fs::create_symlink("elsewhere", file);
  expectError(errorOf(path), "is a link");
}

TEST(Damaged, FilesAreOfItsFolder) {
  for (const char *name : {"../x", "/etc/passwd", "", ".", "..", "a/b"}) {
    std::string error = errorWith(
        [&](Json &index) { index["files"][name] = index["files"]["rank-00000.safetensors"]; });
    expectError(error, "is no file of the checkpoint's folder");
  }
  expectError(errorWith([](Json &index) { index["variables"]["w"]["blocks"][0]["file"] = "../x"; }),
              "variable \"w\": block 0: its file \"../x\" is not among \"files\"");
}

TEST(Damaged, BlocksAreAllOfTheirVariableOnce) {
  auto ofBlock = [](auto change) {
    return errorWith([&](Json &index) { change(index["variables"]["w"]["blocks"]); });
  };
  expectError(ofBlock([](Json &blocks) { blocks.erase(1); }), "leave a part out along dim 0");
  expectError(ofBlock([](Json &blocks) { blocks.push_back(blocks[1]); }), "begin at [3, 0]");
  expectError(ofBlock([](Json &blocks) { blocks[1]["begin"] = {2, 0}; }), "overlap along dim 0");
  expectError(ofBlock([](Json &blocks) { blocks[1]["begin"] = {4, 0}; }),
              "it is 2 elements at 4 of dim 0, which has 5");
  expectError(ofBlock([](Json &blocks) { blocks[1]["extent"] = {0, 3}; }), "it is 0 elements");
  expectError(ofBlock([](Json &blocks) { blocks[1]["begin"] = {3}; }), "1 and 2 dims");
  expectError(ofBlock([](Json &blocks) { blocks[1]["begin"] = {-3, 0}; }), "list of sizes");
  expectError(ofBlock([](Json &blocks) { blocks[1]["sha256"].clear(); }), "has not the 1 hashes");
  expectError(ofBlock([](Json &blocks) { blocks[1]["sha256"][0] = "x"; }), "is no hash");
  expectError(ofBlock([](Json &blocks) { blocks[1]["tensor"] = "z"; }), "has no tensor \"z\"");
  expectError(ofBlock([](Json &blocks) { blocks.clear(); }), "leave a part out along dim 0");
}

TEST(Damaged, VariablesAreWhatTheFilesHold) {
  auto ofVariable = [](auto change) {
    return errorWith([&](Json &index) { change(index["variables"]["w"]); });
  };
  expectError(ofVariable([](Json &w) { w["dtype"] = "i32"; }),
              "is F32[3, 3] but the index says I32");
  expectError(ofVariable([](Json &w) { w["dtype"] = "f80"; }), "\"dtype\" is none");
  expectError(ofVariable([](Json &w) { w["role"] = "king"; }), "\"role\" is neither");
  expectError(ofVariable([](Json &w) { w["shape"] = {INT64_MAX, 3}; }), "no list of sizes");
  expectError(ofVariable([](Json &w) { w["shape"] = {int64_t(1) << 59, 3}; }), "too many");
  expectError(ofVariable([](Json &w) { w["shape"] = std::vector<int>(33, 1); }), "too many dims");
  expectError(ofVariable([](Json &w) { w = 3; }), "variable \"w\": its \"role\"");
  expectError(errorWith([](Json &index) { index["variables"].erase("w"); }),
              "has 2 tensors but the index says 1");
  expectError(errorWith([](Json &index) { index["files"].erase("rank-00001.safetensors"); }),
              "is not among \"files\"");
  expectError(errorWith([](Json &index) { index["files"]["rank-00001.safetensors"]["bytes"] = 1; }),
              "bytes but had 1");
}

TEST(Damaged, IndexIsOne) {
  expectError(errorWith([](Json &index) { index["version"] = 2; }), "\"version\" is not 1");
  expectError(errorWith([](Json &index) { index["format"] = "zip"; }), "no index of a checkpoint");
  expectError(errorWith([](Json &index) { index["step"] = -1; }), "no \"step\"");
  expectError(errorWith([](Json &index) { index["piece_bytes"] = 0; }), "no \"piece_bytes\"");
  expectError(errorWith([](Json &index) { index.erase("training"); }), "it lacks");
  expectError(errorWith([](Json &index) { index["mesh"] = {{{"name", "a"}}}; }), "no size");
  expectError(errorWith([](Json &index) { index = 1; }), "no index of a checkpoint");
  fs::path path = newCheckpoint();
  std::string text = textOf(path / indexName);
  std::string twice = text;
  twice.replace(twice.find("\"mesh\""), 6, "\"step\"");
  storeIndex(path, twice);
  expectError(errorOf(path), "the key \"step\" is there twice");
  storeIndex(path, text.substr(0, text.size() / 2));
  expectError(errorOf(path), "it is no JSON");
}

/// Whatever is in it, an index is read or refused.
TEST(Damaged, AnyBytesAreReadOrRefused) {
  fs::path path = newCheckpoint();
  std::string text = textOf(path / indexName);
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::string changed = text;
    for (size_t change = 0; change <= random() % 3; ++change)
      changed[random() % changed.size()] = "0123456789\"{}[],:-ex\0"[random() % 21];
    Result<CheckpointIndex> index = parseIndex(bytesOf(changed));
    if (index.isOk())
      (void)checkBlocks(*index).isOk();
  }
}

TEST(Damaged, FoldersOfOtherNamesAreNoCheckpoints) {
  fs::path series = newFolder("series");
  for (const char *name :
       {"step-1", "step-", "step-000001x", "step-0000010", "step--00001", "step-000001.partial-",
        "step-000001.partial-../x", "Step-000001", "step-99999999999999999999", "step-000001.old"})
    fs::create_directories(series / name);
  fs::create_directories(series / "elsewhere");
  fs::create_directory_symlink("elsewhere", series / "step-000002");
  store(series / "step-000003", "a file");
  auto entries = readSeries(series);
  ASSERT_TRUE(entries.isOk());
  EXPECT_TRUE(entries->empty()) << entries->front().path;
  EXPECT_TRUE(cleanSeries(series).isOk());
  EXPECT_TRUE(fs::exists(series / "step-1"));
}

/// Only what a save writes is removed with it.
TEST(Damaged, FilesOfOthersStay) {
  fs::path series = newFolder("foreign");
  fs::create_directories(series / "step-000001.partial-00ff");
  store(series / "step-000001.partial-00ff" / rankFileName(0), "x");
  store(series / "step-000001.partial-00ff" / "notes.txt", "mine");
  ASSERT_TRUE(cleanSeries(series).isOk());
  EXPECT_FALSE(fs::exists(series / "step-000001.partial-00ff" / rankFileName(0)));
  EXPECT_TRUE(fs::exists(series / "step-000001.partial-00ff" / "notes.txt"));
}

} // namespace
} // namespace sheaf::rt::io
