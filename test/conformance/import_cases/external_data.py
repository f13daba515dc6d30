"""Line 7: external data stays inside the model's folder, its range is checked, it is not read."""

import os

import numpy as np
from onnx import TensorProto

from conformance.import_case import Case, iota, model, node

WEIGHT = np.array([10, 20, 30, 40], np.float32)
GIB = 1 << 30


def external(dims=(4,), **entries):
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=dims,
                         data_location=TensorProto.EXTERNAL)
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def add(tensor, size=4):
    return model([node("Add", "x w", "y")], {"x": iota(size)}, {"y": np.float32}, {"w": tensor})


def weights(name="weights.bin", before=b"", after=b""):
    """A side file with the weight after `before`."""
    def write(folder):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(before + WEIGHT.tobytes() + after)
    return write


def cases():
    yield from _good()
    yield from _bad_places()
    yield from _bad_ranges()
    yield _sparse_16_gib()


def _good():
    x = iota(4)
    padded = weights(before=b"\xff" * 4096, after=b"\xff" * 7)
    for name, tensor, side_files in [
            ("whole_file", external(location="weights.bin"), weights()),
            ("offset_and_length", external(location="weights.bin", offset=4096, length=16),
             padded),
            ("offset_alone", external(location="weights.bin", offset=4096),
             weights(before=b"\xff" * 4096)),
            ("unaligned_offset", external(location="weights.bin", offset=3, length=16),
             weights(before=b"abc")),
            ("subfolder", external(location="data/more/weights.bin"),
             weights("data/more/weights.bin")),
            ("dot_segment", external(location="./weights.bin"), weights()),
            ("dots_in_a_name", external(location="weights..bin"), weights("weights..bin")),
            ("checksum_key", external(location="weights.bin", checksum="0" * 40), weights())]:
        yield Case(name, add(tensor), {"x": x}, outputs=[x + WEIGHT], side_files=side_files)


def _bad_places():
    def outside(folder):
        (folder.parent / "outside.bin").write_bytes(WEIGHT.tobytes())

    def symlink(folder):
        outside(folder)
        os.symlink("../outside.bin", folder / "weights.bin")

    def symlinked_folder(folder):
        outside(folder)
        os.symlink("..", folder / "data")

    def inner_symlink(folder):
        weights("real.bin")(folder)
        os.symlink("real.bin", folder / "weights.bin")

    def hard_link(folder):
        outside(folder)
        os.link(folder.parent / "outside.bin", folder / "weights.bin")

    def folder_instead(folder):
        (folder / "weights.bin").mkdir()

    def pipe_instead(folder):
        os.mkfifo(folder / "weights.bin")

    for name, location, side_files in [
            ("parent", "../outside.bin", outside),
            ("parent_from_inside", "data/../../outside.bin", outside),
            ("far_parent", "../" * 40 + "etc/passwd", outside),
            ("backslash_parent", "..\\outside.bin", outside),
            ("absolute", "/etc/passwd", outside),
            ("drive_letter", "C:\\weights.bin", outside),
            ("url", "https://example.com/weights.bin", outside),
            ("file_url", "file:///etc/passwd", outside),
            ("memory_address", "*/_ORT_MEM_ADDR_/*", outside),
            ("empty_location", "", outside),
            ("nul_in_location", "weights.bin\0.txt", weights()),
            ("missing_file", "weights.bin", lambda folder: None),
            ("symlink_out", "weights.bin", symlink),
            ("symlink_inside", "weights.bin", inner_symlink),
            ("symlinked_folder", "data/outside.bin", symlinked_folder),
            ("hard_link", "weights.bin", hard_link),
            ("is_a_folder", "weights.bin", folder_instead),
            ("is_a_pipe", "weights.bin", pipe_instead)]:
        yield Case(name, add(external(location=location)), error=('"w"',), side_files=side_files)
    yield Case("no_location", add(external(offset=0, length=16)), error=('"w"', "location"))


def _bad_ranges():
    biggest = np.iinfo(np.int64).max
    for name, entries in [
            ("offset_past_the_end", {"offset": 17, "length": 16}),
            ("range_past_the_end", {"offset": 1, "length": 16}),
            ("offset_plus_length_wraps", {"offset": biggest - 7, "length": 16}),
            ("offset_wraps_unsigned", {"offset": (1 << 64) - 16, "length": 16}),
            ("offset_past_64_bits", {"offset": 1 << 64, "length": 16}),
            ("negative_offset", {"offset": -16, "length": 16}),
            ("length_shorter_than_dims", {"length": 12}),
            ("length_longer_than_dims", {"length": 20}),
            ("negative_length", {"length": -1}),
            ("offset_not_a_number", {"offset": "12ab"}),
            ("empty_offset", {"offset": ""}),
            ("length_with_exponent", {"length": "1e1"})]:
        yield Case(name, add(external(location="weights.bin", **entries)), error=('"w"',),
                   side_files=weights())
    yield Case("file_shorter_than_dims", add(external((5,), location="weights.bin"), 5),
               error=('"w"',), side_files=weights())
    yield Case("unknown_key", add(external(location="weights.bin", colour="red")),
               error=('"w"', '"colour"'), side_files=weights())
    twice = external(location="weights.bin")
    twice.external_data.add(key="location", value="/etc/passwd")
    yield Case("location_twice", add(twice), error=('"w"', "location"), side_files=weights())


def _sparse_16_gib():
    """Four weights of 4 GiB that nobody has written: only holes, so a copy would show in memory."""
    rows, columns = 1 << 15, 1 << 15

    def side_files(folder):
        with open(folder / "weights.bin", "wb") as data:
            data.truncate(16 * GIB)

    tensors, nodes = {}, []
    for index in range(4):
        name = f"w{index}"
        tensors[name] = external((rows, columns), location="weights.bin",
                                 offset=index * 4 * GIB, length=4 * GIB)
        tensors[name].name = name
        nodes.append(node("MatMul", f"t{index} {name}", "y" if index == 3 else f"t{index + 1}",
                          name=f"layer{index}"))
    nodes[0].input[0] = "x"
    x = np.zeros((1, rows), np.float32)
    built = model(nodes, {"x": x}, {"y": np.float32}, tensors)
    return Case("sparse_16_gib", built, compiles=True, side_files=side_files, max_rss_mib=300)
