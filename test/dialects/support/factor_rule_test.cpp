// Factor rules: printing is the inverse of parsing, kinds, sizes, and where errors are.
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
  for (llvm::StringRef text :
       {"mk,kn->mn", "(ij)->ij", "ab->(ab)", "bs->bs replicate s",
        "xyz->xyz permute xy replicate z", "a_,.->a", "->ab", "ab->", ".->.", "->",
        "mk,kn->mn reduce k", "_->_", "aB(cD)->a", "as->a reduce_max s", "as->a reduce_min s",
        "bs->bs,b reduce s", "(ij)->ij size i=2,j=3", "ab->a replicate b size b=12"}) {
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

TEST(FactorRule, ReductionsAreSumsUnlessStated) {
  FactorRule rule = llvm::cantFail(FactorRule::parse("abcd->a reduce_max c reduce_min d"));
  EXPECT_EQ(rule.kindOf('b'), FactorKind::reduction);
  EXPECT_EQ(rule.kindOf('c'), FactorKind::reductionMax);
  EXPECT_EQ(rule.kindOf('d'), FactorKind::reductionMin);
  for (char factor : {'b', 'c', 'd'})
    EXPECT_TRUE(isReduction(rule.kindOf(factor))) << factor;
  EXPECT_FALSE(isReduction(rule.kindOf('a')));
  EXPECT_FALSE(isReduction(FactorKind::needReplication));
  EXPECT_FALSE(isReduction(FactorKind::permutation));
}

TEST(FactorRule, ReductionsPassThroughResultsThatHoldThem) {
  FactorRule rule = llvm::cantFail(FactorRule::parse("bs->bs,b reduce s"));
  EXPECT_EQ(rule.kindOf('s'), FactorKind::reduction);
  EXPECT_TRUE(rule.isInAllResults('b'));
  EXPECT_TRUE(rule.isInResult('s'));
  EXPECT_FALSE(rule.isInAllResults('s'));
}

TEST(FactorRule, SizesAreExtentsOfDimsUnlessStated) {
  FactorRule rule = llvm::cantFail(FactorRule::parse("(ij)k,m->ik permute k size j=3,m=5"));
  int64_t split[] = {6, 8}, vector[] = {7}, result[] = {2, 4};
  llvm::ArrayRef<int64_t> operands[] = {split, vector}, results[] = {result};
  EXPECT_EQ(rule.sizeOf('i', operands, results), 2);
  EXPECT_EQ(rule.sizeOf('j', operands, results), 3); // In no dim alone.
  EXPECT_EQ(rule.sizeOf('k', operands, results), 4); // Results come first.
  EXPECT_EQ(rule.sizeOf('m', operands, results), 5); // What is stated comes before.
}

std::string misfitOf(llvm::StringRef text, FactorRule::Shapes operands,
                     FactorRule::Shapes results) {
  llvm::Error error = llvm::cantFail(FactorRule::parse(text)).check(operands, results);
  return error ? llvm::toString(std::move(error)) : "fits";
}

TEST(FactorRule, ChecksThatItFitsTheShapes) {
  int64_t operand[] = {6, 8}, result[] = {2, 3, 8};
  llvm::ArrayRef<int64_t> operands[] = {operand}, results[] = {result};
  EXPECT_EQ(misfitOf("(ij)k->ijk", operands, results), "fits");
  EXPECT_EQ(misfitOf("(ij)_->ij_", operands, results), "fits");
  EXPECT_EQ(misfitOf("(ij)k->ijm replicate km", operands, results), "fits");
  EXPECT_EQ(misfitOf("(ij)k,a->ijk", operands, results), "has 2 operands for 1");
  EXPECT_EQ(misfitOf("(ij)k->", operands, results), "has 0 results for 1");
  EXPECT_EQ(misfitOf("ijk->ijk", operands, results), "has 3 dims of operand 0, which has rank 2");
  EXPECT_EQ(misfitOf("(ij)k->ik", operands, results), "has 2 dims of result 0, which has rank 3");
  EXPECT_EQ(misfitOf("(ij)k->i_k replicate j", operands, results),
            "does not tell the size of factor 'j'");
  for (llvm::StringRef size : {"2", "4", "9223372036854775807"})
    EXPECT_EQ(misfitOf(("(ij)k->i_k replicate j size j=" + size).str(), operands, results),
              "has the factors (ij), which do not multiply to an extent of 6");
  EXPECT_EQ(misfitOf("_k->__k size k=5", operands, results), "fits"); // Any extent, but alone.
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
  EXPECT_THAT(errorOf("a->a reduce a"),
              HasSubstr("is in every result and so no reduction at position 12"));
  EXPECT_THAT(errorOf("a->a reduce_sum a"), HasSubstr("' reduce_min ' or ' size ' at position 4"));
  EXPECT_THAT(errorOf("a->a size "), HasSubstr("expected a factor (a letter) at position 10"));
  EXPECT_THAT(errorOf("a->a size b=2"), HasSubstr("factor 'b' is in no tensor at position 10"));
  EXPECT_THAT(errorOf("a->a size a=2,a=3"), HasSubstr("factor 'a' has two sizes at position 14"));
  for (llvm::StringRef text : {"a->a size a", "a->a size a=", "a->a size a=0", "a->a size a=-1",
                               "a->a size a=9223372036854775808"})
    EXPECT_THAT(errorOf(text), HasSubstr("expected '=' and a positive size at position 11"));
}

} // namespace
