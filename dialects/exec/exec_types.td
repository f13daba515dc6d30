// The buffer: a typed view of memory.
#ifndef SHEAF_DIALECTS_EXEC_EXEC_TYPES
#define SHEAF_DIALECTS_EXEC_EXEC_TYPES

include "dialects/exec/exec_attrs.td"

def Exec_BufferType : TypeDef<ExecDialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "A typed view of memory";
  let description = [{
    Row-major unless `strides` (in elements; may be 0 or negative) or an opaque `packed` size is
    given; in device memory unless a space is. Strides that do not matter are written as those of
    the row-major buffer, so equal views have equal types.
    (C1) extents are not negative and the bytes of the buffer are at most 2^60.
    (C2) there is one stride per dim.
    (C3) `strides` and `packed` exclude each other.
    ```mlir
    !exec.buffer<4x8xf32>
    !exec.buffer<8x4xf32, strides = [1, 8]>
    !exec.buffer<768x768xf32, packed = 2359296>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
      ArrayRefParameter<"int64_t">:$givenStrides, "int64_t":$packedBytes,
      "::sheaf::exec::Space":$space);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape,
        "::mlir::Type":$elementType, CArg<"::llvm::ArrayRef<int64_t>", "{}">:$strides), [{
      return $_get(elementType.getContext(), shape, elementType, canonicalStrides(shape, strides),
                   /*packedBytes=*/0, Space::device);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// `strides`, or none when they walk the elements as the row-major buffer does.
    static ::llvm::SmallVector<int64_t> canonicalStrides(::llvm::ArrayRef<int64_t> shape,
        ::llvm::ArrayRef<int64_t> strides);
    /// The buffer that holds a tensor: plain, or as the tensor's encoding says.
    static BufferType of(::mlir::RankedTensorType tensor);

    int64_t getRank() const { return getShape().size(); }
    int64_t getNumElements() const;
    /// Bytes of one element in memory; 2- and 4-bit types take a whole byte.
    int64_t getElementBytes() const;
    /// Bytes of memory for the whole of a plain or packed buffer.
    int64_t getBytes() const;
    /// Elements per dim; those of the row-major buffer where none are given.
    ::llvm::SmallVector<int64_t> getStrides() const;
    /// Neither strided nor packed.
    bool isPlain() const;
    /// In a layout of the library's choice: strides mean nothing.
    bool isPacked() const { return getPackedBytes() > 0; }
  }];
}

#endif
