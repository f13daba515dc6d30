// Operators that are known and refused, with the reason.
#include "importers/onnx/node.h"

namespace sheaf::onnx {
namespace {

void refuseDataDependent(Node &n) { n.fail("the size of its result depends on data"); }
void refuseSequence(Node &n) { n.fail("sequences and optionals are not supported"); }
void refuseString(Node &n) { n.fail("strings are not supported"); }
void refuse(Node &n) { n.fail("not supported"); }

} // namespace

void registerRefused(OpTable &table) {
  for (llvm::StringRef op : {"NonMaxSuppression", "Unique"})
    table.add(op, refuseDataDependent);
  for (llvm::StringRef op :
       {"ConcatFromSequence", "Optional", "OptionalGetElement", "OptionalHasElement", "SequenceAt",
        "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength",
        "SequenceMap", "SplitToSequence"})
    table.add(op, refuseSequence);
  for (llvm::StringRef op :
       {"RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit", "TfIdfVectorizer"})
    table.add(op, refuseString);
  table.addTo("ai.onnx.preview.training", "Gradient", refuse);
  for (llvm::StringRef op :
       {"BitCast", "DeformConv", "Det", "ImageDecoder", "MaxRoiPool", "Multinomial"})
    table.add(op, refuse);
}

} // namespace sheaf::onnx
