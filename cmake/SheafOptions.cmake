# Compile and link flags, the same for every target of a side so that ccache can share objects.
#
# There are two sides. The compiler side (dialects, importers, passes and most tools) links MLIR and,
# like LLVM, uses neither RTTI nor exceptions. The runtime side (runtime/, tools/shard-run, tools/shard-ckpt) never
# sees an MLIR header.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(SHEAF_WERROR "Turn warnings into errors" OFF)
set(SHEAF_SANITIZE "" CACHE STRING "Sanitizers to build with, such as address,undefined or thread")
option(SHEAF_FUZZ "Build the libFuzzer targets (Clang only)" OFF)

# Dev and Debug keep assertions: neither defines NDEBUG, though the MLIR packages were built with it.
set(CMAKE_CXX_FLAGS_DEV "-O1")
set(CMAKE_C_FLAGS_DEV "-O1")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache asks for before it caches with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

add_library(sheaf.flags INTERFACE)
target_include_directories(sheaf.flags INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
target_compile_options(sheaf.flags INTERFACE -Wall -Wextra -Wno-unused-parameter)
if(SHEAF_WERROR)
  target_compile_options(sheaf.flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(sheaf.flags INTERFACE -fcolor-diagnostics)
  target_link_options(sheaf.flags INTERFACE -fuse-ld=lld)
endif()
if(SHEAF_SANITIZE)
  # The packages are not instrumented: no type checks by vtable across the border.
  target_compile_options(sheaf.flags INTERFACE
    -fsanitize=${SHEAF_SANITIZE} -fno-omit-frame-pointer -gline-tables-only)
  if(SHEAF_SANITIZE MATCHES "undefined")
    target_compile_options(sheaf.flags INTERFACE -fno-sanitize=vptr -fno-sanitize-recover=undefined)
  endif()
  target_link_options(sheaf.flags INTERFACE -fsanitize=${SHEAF_SANITIZE})
endif()
if(SHEAF_FUZZ)
  target_compile_options(sheaf.flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

add_library(sheaf.compiler INTERFACE)
target_link_libraries(sheaf.compiler INTERFACE sheaf.flags)
target_compile_options(sheaf.compiler INTERFACE -fno-rtti -fno-exceptions)

add_library(sheaf.runtime INTERFACE)
target_link_libraries(sheaf.runtime INTERFACE sheaf.flags)

# Libraries of the runtime are fast in every build but Debug; tests and tools are quick to build.
add_library(sheaf.optimized INTERFACE)
target_compile_options(sheaf.optimized INTERFACE $<$<CONFIG:Dev>:-O3>)
