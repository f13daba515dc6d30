// Makes variables of parameters, states, prepared values and constants.
#include "passes/lowering/bufferize/variable_table.h"

#include "passes/lowering/bufferize/shards.h"

using namespace mlir;

namespace sheaf::lowering {

VariableTable::VariableTable(ModuleOp module)
    : builder(module.getBody(), module.getBody()->begin()) {}

/// A source in the terms of exec.
static Attribute sourceOf(Attribute source) {
  if (auto external = dyn_cast_or_null<graph::ExternalAttr>(source))
    return exec::FileRangeAttr::get(source.getContext(), external.getFile(), external.getOffset(),
                                    external.getLength());
  return source;
}

exec::VariableOp VariableTable::named(Location loc, StringRef name, Type tensorType,
                                      Attribute source, exec::ShardAttr shard, exec::Role role) {
  exec::VariableOp &variable = variables[name];
  if (!variable)
    variable = exec::VariableOp::create(
        builder, loc, builder.getStringAttr(name),
        TypeAttr::get(exec::BufferType::of(cast<RankedTensorType>(tensorType))), sourceOf(source),
        shard, exec::RoleAttr::get(builder.getContext(), role), UnitAttr());
  return variable;
}

exec::VariableOp VariableTable::argument(func::FuncOp function, unsigned index) {
  BlockArgument argument = function.getArgument(index);
  using Kind = std::pair<StringRef, exec::Role>;
  for (auto [kind, role] :
       {Kind(graph::kParameter, exec::Role::parameter), Kind(graph::kState, exec::Role::state),
        Kind(kVariable, exec::Role::other), Kind(kCarried, exec::Role::carried)})
    if (auto name = function.getArgAttrOfType<StringAttr>(index, kind))
      return named(argument.getLoc(), name, argument.getType(),
                   function.getArgAttr(index, graph::kSource), argumentShard(function, index),
                   role);
  return {};
}

exec::VariableOp VariableTable::inputDefault(func::FuncOp function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, graph::kInput);
  Attribute source = function.getArgAttr(index, graph::kSource);
  if (!name || !source)
    return {};
  BlockArgument argument = function.getArgument(index);
  return named(argument.getLoc(), name, argument.getType(), source, argumentShard(function, index),
               exec::Role::other);
}

exec::VariableOp VariableTable::result(func::FuncOp function, unsigned index) {
  if (auto carried = function.getResultAttrOfType<StringAttr>(index, kCarried))
    return named(function.getLoc(), carried, function.getResultTypes()[index], Attribute(), {},
                 exec::Role::carried);
  // What is updated is an argument too, and has its variable.
  auto name = function.getResultAttrOfType<StringAttr>(index, graph::kUpdate);
  if (!name)
    name = function.getResultAttrOfType<StringAttr>(index, kVariable);
  return named(function.getLoc(), name, function.getResultTypes()[index], Attribute(), {},
               exec::Role::other);
}

exec::VariableOp VariableTable::constant(Location loc, TypedAttr value) {
  exec::VariableOp &variable = constants[value];
  if (!variable) {
    std::string name;
    for (size_t i = constants.size() - 1; name.empty() || variables.contains(name); ++i)
      name = "constant." + std::to_string(i);
    variable = named(loc, name, value.getType(), value, {}, exec::Role::other);
  }
  return variable;
}

} // namespace sheaf::lowering
