# Precompiles MLIR's headers and the graph dialect once for the compiler side: a file that includes
# them compiles in a second instead of seven. Sources include what they use all the same; a build
# with SHEAF_PRECOMPILE=OFF, as the gcc preset is, proves it.

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  option(SHEAF_PRECOMPILE "Precompile headers of the compiler side" ON)
else()
  option(SHEAF_PRECOMPILE "Precompile headers of the compiler side" OFF)
endif()

if(SHEAF_PRECOMPILE)
  file(WRITE "${PROJECT_BINARY_DIR}/precompiled.cpp" "")
  add_library(sheaf.precompiled OBJECT "${PROJECT_BINARY_DIR}/precompiled.cpp")
  target_link_libraries(sheaf.precompiled PRIVATE sheaf.compiler)
  add_dependencies(sheaf.precompiled dialects.graph.generated dialects.interfaces.generated)
  target_precompile_headers(sheaf.precompiled PRIVATE
    <algorithm> <functional> <optional> <string> <vector>
    <llvm/ADT/StringMap.h> <llvm/ADT/TypeSwitch.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/IR/DialectImplementation.h> <mlir/IR/Matchers.h> <mlir/IR/OpImplementation.h>
    <mlir/IR/PatternMatch.h> <mlir/IR/SymbolTable.h>
    <mlir/Pass/Pass.h> <mlir/Transforms/GreedyPatternRewriteDriver.h>
    <dialects/graph/graph.h>)
  # A timestamp inside would make every rebuilt header a new one to ccache.
  target_compile_options(sheaf.compiler INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  # Clang forgets where a precompiled header suppressed warnings, so libstdc++'s own use of what it
  # deprecates (std::stable_sort's buffer) would be an error in ours. Other deprecations still warn.
  target_compile_options(sheaf.compiler INTERFACE -U__DEPRECATED)
endif()

# Lets a target of the compiler side use the precompiled headers. What generates or underlies them
# (dialects/support, dialects/interfaces) does not.
function(sheaf_precompile target folder)
  if(SHEAF_PRECOMPILE AND NOT folder MATCHES "^dialects/(support|interfaces)$")
    set_target_properties(${target} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM sheaf.precompiled)
    add_dependencies(${target} sheaf.precompiled)
  endif()
endfunction()
