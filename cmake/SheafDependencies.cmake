# Finds what Sheaf is built on. `./dev deps` installs all of it.

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(AddLLVM)
include(AddMLIR)
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")

# Both shared libraries: MLIR alone leaves LLVM's symbols to chance.
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_include_directories(sheaf.compiler SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(sheaf.compiler INTERFACE ${llvm_definitions})
target_link_libraries(sheaf.compiler INTERFACE MLIR LLVM)

# The linker as a library, for generated kernels.
find_package(LLD REQUIRED CONFIG HINTS "${LLVM_LIBRARY_DIR}/cmake/lld" NO_DEFAULT_PATH)

find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)
find_package(FlatBuffers REQUIRED CONFIG NAMES flatbuffers FlatBuffers)
find_package(GTest REQUIRED CONFIG)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(MPI REQUIRED COMPONENTS C)
find_package(CLI11 REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_program(SHEAF_FLATC flatc REQUIRED)
find_library(SHEAF_MINIZIP minizip REQUIRED)

# The CUDA toolkit's headers, where they are; nothing links its libraries. Device code is compiled by Clang.
find_package(CUDAToolkit QUIET)
find_path(SHEAF_CUDA_INCLUDE cuda_runtime_api.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
find_path(SHEAF_CUBLASLT_INCLUDE cublasLt.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
find_path(SHEAF_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
find_path(SHEAF_CUDNN_INCLUDE cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
find_program(SHEAF_CLANGXX clang++-22)
if(SHEAF_CUDA_INCLUDE AND SHEAF_CUBLASLT_INCLUDE AND SHEAF_CLANGXX)
  set(SHEAF_HAS_CUDA ON)
  add_library(sheaf.cuda_headers INTERFACE)
  target_include_directories(sheaf.cuda_headers SYSTEM INTERFACE
    "${SHEAF_CUDA_INCLUDE}" "${SHEAF_CUBLASLT_INCLUDE}")
  foreach(include IN ITEMS ${SHEAF_NCCL_INCLUDE} ${SHEAF_CUDNN_INCLUDE})
    if(include)
      target_include_directories(sheaf.cuda_headers SYSTEM INTERFACE "${include}")
    endif()
  endforeach()
else()
  set(SHEAF_HAS_CUDA OFF)
  message(STATUS "No headers of the CUDA toolkit: executables for GPUs will not run")
endif()

# Debian's oneDNN package asks for OpenCL, which the host engine does not use; so no find_package.
find_library(DNNL_LIBRARY dnnl REQUIRED)
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp REQUIRED)
add_library(DNNL::dnnl SHARED IMPORTED)
set_target_properties(DNNL::dnnl PROPERTIES
  IMPORTED_LOCATION "${DNNL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${DNNL_INCLUDE_DIR}")

# Python packages live in a virtual environment that `./dev deps` makes; build folders share it.
set(SHEAF_VENV "${PROJECT_SOURCE_DIR}/build/venv" CACHE PATH "Virtual environment with lit and onnx")
find_program(SHEAF_PYTHON python NAMES python3 HINTS "${SHEAF_VENV}/bin" NO_DEFAULT_PATH)
file(GLOB venv_onnx "${SHEAF_VENV}/lib/python3*/site-packages/onnx")
find_file(SHEAF_ONNX_PROTO onnx.proto PATHS ${venv_onnx} NO_DEFAULT_PATH
  DOC "onnx.proto of the pinned onnx package")
if(NOT SHEAF_PYTHON OR NOT SHEAF_ONNX_PROTO)
  message(FATAL_ERROR
    "no Python with onnx in ${SHEAF_VENV}; run ./dev deps, or name another with -DSHEAF_VENV=<folder>")
endif()
