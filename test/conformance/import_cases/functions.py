"""Line 10: model-local functions: calls, attributes, and expansions without bound."""

import numpy as np
from onnx import AttributeProto, TensorProto, helper

from conformance.import_case import Case, iota, model, node

X = iota(4)
COMMON = {"x": X}
RESULT = {"y": np.float32}
IMPORTS = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]


def call(callee, inputs, outputs, **attributes):
    return node(callee, inputs, outputs, domain="local", **attributes)


def function(name, inputs, outputs, nodes, attributes=()):
    return helper.make_function("local", name, inputs.split(), outputs.split(), nodes, IMPORTS,
                                attributes)


def calling(nodes, functions):
    return model(nodes, COMMON, RESULT, functions=functions, opset_imports=IMPORTS)


def cases():
    yield from _good()
    yield from _unbounded()
    yield from _wrong_calls()


def _good():
    negate = function("Negate", "a", "b", [node("Neg", "a", "b")])
    yield Case("call", calling([call("Negate", "x", "y")], [negate]), COMMON, outputs=[-X])
    names_like_the_callers = function("Twice", "y", "x", [node("Add", "y y", "x")])
    yield Case("inner_names_like_the_callers",
               calling([call("Twice", "x", "t"), call("Twice", "t", "y", name="again")],
                       [names_like_the_callers]), COMMON, outputs=[4 * X])
    alpha = AttributeProto(name="alpha", type=AttributeProto.FLOAT, ref_attr_name="slope")
    leaky = node("LeakyRelu", "a", "b")
    leaky.attribute.append(alpha)
    scaled = function("Leaky", "a", "b", [leaky], ["slope"])
    yield Case("attribute_passed_on", calling([node("Neg", "x", "t"),
                                               call("Leaky", "t", "y", slope=0.5)], [scaled]),
               COMMON, outputs=[-0.5 * X])
    yield Case("attribute_left_out_uses_the_default",
               calling([node("Neg", "x", "t"), call("Leaky", "t", "y")], [scaled]), COMMON,
               outputs=[np.float32(-0.01) * X])
    outer = function("Outer", "a", "b", [call("Negate", "a", "t"), node("Abs", "t", "b")])
    yield Case("nested", calling([call("Outer", "x", "y")], [outer, negate]), COMMON, outputs=[X])
    clip = function("Bounded", "a low high", "b", [node("Clip", "a low high", "b")])
    constant = helper.make_node("Constant", [], ["top"], value=helper.make_tensor(
        "t", TensorProto.FLOAT, [], [2.0]))
    yield Case("optional_input_left_out",
               calling([constant, call("Bounded", "x _ top", "y")], [clip]), COMMON,
               outputs=[np.minimum(X, 2)])
    shadow = function("Relu", "a", "b", [node("Neg", "a", "b")])
    yield Case("same_name_as_a_standard_op_in_another_domain",
               calling([call("Relu", "x", "y")], [shadow]), COMMON, outputs=[-X])


def _unbounded():
    self_call = function("F", "a", "b", [call("F", "a", "b")])
    yield Case("calls_itself", calling([call("F", "x", "y")], [self_call]),
               error=("F", "itself"))
    ring = [function(f"F{i}", "a", "b", [call(f"F{(i + 1) % 3}", "a", "b")]) for i in range(3)]
    yield Case("calls_in_a_ring", calling([call("F0", "x", "y")], ring), error=("F0", "itself"))
    doubling = [function(f"D{i}", "a", "b", [call(f"D{i + 1}", "a", "t"),
                                             call(f"D{i + 1}", "t", "b", name="second")])
                for i in range(40)]
    doubling.append(function("D40", "a", "b", [node("Neg", "a", "b")]))
    yield Case("expands_to_2_to_the_40", calling([call("D0", "x", "y")], doubling),
               error=("D0",), max_rss_mib=2000)
    deep = [function(f"N{i}", "a", "b", [call(f"N{i + 1}", "a", "b")]) for i in range(2000)]
    deep.append(function("N2000", "a", "b", [node("Neg", "a", "b")]))
    yield Case("nests_2000_deep", calling([call("N0", "x", "y")], deep), error=("N0",))
    inside_if = function("F", "a", "b", [node(
        "If", "a", "b", then_branch=helper.make_graph(
            [call("F", "a", "t")], "then", [], [helper.make_tensor_value_info(
                "t", TensorProto.FLOAT, None)]),
        else_branch=helper.make_graph([node("Neg", "a", "e")], "else", [],
                                      [helper.make_tensor_value_info("e", TensorProto.FLOAT,
                                                                     None)]))])
    yield Case("calls_itself_in_a_branch", calling([call("F", "x", "y")], [inside_if]),
               error=("F", "itself"))


def _wrong_calls():
    negate = function("Negate", "a", "b", [node("Neg", "a", "b")])
    yield Case("too_many_inputs", calling([call("Negate", "x x", "y")], [negate]),
               error=("the_Negate", "Negate"))
    yield Case("too_many_outputs", calling([call("Negate", "x", "y z")], [negate]),
               error=("the_Negate", "Negate"))
    yield Case("defined_twice", calling([call("Negate", "x", "y")], [negate, negate]),
               error=("Negate",))
    open_body = function("Open", "a", "b", [node("Add", "a x", "b")])
    yield Case("body_uses_the_callers_name", calling([call("Open", "x", "y")], [open_body]),
               error=('"x"', "Open"))
    no_result = function("Nothing", "a", "b", [node("Neg", "a", "c")])
    yield Case("body_never_defines_its_output", calling([call("Nothing", "x", "y")], [no_result]),
               error=('"b"', "Nothing"))
