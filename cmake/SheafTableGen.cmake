# Runs mlir-tblgen over a folder's .td files. `dialects/graph/graph_ops.td` becomes
# `dialects/graph/graph_ops.h.inc` and `.cpp.inc`, included by that path from anywhere.

set(SHEAF_TD_INCLUDES "${PROJECT_SOURCE_DIR}" ${MLIR_INCLUDE_DIRS})

# Adds one output of mlir-tblgen to the list `sheaf_generated` of the caller.
macro(_sheaf_tablegen td out)
  set(LLVM_TARGET_DEFINITIONS "${td}")
  mlir_tablegen(${out} ${ARGN} EXTRA_INCLUDES ${SHEAF_TD_INCLUDES})
  list(APPEND sheaf_generated "${CMAKE_CURRENT_BINARY_DIR}/${out}")
endmacro()

# sheaf_dialect(<name> [DEPENDS folder...] [LIBRARIES library...])
#
# The library of a folder that defines dialect <name>. Of these files it generates those that exist:
#   <name>_base.td    the dialect   -> <name>_base.{h,cpp}.inc
#   <name>_attrs.td   enums, attrs  -> <name>_enums.{h,cpp}.inc, <name>_attrs.{h,cpp}.inc
#   <name>_types.td   types         -> <name>_types.{h,cpp}.inc
#   <name>_ops.td     ops           -> <name>_ops.{h,cpp}.inc
# and the documentation of the dialect under build/docs by the target `docs`.
function(sheaf_dialect name)
  set(sheaf_generated)
  _sheaf_tablegen(${name}_base.td ${name}_base.h.inc -gen-dialect-decls -dialect=${name})
  _sheaf_tablegen(${name}_base.td ${name}_base.cpp.inc -gen-dialect-defs -dialect=${name})
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${name}_attrs.td")
    _sheaf_tablegen(${name}_attrs.td ${name}_enums.h.inc -gen-enum-decls)
    _sheaf_tablegen(${name}_attrs.td ${name}_enums.cpp.inc -gen-enum-defs)
    _sheaf_tablegen(${name}_attrs.td ${name}_attrs.h.inc -gen-attrdef-decls
      -attrdefs-dialect=${name})
    _sheaf_tablegen(${name}_attrs.td ${name}_attrs.cpp.inc -gen-attrdef-defs
      -attrdefs-dialect=${name})
  endif()
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${name}_types.td")
    _sheaf_tablegen(${name}_types.td ${name}_types.h.inc -gen-typedef-decls
      -typedefs-dialect=${name})
    _sheaf_tablegen(${name}_types.td ${name}_types.cpp.inc -gen-typedef-defs
      -typedefs-dialect=${name})
  endif()
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${name}_ops.td")
    _sheaf_tablegen(${name}_ops.td ${name}_ops.h.inc -gen-op-decls -dialect=${name})
    _sheaf_tablegen(${name}_ops.td ${name}_ops.cpp.inc -gen-op-defs -dialect=${name})
    _sheaf_docs(${name}_ops.td ${name} -gen-dialect-doc -dialect=${name})
  endif()
  sheaf_library(${ARGN} GENERATED ${sheaf_generated})
endfunction()

# sheaf_interfaces([DEPENDS ...] [LIBRARIES ...]): every .td of the folder declares op interfaces.
function(sheaf_interfaces)
  set(sheaf_generated)
  file(GLOB interfaces CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" *.td)
  foreach(td IN LISTS interfaces)
    get_filename_component(stem "${td}" NAME_WE)
    _sheaf_tablegen(${td} ${stem}.h.inc -gen-op-interface-decls)
    _sheaf_tablegen(${td} ${stem}.cpp.inc -gen-op-interface-defs)
  endforeach()
  sheaf_library(${ARGN} GENERATED ${sheaf_generated})
endfunction()

# sheaf_passes([DEPENDS ...] [LIBRARIES ...]): a theme; its passes.td becomes passes.h.inc, whose
# registration function is named after the folder (passes/graph: registerGraphPasses).
function(sheaf_passes)
  set(sheaf_generated)
  get_filename_component(theme "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  string(SUBSTRING "${theme}" 0 1 initial)
  string(TOUPPER "${initial}" initial)
  string(SUBSTRING "${theme}" 1 -1 rest)
  _sheaf_tablegen(passes.td passes.h.inc -gen-pass-decls -name=${initial}${rest})
  _sheaf_docs(passes.td passes_${theme} -gen-pass-doc)
  sheaf_library(${ARGN} GENERATED ${sheaf_generated})
endfunction()

# Writes build/docs/<name>.md as part of the target `docs`.
add_custom_target(docs COMMENT "Documentation is in ${PROJECT_BINARY_DIR}/docs")
function(_sheaf_docs td name)
  set(LLVM_TARGET_DEFINITIONS "${td}")
  mlir_tablegen(${name}.md ${ARGN} EXTRA_INCLUDES ${SHEAF_TD_INCLUDES})
  set(page "${PROJECT_BINARY_DIR}/docs/${name}.md")
  add_custom_command(OUTPUT "${page}"
    COMMAND ${CMAKE_COMMAND} -E copy "${CMAKE_CURRENT_BINARY_DIR}/${name}.md" "${page}"
    DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/${name}.md")
  add_custom_target(docs.${name} DEPENDS "${page}")
  add_dependencies(docs docs.${name})
endfunction()
