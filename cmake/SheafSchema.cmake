# Compiles schemas of file formats: Protocol Buffers and FlatBuffers.

# sheaf_proto(<result> <file.proto>): C++ sources in this folder's build folder. A proto outside the
# repository is fine: `importers/onnx/onnx.pb.h` is included by that path.
function(sheaf_proto result proto)
  get_filename_component(stem "${proto}" NAME_WE)
  get_filename_component(folder "${proto}" DIRECTORY)
  set(base "${CMAKE_CURRENT_BINARY_DIR}/${stem}.pb")
  add_custom_command(OUTPUT "${base}.h" "${base}.cc"
    COMMAND protobuf::protoc "-I${folder}" "--cpp_out=${CMAKE_CURRENT_BINARY_DIR}" "${proto}"
    DEPENDS "${proto}" protobuf::protoc
    COMMENT "Compiling ${stem}.proto")
  set_source_files_properties("${base}.cc" PROPERTIES COMPILE_OPTIONS -w)
  set(${result} "${base}.h" "${base}.cc" PARENT_SCOPE)
endfunction()

# sheaf_flatbuffers(<result>): a header <stem>_generated.h for every .fbs of this folder.
function(sheaf_flatbuffers result)
  set(headers)
  file(GLOB schemas CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.fbs")
  foreach(schema IN LISTS schemas)
    get_filename_component(stem "${schema}" NAME_WE)
    set(header "${CMAKE_CURRENT_BINARY_DIR}/${stem}_generated.h")
    add_custom_command(OUTPUT "${header}"
      COMMAND "${SHEAF_FLATC}" --cpp --scoped-enums -o "${CMAKE_CURRENT_BINARY_DIR}" "${schema}"
      DEPENDS "${schema}"
      COMMENT "Compiling ${stem}.fbs")
    list(APPEND headers "${header}")
  endforeach()
  set(${result} ${headers} PARENT_SCOPE)
endfunction()
