# A folder is a library is a glob: a new file edits no CMake file.
#
# Targets carry the name of their folder, dots for slashes: `dialects/graph` is `dialects.graph`.
# DEPENDS names folders of ours, LIBRARIES names libraries of others. Both are public.

# sheaf_library([DEPENDS folder...] [LIBRARIES library...] [GENERATED file...] [EXCLUDE regex])
#
# Builds every .cpp in and below the current folder but tests and what matches EXCLUDE, and the generated sources. Other
# libraries may include the generated headers by path once they depend on this one.
function(sheaf_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "EXCLUDE" "DEPENDS;LIBRARIES;GENERATED")
  _sheaf_check_arguments(sheaf_library)
  _sheaf_folder(folder target side)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCLUDE}")
  endif()
  set(generated_sources ${arg_GENERATED})
  list(FILTER generated_sources INCLUDE REGEX "\\.(cpp|cc|c)$")
  if(sources OR generated_sources)
    add_library(${target} STATIC ${sources} ${generated_sources})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME "sheaf.${target}")
    set(visibility PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(visibility INTERFACE)
  endif()
  if(visibility STREQUAL "PUBLIC")
    if(side STREQUAL "sheaf.compiler")
      target_link_libraries(${target} PRIVATE sheaf.compiler)
      sheaf_precompile(${target} "${folder}")
    else()
      target_link_libraries(${target} PRIVATE sheaf.optimized sheaf.runtime)
    endif()
  endif()
  _sheaf_link(${target} ${visibility})
  if(arg_GENERATED)
    add_custom_target(${target}.generated DEPENDS ${arg_GENERATED})
    add_dependencies(${target} ${target}.generated)
  endif()
endfunction()

# sheaf_tool([DEPENDS ...] [LIBRARIES ...]): build/bin/<name of the folder>.
function(sheaf_tool)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "DEPENDS;LIBRARIES")
  _sheaf_check_arguments(sheaf_tool)
  _sheaf_folder(folder target side)
  get_filename_component(name "${folder}" NAME)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  _sheaf_executable(${name} bin "${folder}" ${sources})
endfunction()

# sheaf_benchmark([DEPENDS ...] [LIBRARIES ...]): build/bench/<name of the folder>_bench.
function(sheaf_benchmark)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "DEPENDS;LIBRARIES")
  _sheaf_check_arguments(sheaf_benchmark)
  _sheaf_folder(folder target side)
  get_filename_component(name "${folder}" NAME)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  _sheaf_executable(${name}_bench bench "${folder}" ${sources})
endfunction()

# sheaf_unit_test(<folder> [DEPENDS ...] [LIBRARIES ...])
#
# A GoogleTest binary of the files test/<folder>/*_test.cpp, which tests the library that <folder> is or
# lies in.
function(sheaf_unit_test folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;LIBRARIES")
  _sheaf_check_arguments(sheaf_unit_test)
  string(REPLACE "/" "." target "${folder}")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/test/${folder}/*_test.cpp")
  set_property(GLOBAL APPEND PROPERTY SHEAF_UNIT_TESTS ${target}_test)
  set(library "${target}")
  if(TARGET test.${target})
    set(library test.${target}) # what lies in test/ itself, such as the stand-ins
  endif()
  while(NOT TARGET ${library} AND library MATCHES "(.+)\\.[^.]+")
    set(library "${CMAKE_MATCH_1}")
  endwhile()
  string(REPLACE "." "/" library "${library}")
  list(PREPEND arg_DEPENDS "${library}")
  list(APPEND arg_LIBRARIES GTest::gmock GTest::gtest_main)
  _sheaf_executable(${target}_test test/unit "${folder}" ${sources})
endfunction()

# sheaf_fuzz_test(<name> [DEPENDS ...] [LIBRARIES ...])
#
# A libFuzzer binary of test/fuzz/<name>_fuzz.cpp, which tests the first library of DEPENDS, for fuzz
# builds only. Its seeds lie in test/fuzz/<name>/ and its dictionary, if any, is
# test/fuzz/<name>.dict.
function(sheaf_fuzz_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;LIBRARIES")
  _sheaf_check_arguments(sheaf_fuzz_test)
  list(GET arg_DEPENDS 0 folder)
  _sheaf_executable(${name}_fuzz test/fuzz "${folder}"
    "${PROJECT_SOURCE_DIR}/test/fuzz/${name}_fuzz.cpp")
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${name}_fuzz)
endfunction()

# build/<output>/<target>, of the side that `folder` is on; links the caller's arg_DEPENDS and
# arg_LIBRARIES.
macro(_sheaf_executable target output folder)
  add_executable(${target} ${ARGN})
  # -fPIC as in libraries, not the -fPIE of executables: precompiled headers are for one of them.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${output}")
  target_compile_options(${target} PRIVATE -fPIC)
  _sheaf_side("${folder}" side)
  target_link_libraries(${target} PRIVATE ${side})
  if(side STREQUAL "sheaf.compiler")
    sheaf_precompile(${target} "${folder}")
  endif()
  _sheaf_link(${target} PRIVATE)
endmacro()

# Sets the current folder's path below the repository, its target and its side. The flags of a side
# are linked privately, so that a compiler library may depend on runtime/abi.
macro(_sheaf_folder folder target side)
  file(RELATIVE_PATH ${folder} "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  string(REPLACE "/" "." ${target} "${${folder}}")
  _sheaf_side("${${folder}}" ${side})
endmacro()

function(_sheaf_side folder result)
  if(folder MATCHES "^(runtime/|tools/shard-(run|ckpt)$|bench/collectives$|(test/)?standin/)")
    set(${result} sheaf.runtime PARENT_SCOPE)
  else()
    set(${result} sheaf.compiler PARENT_SCOPE)
  endif()
endfunction()

# Links `target` with the caller's arg_DEPENDS and arg_LIBRARIES.
macro(_sheaf_link target visibility)
  foreach(dependency IN LISTS arg_DEPENDS)
    string(REPLACE "/" "." library "${dependency}")
    if(NOT TARGET ${library})
      message(FATAL_ERROR "${target}: DEPENDS names ${dependency}, which is no library; folders come "
        "after those they depend on in the list of the main CMakeLists.txt")
    endif()
    target_link_libraries(${target} ${visibility} ${library})
  endforeach()
  target_link_libraries(${target} ${visibility} ${arg_LIBRARIES})
endmacro()

macro(_sheaf_check_arguments function)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
endmacro()
