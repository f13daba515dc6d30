// Maps ONNX's element types to MLIR types.
#include "importers/onnx/element_type.h"

#include "importers/onnx/onnx.pb.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using ::onnx::TensorProto;

namespace sheaf::onnx {

Type elementType(MLIRContext *context, int32_t dataType) {
  auto integer = [&](unsigned width) -> Type { return IntegerType::get(context, width); };
  auto natural = [&](unsigned width) -> Type {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (dataType) {
  case TensorProto::FLOAT:
    return Float32Type::get(context);
  case TensorProto::DOUBLE:
    return Float64Type::get(context);
  case TensorProto::FLOAT16:
    return Float16Type::get(context);
  case TensorProto::BFLOAT16:
    return BFloat16Type::get(context);
  case TensorProto::FLOAT8E4M3FN:
    return Float8E4M3FNType::get(context);
  case TensorProto::FLOAT8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case TensorProto::FLOAT8E5M2:
    return Float8E5M2Type::get(context);
  case TensorProto::FLOAT8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case TensorProto::FLOAT8E8M0:
    return Float8E8M0FNUType::get(context);
  case TensorProto::FLOAT6E2M3:
    return Float6E2M3FNType::get(context);
  case TensorProto::FLOAT6E3M2:
    return Float6E3M2FNType::get(context);
  case TensorProto::FLOAT4E2M1:
    return Float4E2M1FNType::get(context);
  case TensorProto::BOOL:
    return integer(1);
  case TensorProto::INT2:
    return integer(2);
  case TensorProto::INT4:
    return integer(4);
  case TensorProto::INT8:
    return integer(8);
  case TensorProto::INT16:
    return integer(16);
  case TensorProto::INT32:
    return integer(32);
  case TensorProto::INT64:
    return integer(64);
  case TensorProto::UINT2:
    return natural(2);
  case TensorProto::UINT4:
    return natural(4);
  case TensorProto::UINT8:
    return natural(8);
  case TensorProto::UINT16:
    return natural(16);
  case TensorProto::UINT32:
    return natural(32);
  case TensorProto::UINT64:
    return natural(64);
  default:
    return {};
  }
}

std::string unknownTypeName(int32_t dataType) {
  switch (dataType) {
  case TensorProto::UNDEFINED:
    return "UNDEFINED";
  case TensorProto::STRING:
    return "STRING";
  case TensorProto::COMPLEX64:
    return "COMPLEX64";
  case TensorProto::COMPLEX128:
    return "COMPLEX128";
  default:
    return "type " + std::to_string(dataType);
  }
}

unsigned storedBits(Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  return bits == 1 ? 8 : bits;
}

} // namespace sheaf::onnx
