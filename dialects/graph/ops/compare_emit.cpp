// Vector code of graph.compare and graph.select.
#include "dialects/graph/graph.h"

using namespace mlir;
using namespace sheaf;
using namespace sheaf::graph;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

/// Ordered, but `ne`, which is true of NaN.
static CmpFPredicate floatPredicate(CompareKind kind) {
  switch (kind) {
  case CompareKind::eq:
    return CmpFPredicate::OEQ;
  case CompareKind::ne:
    return CmpFPredicate::UNE;
  case CompareKind::lt:
    return CmpFPredicate::OLT;
  case CompareKind::le:
    return CmpFPredicate::OLE;
  case CompareKind::gt:
    return CmpFPredicate::OGT;
  case CompareKind::ge:
    return CmpFPredicate::OGE;
  }
  llvm_unreachable("unknown comparison");
}

static CmpIPredicate integerPredicate(CompareKind kind, bool isUnsigned) {
  switch (kind) {
  case CompareKind::eq:
    return CmpIPredicate::eq;
  case CompareKind::ne:
    return CmpIPredicate::ne;
  case CompareKind::lt:
    return isUnsigned ? CmpIPredicate::ult : CmpIPredicate::slt;
  case CompareKind::le:
    return isUnsigned ? CmpIPredicate::ule : CmpIPredicate::sle;
  case CompareKind::gt:
    return isUnsigned ? CmpIPredicate::ugt : CmpIPredicate::sgt;
  case CompareKind::ge:
    return isUnsigned ? CmpIPredicate::uge : CmpIPredicate::sge;
  }
  llvm_unreachable("unknown comparison");
}

Value CompareOp::emit(Emitter &emitter, ValueRange operands) {
  Type element = getElementTypeOrSelf(getLhs());
  if (isa<FloatType>(element))
    return emitter.compare(floatPredicate(getKind()), operands[0], operands[1]);
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  return emitter.compare(integerPredicate(getKind(), isUnsigned), operands[0], operands[1]);
}

Value SelectOp::emit(Emitter &emitter, ValueRange operands) {
  return emitter.select(operands[0], operands[1], operands[2]);
}
