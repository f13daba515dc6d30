// Weights in safetensors files: what the format allows is read, all else is refused.
#include "runtime/io/weight_files.h"
#include "test/runtime/process_folder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <random>

namespace sheaf::rt::io {
namespace {

using abi::ElementType;

std::string fileOf(const std::string &header, const std::string &data) {
  std::string file;
  for (int i = 0; i < 8; ++i)
    file += static_cast<char>(header.size() >> (8 * i));
  return file + header + data;
}

std::string tensor(const std::string &name, const std::string &dtype, const std::string &shape,
                   size_t begin, size_t end) {
  return "\"" + name + "\": {\"dtype\": \"" + dtype + "\", \"shape\": " + shape +
         ", \"data_offsets\": [" + std::to_string(begin) + ", " + std::to_string(end) + "]}";
}

std::filesystem::path store(const std::string &name, const std::string &content) {
  std::filesystem::path path = test::processFolder() / name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string errorOf(const std::string &content) {
  auto tensors =
      parseSafetensors({reinterpret_cast<const std::byte *>(content.data()), content.size()});
  return tensors.isOk() ? "" : std::string(tensors.takeStatus().text());
}

void expectError(const std::string &error, const std::string &part) {
  EXPECT_NE(error.find(part), std::string::npos) << "got: " << error << "\nwanted: " << part;
}

const std::string valid = fileOf(
    "{\"__metadata__\": {\"format\": \"pt\"}, " + tensor("a", "F32", "[1, 2]", 0, 8) + ", " +
        tensor("b", "BF16", "[]", 8, 10) + ", " + tensor("none", "I64", "[0, 3]", 10, 10) + "}  ",
    "12345678xy");

BufferShape shapeOf(ElementType type, std::vector<int64_t> dims) { return {type, dims, {}}; }

TEST(WeightFiles, FindsTensorsByName) {
  auto weights = WeightFiles::open(store("model.safetensors", valid));
  ASSERT_TRUE(weights.isOk()) << weights.takeStatus().text();
  auto a = (*weights)->find("a", shapeOf(ElementType::f32, {1, 2}));
  ASSERT_TRUE(a.isOk() && a->has_value());
  EXPECT_EQ(std::string(reinterpret_cast<const char *>((*a)->bytes.data()), 8), "12345678");
  EXPECT_EQ((*(*weights)->find("b", shapeOf(ElementType::bf16, {})))->bytes.size(), 2u);
  EXPECT_TRUE((*(*weights)->find("none", shapeOf(ElementType::i64, {0, 3})))->bytes.empty());
  EXPECT_FALSE((*weights)->find("c", shapeOf(ElementType::f32, {}))->has_value());
  expectError(
      std::string((*weights)->find("a", shapeOf(ElementType::f32, {2})).takeStatus().text()),
      "has it as F32[1, 2] but f32[2] is wanted");
  expectError(std::string((*weights)->find("b", shapeOf(ElementType::f16, {})).takeStatus().text()),
              "has it as BF16[] but f16[] is wanted");
}

TEST(WeightFiles, RefusesHeadersThatDoNotHoldTogether) {
  EXPECT_EQ(errorOf(valid), "");
  EXPECT_EQ(errorOf(fileOf("{}", "")), "");
  expectError(errorOf("1234567"), "it has 7 bytes");
  expectError(errorOf(valid.substr(0, 40)), "cut short");
  expectError(errorOf(std::string(8, '\xff') + "{}"), "would have 18446744073709551615 bytes");
  expectError(errorOf(fileOf("[]", "")), "no JSON object");
  expectError(errorOf(fileOf("{", "")), "no JSON");
  expectError(errorOf(fileOf(std::string(1000, '['), "")), "nested too deep");
  std::string a = tensor("a", "F32", "[2]", 0, 8);
  expectError(errorOf(fileOf("{" + a + "," + a + "}", "12345678")), "\"a\" is there twice");
  expectError(errorOf(fileOf("{" + a + "}", "1234567")), "not within the 7");
  expectError(errorOf(fileOf("{" + a + "}", "123456789")),
              "end at byte 8 of the data, which has 9");
  expectError(errorOf(fileOf("{" + a + "," + tensor("b", "F32", "[1]", 4, 8) + "}", "12345678")),
              "begins at byte 4 of the data but the one before it ends at 8");
  expectError(errorOf(fileOf("{" + tensor("a", "F32", "[1]", 4, 8) + "}", "12345678")),
              "begins at byte 4");
  expectError(errorOf(fileOf("{" + tensor("a", "F32", "[3]", 0, 8) + "}", "12345678")),
              "not what its shape and dtype F32 need");
  expectError(errorOf(fileOf("{" + tensor("a", "F99", "[2]", 0, 8) + "}", "12345678")), "\"F99\"");
  expectError(errorOf(fileOf("{" + tensor("a", "F32", "[4294967296, 4294967296]", 0, 0) + "}", "")),
              "not what its shape");
  for (const char *shape : {"[-2]", "[2.0]", "[\"2\"]", "2", "[99999999999999999999]", "null"})
    expectError(errorOf(fileOf("{" + tensor("a", "F32", shape, 0, 8) + "}", "12345678")),
                "must be a list of sizes");
  for (const char *entry : {"1", "{}", R"({"dtype": "F32", "shape": [2]})",
                            R"({"dtype": 1, "shape": [2], "data_offsets": [0, 8]})",
                            R"({"dtype": "F32", "shape": [2], "data_offsets": [0, 8], "x": 1})"})
    expectError(errorOf(fileOf(std::string("{\"a\": ") + entry + "}", "12345678")),
                "must have dtype, shape and data_offsets");
}

TEST(WeightFiles, SurvivesDamageToAnyByte) {
  std::mt19937 random(5);
  for (size_t at = 0; at < valid.size(); ++at) {
    for (int round = 0; round < 8; ++round) {
      std::string damaged = valid;
      damaged[at] = static_cast<char>(random());
      (void)errorOf(damaged);
    }
    EXPECT_NE(errorOf(valid.substr(0, at)), "");
  }
}

TEST(WeightFiles, FollowsAnIndexWithinItsFolder) {
  store("one.safetensors", fileOf("{" + tensor("a", "U8", "[1]", 0, 1) + "}", "1"));
  store("two.safetensors", fileOf("{" + tensor("b", "U8", "[1]", 0, 1) + "}", "2"));
  auto open = [](const std::string &map) {
    auto weights = WeightFiles::open(store("model.index.json", map));
    return weights.isOk() ? std::to_string((*weights)->names().size())
                          : std::string(weights.takeStatus().text());
  };
  EXPECT_EQ(open(R"({"metadata": {"total_size": 2}, "weight_map":
                 {"a": "one.safetensors", "b": "two.safetensors"}})"),
            "2");
  expectError(open(R"({"weight_map": {"b": "one.safetensors"}})"), "has no tensor \"b\"");
  expectError(open(R"({"weight_map": {"a": "three.safetensors"}})"), "can't open");
  expectError(open(R"({"weight_map": {"a": "../one.safetensors"}})"),
              "no file of the index's folder");
  expectError(open(R"({"weight_map": {"a": 1}})"), "has no file");
  expectError(open("{}"), "no \"weight_map\"");
  expectError(open("[]"), "no \"weight_map\"");
}

} // namespace
} // namespace sheaf::rt::io
