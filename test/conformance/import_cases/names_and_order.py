"""Lines 8, 9 and 11: names defined twice or never, node order, cycles, default values."""

import numpy as np
from onnx import TensorProto, helper

from conformance.import_case import Case, iota, model, node, op_case, value

X = iota(4)
ONE = np.ones(4, np.float32)
COMMON = {"x": X}
RESULT = {"y": np.float32}


def branch(name, nodes, output):
    return helper.make_graph(nodes, name, [], [value(output, np.float32, [4])])


def if_model(then_nodes, then_output, before=(), constants=None):
    """`before`, then an If of constant condition with the given true branch."""
    other = branch("other", [node("Neg", "x", "e", name="else_neg")], "e")
    chosen = node("If", "c", "y", then_branch=branch("chosen", then_nodes, then_output),
                  else_branch=other)
    return model([*before, chosen], COMMON, RESULT, {"c": np.array(True), **(constants or {})})


def cases():
    yield from _twice()
    yield from _order()
    yield from _undefined()
    yield from _defaults()


def _twice():
    a, b = node("Neg", "x", "a", name="first"), node("Abs", "x", "a", name="second")
    end = node("Identity", "a", "y", name="end")
    yield Case("value_defined_twice", model([a, b, end], COMMON, RESULT),
               error=('"a"', "first", "second"))
    yield Case("one_node_defines_twice",
               model([node("Split", "x", "a a", name="halves"), end], COMMON, RESULT, opset=13),
               error=('"a"', "halves"))
    yield Case("node_redefines_input",
               model([node("Neg", "x", "x", name="first"), node("Abs", "x", "y")], COMMON, RESULT),
               error=('"x"', "first"))
    yield Case("node_redefines_initializer",
               model([node("Neg", "x", "w", name="first"), node("Add", "x w", "y")], COMMON,
                     RESULT, {"w": ONE}), error=('"w"', "first"))
    twice = model([node("Add", "x w", "y")], COMMON, RESULT, {"w": ONE})
    twice.graph.initializer.append(twice.graph.initializer[0])
    yield Case("initializer_twice", twice, error=('"w"',))
    twice = model([node("Neg", "x", "y")], COMMON, RESULT)
    twice.graph.input.append(twice.graph.input[0])
    yield Case("input_twice", twice, error=('"x"',))
    twice = model([node("Neg", "x", "y")], COMMON, RESULT)
    twice.graph.output.append(twice.graph.output[0])
    yield Case("output_twice", twice, error=('"y"',))
    shadow = [node("Abs", "x", "a", name="inner"), node("Neg", "a", "t", name="inner_neg")]
    yield Case("subgraph_redefines_outer_name", if_model(shadow, "t", [a]),
               error=('"a"', "first", "inner"))
    yield Case("subgraph_redefines_outer_initializer",
               if_model([node("Abs", "x", "w", name="inner"), node("Neg", "w", "t", name="n")],
                        "t", constants={"w": ONE}), error=('"w"', "inner"))
    yield Case("subgraph_uses_outer_name", if_model([node("Neg", "a", "t", name="n")], "t", [a]),
               COMMON, outputs=[X])


def _order():
    nodes = [node("Add", "c x", "y", name="third"), node("Abs", "b", "c", name="second"),
             node("Neg", "x", "b", name="first")]
    yield op_case("out_of_order", nodes, COMMON, 2 * X)
    cycle = [node("Add", "x b", "a", name="one"), node("Neg", "a", "b", name="two"),
             node("Identity", "a", "y", name="end")]
    yield Case("cycle_of_two", model(cycle, COMMON, RESULT), error=("cycle", "one", "two"))
    yield Case("cycle_of_one", model([node("Add", "x y", "y", name="self")], COMMON, RESULT),
               error=("cycle", "self"))
    length = 50_000
    chain = [node("Neg", f"t{i}", f"t{i + 1}", name=f"n{i}") for i in range(length)]
    ring = [*chain, node("Add", f"x t{length}", "t0", name="close"),
            node("Identity", "t0", "y", name="end")]
    yield Case("cycle_of_50000", model(ring, COMMON, RESULT), error=("cycle",))
    shallow = [node("Neg", "x", "t0", name="start"), *reversed(chain[:20_000]),
               node("Identity", "t20000", "y", name="end")]
    yield op_case("chain_of_20000_backwards", shallow, COMMON, -X)


def _undefined():
    yield Case("undefined_input", model([node("Add", "x missing", "y")], COMMON, RESULT),
               error=('"missing"', "the_Add"))
    yield Case("undefined_output", model([node("Neg", "x", "z")], COMMON, RESULT),
               error=('"y"',))
    yield Case("used_before_the_loop_defines_it",
               if_model([node("Neg", "never", "t", name="n")], "t"), error=('"never"', "n"))
    yield Case("branch_value_used_outside",
               model([node("If", "c", "z", then_branch=branch(
                   "chosen", [node("Neg", "x", "t", name="n")], "t"), else_branch=branch(
                   "other", [node("Abs", "x", "e", name="m")], "e")), node("Neg", "t", "y")],
                     COMMON, RESULT, {"c": np.array(True)}), error=('"t"', "the_Neg"))


def _defaults():
    def with_default():
        built = model([node("Add", "x w", "y")], COMMON, RESULT, {"w": 10 * ONE})
        built.graph.input.append(value("w", np.float32, [4]))
        return built

    yield Case("initializer_is_the_default", with_default(), COMMON, outputs=[X + 10])
    yield Case("fed_input_beats_its_default", with_default(), {"x": X, "w": 3 * ONE},
               outputs=[X + 3])
    yield op_case("initializer_is_the_output", [node("Neg", "x", "unused")], COMMON,
                  ONE, {"y": ONE})
    passthrough = model([], COMMON, {"x": np.float32})
    yield Case("input_is_the_output", passthrough, COMMON, outputs=[X])
    mismatch = model([node("Add", "x w", "y")], COMMON, RESULT, {"w": ONE})
    mismatch.graph.input.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, [5]))
    yield Case("default_does_not_fit_its_input", mismatch, error=('"w"', "4", "5"))
