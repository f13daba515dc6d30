"""Line 13 and the raw file: versions, domains, arities, attributes, truncated and nested bytes."""

import numpy as np
from onnx import AttributeProto, helper

from conformance.import_case import ONNX_NEWEST_OPSET, Case, iota, model, node

X = iota(4)
COMMON = {"x": X}
RESULT = {"y": np.float32}


def one(built_node, opset=17, **options):
    return model([built_node], COMMON, RESULT, opset=opset, **options)


def cases():
    yield from _versions()
    yield from _nodes()
    yield from _bytes()
    yield from _shapes_of_the_request()


def _versions():
    neg = node("Neg", "x", "y")
    yield Case("no_opset_import", one(neg, opset_imports=[]), error=("opset",))
    yield Case("opset_from_the_future", one(neg, ONNX_NEWEST_OPSET + 50),
               error=("opset", str(ONNX_NEWEST_OPSET + 50)))
    yield Case("opset_zero", one(neg, 0), error=("opset", "0"))
    yield Case("negative_opset", one(neg, -3), error=("opset", "-3"))
    yield Case("default_domain_spelled_out",
               one(neg, opset_imports=[helper.make_opsetid("ai.onnx", 17)]), COMMON, outputs=[-X])
    twice = [helper.make_opsetid("", 17), helper.make_opsetid("", 13)]
    yield Case("domain_imported_twice", one(neg, opset_imports=twice), error=("17", "13"))
    yield Case("ir_version_from_the_future", one(neg, ir_version=999), error=("999",))
    no_graph = one(neg)
    no_graph.ClearField("graph")
    yield Case("no_graph", no_graph, error=("graph",))


def _nodes():
    yield Case("unknown_op", one(node("NoSuchOp", "x", "y")),
               error=("the_NoSuchOp", "NoSuchOp", "unknown"))
    yield Case("unknown_domain", one(node("Foo", "x", "y", domain="com.acme")),
               error=("the_Foo", "com.acme", "Foo"))
    yield Case("op_newer_than_the_opset", one(node("Gelu", "x", "y"), 17),
               error=("the_Gelu", "Gelu", "17"))
    several = model([node("NoSuchOp", "x", "a"), node("Other", "a", "b", domain="com.acme"),
                     node("Neg", "b", "y")], COMMON, RESULT)
    yield Case("every_unsupported_node_is_listed", several, error=("the_NoSuchOp", "the_Other"))
    for name, built, words in [
            ("too_few_inputs", node("Add", "x", "y"), ("the_Add", "Add")),
            ("too_many_inputs", node("Neg", "x x", "y"), ("the_Neg", "Neg")),
            ("required_input_left_out", node("Add", "x _", "y"), ("the_Add", "Add")),
            ("no_inputs", node("Neg", "", "y"), ("the_Neg",)),
            ("too_many_outputs", node("Neg", "x", "y z"), ("the_Neg", "Neg")),
            ("attribute_of_the_wrong_type", node("Softmax", "x", "y", axis=1.5),
             ("the_Softmax", "axis")),
            ("list_for_a_number", node("Softmax", "x", "y", axis=[0]), ("the_Softmax", "axis")),
            ("unknown_attribute", node("Neg", "x", "y", wrong=1), ("the_Neg", "wrong")),
            ("axis_out_of_range", node("Softmax", "x", "y", axis=1), ("the_Softmax", "axis")),
            ("perm_repeats", node("Transpose", "x", "y", perm=[0, 0]), ("the_Transpose", "perm")),
            ("cast_to_nothing", node("Cast", "x", "y", to=0), ("the_Cast", "to")),
            ("cast_to_unknown", node("Cast", "x", "y", to=999), ("the_Cast", "999")),
            ("required_attribute_missing", node("Cast", "x", "y"), ("the_Cast", "to")),
            ("einsum_of_nothing", node("Einsum", "x", "y", equation=""), ("the_Einsum",)),
            ("einsum_rank", node("Einsum", "x", "y", equation="ij->ji"), ("the_Einsum",)),
            ("einsum_output_from_nowhere", node("Einsum", "x", "y", equation="i->k"),
             ("the_Einsum",)),
            ("concat_without_axis", node("Concat", "x x", "y"), ("the_Concat", "axis"))]:
        yield Case(name, one(built), error=words)
    twice = node("Softmax", "x", "y", axis=0)
    twice.attribute.append(twice.attribute[0])
    yield Case("attribute_twice", one(twice), error=("the_Softmax", "axis"))
    reference = node("LeakyRelu", "x", "y")
    reference.attribute.append(AttributeProto(name="alpha", type=AttributeProto.FLOAT,
                                              ref_attr_name="slope"))
    yield Case("attribute_reference_outside_a_function", one(reference),
               error=("the_LeakyRelu", "alpha"))
    types = model([node("Add", "x i", "y")], {"x": X, "i": iota(4, dtype=np.int64)}, RESULT)
    yield Case("types_differ", types, error=("the_Add",))
    shapes = model([node("Add", "x w", "y")], COMMON, RESULT, {"w": iota(3)})
    yield Case("shapes_dont_broadcast", shapes, error=("the_Add", "4", "3"))
    wrong_type = model([node("Neg", "x", "y")], COMMON, {"y": np.int64})
    yield Case("output_type_differs", wrong_type, error=('"y"',))


def _bytes():
    good = one(node("Neg", "x", "y")).SerializeToString()
    for name, data in [("empty_file", b""), ("text_file", b"this is not a model\n" * 100),
                       ("truncated", good[:-3]), ("first_half", good[:len(good) // 2]),
                       ("zeros", bytes(4096)), ("length_past_the_end", b"\x3a\xff\xff\xff\x7f"),
                       ("endless_varint", b"\x08" + b"\xff" * 64)]:
        yield Case(name, data, error=("model.onnx",))
    # Graph in If in graph ... by hand: Python's protobuf refuses to serialise it.
    nested = b""
    for _ in range(5_000):
        attribute = _field(1, b"then_branch") + b"\xa0\x01\x05" + _field(6, nested)
        nested = _field(1, _field(1, b"c") + _field(4, b"If") + _field(5, attribute))
    yield Case("nested_5000_deep", _field(7, nested) + _field(8, b"\x10\x11"),
               error=("model.onnx",))
    yield Case("nested_25_deep", _nested_if(25), COMMON, outputs=[-X])


def _field(number, payload):
    size, length = len(payload), b""
    while size >= 0x80:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + payload


def _nested_if(depth):
    inner = helper.make_graph([node("Neg", "x", "r0", name="leaf")], "g0", [],
                              [helper.make_tensor_value_info("r0", 1, None)])
    for level in range(1, depth):
        other = helper.make_graph([node("Abs", "x", f"e{level}", name=f"abs{level}")], f"o{level}",
                                  [], [helper.make_tensor_value_info(f"e{level}", 1, None)])
        choose = node("If", "c", f"r{level}", name=f"if{level}", then_branch=inner,
                      else_branch=other)
        inner = helper.make_graph([choose], f"g{level}", [],
                                  [helper.make_tensor_value_info(f"r{level}", 1, None)])
    last = node("If", "c", "y", then_branch=inner,
                else_branch=helper.make_graph([node("Abs", "x", "e")], "o", [],
                                              [helper.make_tensor_value_info("e", 1, None)]))
    return model([last], COMMON, RESULT, {"c": np.array(True)})


def _shapes_of_the_request():
    def symbolic(*dims):
        built = one(node("Neg", "x", "y"))
        built.graph.input[0].CopyFrom(helper.make_tensor_value_info("x", 1, dims))
        return built

    yield Case("unbound_dim", symbolic("batch", 4), error=('"x"', "batch", "--shape"))
    yield Case("bound_dim", symbolic("batch", 4), {"x": iota(3, 4)}, outputs=[-iota(3, 4)])
    yield Case("static_dim_bound_to_another_size", symbolic("batch", 4), shapes={"x": (3, 5)},
               error=('"x"', "4", "5"))
    yield Case("rank_differs", symbolic("batch", 4), shapes={"x": (3,)}, error=('"x"',))
    yield Case("no_such_input", symbolic("batch", 4), shapes={"x": (3, 4), "z": (2,)},
               error=('"z"',))
    yield Case("one_name_two_sizes", symbolic("n", "n"), shapes={"x": (3, 4)},
               error=("n", "3", "4"))
    yield Case("empty_extent", symbolic("batch", 4), {"x": iota(0, 4)}, outputs=[iota(0, 4)])
