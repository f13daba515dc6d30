// Fingerprints: what they see.
#include "runtime/core/fingerprint.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace sheaf::rt {
namespace {

uint64_t ofTexts(std::initializer_list<std::string_view> texts) {
  Fingerprint print;
  for (std::string_view text : texts)
    print.add(text);
  return print.value();
}

TEST(Fingerprint, SeesOrderAndBorders) {
  using std::string_view;
  std::set<uint64_t> values = {ofTexts({"a", "b"}),
                               ofTexts({"b", "a"}),
                               ofTexts({"ab"}),
                               ofTexts({"ab", ""}),
                               ofTexts({"", "ab"}),
                               ofTexts({string_view("ab\0", 3)}),
                               ofTexts({string_view("\0ab", 3)})};
  EXPECT_EQ(values.size(), 7u);
}

TEST(Fingerprint, SamplesWhatIsLong) {
  auto ofSample = [](const std::vector<std::byte> &bytes) {
    Fingerprint print;
    print.addSample(bytes, 1 << 16);
    return print.value();
  };
  for (size_t size : {1u, 7u, 8u, 1u << 16, (1u << 16) + 1, 1000003u}) {
    std::vector<std::byte> bytes(size);
    uint64_t before = ofSample(bytes);
    EXPECT_EQ(ofSample(bytes), before);
    bytes.back() = std::byte(1);
    EXPECT_NE(ofSample(bytes), before) << size;
    bytes.back() = std::byte(0);
    bytes.front() = std::byte(1);
    EXPECT_NE(ofSample(bytes), before) << size;
    bytes.front() = std::byte(0);
    bytes.push_back(std::byte(0));
    EXPECT_NE(ofSample(bytes), before) << size;
  }
}

} // namespace
} // namespace sheaf::rt
