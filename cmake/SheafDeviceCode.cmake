# Compiles the device code of CUDA sources to PTX, and makes bytes of it that a library carries.

# sheaf_device_code(<result>): a C++ source for every .cu of the folder kernels/ below the current one. Clang needs no
# toolkit for that. PTX of version 8.0 for sm_80 is what all drivers and chips of today take. Clang's own headers are
# given by hand: with them it would put its wrappers of standard headers first, which need the toolkit's.
function(sheaf_device_code result)
  set(sources)
  execute_process(COMMAND "${SHEAF_CLANGXX}" -print-resource-dir
    OUTPUT_VARIABLE clang_resources OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB device_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.cu")
  set(embed "${PROJECT_SOURCE_DIR}/cmake/embed_device_code.cmake")
  foreach(source IN LISTS device_sources)
    get_filename_component(stem "${source}" NAME_WE)
    set(ptx "${CMAKE_CURRENT_BINARY_DIR}/kernels/${stem}.ptx")
    add_custom_command(OUTPUT "${ptx}"
      COMMAND "${SHEAF_CLANGXX}" -x cuda --cuda-device-only --cuda-gpu-arch=sm_80
        --cuda-feature=+ptx80 -nocudainc -nocudalib -nogpulib
        -nobuiltininc -isystem "${clang_resources}/include" -std=c++20 -O3 -Wall -Wextra
        -Wno-unknown-cuda-version "-I${PROJECT_SOURCE_DIR}" -MD -MF "${ptx}.d" -MT "${ptx}"
        -S -o "${ptx}" "${source}"
      DEPENDS "${source}" DEPFILE "${ptx}.d"
      COMMENT "Compiling kernels/${stem}.cu to PTX")
    add_custom_command(OUTPUT "${ptx}.cpp"
      COMMAND "${CMAKE_COMMAND}" "-DNAME=${stem}" "-DPTX=${ptx}" -P "${embed}"
      DEPENDS "${ptx}" "${embed}")
    list(APPEND sources "${ptx}.cpp")
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()
