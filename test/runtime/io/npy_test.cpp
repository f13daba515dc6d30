// .npy files: what NumPy writes is read, what is damaged is refused.
#include "runtime/io/npy.h"
#include "test/runtime/process_folder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <random>

namespace sheaf::rt::io {
namespace {

std::span<const std::byte> spanOf(const std::string &text) {
  return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
}

std::string fileOf(const std::string &dict, int version = 1) {
  std::string file = "\x93NUMPY";
  file += {static_cast<char>(version), '\0'};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += static_cast<char>(dict.size() >> (8 * i));
  return file + dict;
}

NpyHeader parse(const std::string &file) {
  Result<NpyHeader> header = parseNpyHeader(spanOf(file));
  EXPECT_TRUE(header.isOk()) << file;
  return header.isOk() ? *header : NpyHeader();
}

std::filesystem::path store(const std::string &content) {
  std::filesystem::path path = test::processFolder() / "array.npy";
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string openError(const std::string &content) {
  Result<NpyArray> array = NpyArray::open(store(content));
  return array.isOk() ? "" : std::string(array.takeStatus().text());
}

TEST(Npy, ReadsEveryVersionAndSpelling) {
  for (int version : {1, 2, 3}) {
    NpyHeader header =
        parse(fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  \n", version));
    EXPECT_EQ(header.descr, "<f4");
    EXPECT_EQ(header.dims, (std::vector<int64_t>{3, 4}));
  }
  EXPECT_EQ(parse(fileOf("{\"shape\": (5,), \"descr\": \"|u1\", \"fortran_order\": True}")).dims,
            std::vector<int64_t>{5});
  EXPECT_EQ(parse(fileOf("{'descr':'<i8','fortran_order':False,'shape':()}")).dims,
            std::vector<int64_t>{});
  EXPECT_EQ(parse(fileOf("{'descr': '<i8', 'fortran_order': False, 'shape': (2L, 3L), }")).dims,
            (std::vector<int64_t>{2, 3}));
}

TEST(Npy, WritesWhatItReads) {
  for (int type = 0; type <= static_cast<int>(abi::ElementType::MAX); ++type)
    for (const std::vector<int64_t> &dims :
         {std::vector<int64_t>{}, {7}, {2, 0, 3}, std::vector<int64_t>(32, 1000000000)}) {
      std::string file = makeNpyHeader(static_cast<abi::ElementType>(type), dims);
      NpyHeader header = parse(file);
      EXPECT_EQ(header.dims, dims);
      EXPECT_EQ(header.descr, npyDescr(static_cast<abi::ElementType>(type)));
      EXPECT_EQ(header.dataOffset % 64, 0u);
      EXPECT_EQ(header.dataOffset, file.size());
    }
}

TEST(Npy, TakesTheDtypesOfMlDtypes) {
  auto holds = [](const char *descr, abi::ElementType type) {
    std::string bytes(descr[2] == '2' ? 2 : 1, '\0');
    Result<NpyArray> array = NpyArray::open(store(
        fileOf(std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (1,)}") +
        bytes));
    return array.isOk() && array->holds(type);
  };
  EXPECT_TRUE(holds("<u2", abi::ElementType::bf16));
  EXPECT_TRUE(holds("<V2", abi::ElementType::bf16));
  EXPECT_TRUE(holds("|V1", abi::ElementType::f8E4M3FN));
  EXPECT_TRUE(holds("|u1", abi::ElementType::f8E5M2));
  EXPECT_TRUE(holds("|i1", abi::ElementType::i4));
  EXPECT_TRUE(holds("|V1", abi::ElementType::i4));
  EXPECT_FALSE(holds("<f2", abi::ElementType::bf16));
  EXPECT_FALSE(holds("<V2", abi::ElementType::f16));
  EXPECT_FALSE(holds("<i2", abi::ElementType::ui16));
}

TEST(Npy, RefusesWhatItCannotRead) {
  auto refuses = [](const std::string &dict, const std::string &data, const char *why) {
    std::string error = openError(fileOf(dict) + data);
    EXPECT_NE(error.find(why), std::string::npos) << dict << ": " << error;
  };
  refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234567",
          "8 bytes of data but 7 follow");
  refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "123456789",
          "8 bytes of data but 9 follow");
  refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", "",
          "too many");
  refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "",
          "can't be understood");
  refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "", "can't be understood");
  refuses("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", "1234", "");
  refuses("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}", std::string(16, '0'),
          "Fortran order");
  refuses("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "1234",
          "\">f4\" is not supported");
  refuses("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "1234", "not supported");
  refuses("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234",
          "can't be understood");
  refuses("{'descr': '<f4', 'shape': (1,)}", "1234", "can't be understood");
  refuses("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "1234",
          "can't be understood");
  EXPECT_NE(openError("PK\x03\x04").find("not an .npy file"), std::string::npos);
  EXPECT_NE(openError("").find("not an .npy file"), std::string::npos);
  EXPECT_FALSE(NpyArray::open(test::processFolder()).isOk());
}

TEST(Npy, SurvivesDamage) {
  std::string file = fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }");
  std::mt19937 random(4);
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = file.substr(0, random() % (file.size() + 1));
    for (int i = 0; i < 3 && !damaged.empty(); ++i)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    (void)parseNpyHeader(spanOf(damaged)).isOk();
  }
}

} // namespace
} // namespace sheaf::rt::io
