// Factor rules: printing is the inverse of parsing, kinds, and where errors are.
#include "dialects/support/factor_rule.h"

#include "gmock/gmock.h"

using namespace sheaf;
using testing::HasSubstr;

namespace {

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<FactorRule> rule = FactorRule::parse(text);
  return rule ? "no error" : llvm::toString(rule.takeError());
}

TEST(FactorRule, PrintsWhatItParses) {
  for (llvm::StringRef text : {"mk,kn->mn", "(ij)->ij", "ab->(ab)", "bs->bs replicate s",
                               "xyz->xyz permute xy replicate z", "a_,.->a", "->ab", "ab->", ".->.",
                               "->", "mk,kn->mn reduce k", "_->_", "aB(cD)->a"}) {
    llvm::Expected<FactorRule> rule = FactorRule::parse(text);
    ASSERT_TRUE(bool(rule)) << text.str() << ": " << llvm::toString(rule.takeError());
    EXPECT_EQ(rule->str(), text);
  }
}

TEST(FactorRule, ReadsDimsMajorFirst) {
  FactorRule rule = llvm::cantFail(FactorRule::parse("(ij)_,.->ij"));
  ASSERT_EQ(rule.operands.size(), 2u);
  EXPECT_EQ(rule.operands[0], FactorRule::Tensor({{'i', 'j'}, {}}));
  EXPECT_TRUE(rule.operands[1].empty());
  EXPECT_EQ(rule.results[0], FactorRule::Tensor({{'i'}, {'j'}}));
}

TEST(FactorRule, KindsFollowFromTheResultsUnlessStated) {
  FactorRule rule = llvm::cantFail(FactorRule::parse("mks,kns->mns replicate s"));
  EXPECT_EQ(rule.kindOf('m'), FactorKind::passThrough);
  EXPECT_EQ(rule.kindOf('k'), FactorKind::reduction);
  EXPECT_EQ(rule.kindOf('s'), FactorKind::needReplication);
}

TEST(FactorRule, ErrorsNameThePosition) {
  EXPECT_THAT(errorOf(""), HasSubstr("expected '->' at position 0"));
  EXPECT_THAT(errorOf("ab"), HasSubstr("expected '->' at position 2"));
  EXPECT_THAT(errorOf("a1->a"), HasSubstr("expected a factor (a letter) at position 1"));
  EXPECT_THAT(errorOf("(ab->a"), HasSubstr("expected a factor (a letter) at position 3"));
  EXPECT_THAT(errorOf("()->a"), HasSubstr("expected a factor (a letter) at position 1"));
  EXPECT_THAT(errorOf("aa->a"), HasSubstr("factor 'a' is twice in one tensor at position 1"));
  EXPECT_THAT(errorOf("a->a shuffle a"), HasSubstr("expected ' replicate '"));
  EXPECT_THAT(errorOf("a->a permute b"), HasSubstr("factor 'b' is in no tensor at position 13"));
  EXPECT_THAT(errorOf("a->a permute aa"), HasSubstr("factor 'a' has two kinds"));
  EXPECT_THAT(errorOf("a->a permute "), HasSubstr("expected a factor (a letter) at position 13"));
}

} // namespace
