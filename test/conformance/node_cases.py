"""Collects ONNX's backend tests: the pinned `onnx` package's generators and data folders, and
Debian's libonnx-testdata, which has the same operators at older opsets."""

import fcntl
import hashlib
import shutil
import warnings
from dataclasses import dataclass
from pathlib import Path

import onnx
from onnx import TensorProto, numpy_helper

DEBIAN_DATA = Path("/usr/share/libonnx-testdata/data")
DATA_KINDS = ["simple", "pytorch-converted", "pytorch-operator"]

_SEQUENCE_OPS = {"ConcatFromSequence", "Optional", "OptionalGetElement", "OptionalHasElement",
                 "SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase",
                 "SequenceInsert", "SequenceLength", "SequenceMap", "SplitToSequence"}


# Cases whose data do not belong to their model, so no right program passes them.
FAULTY = {
    ("debian/node", "test_adam_multiple"):
        "computed with epsilon 1e-2, which the model does not hold",
    ("debian/node", "test_cast_FLOAT_to_BFLOAT16"):
        "the output is bfloat16, its file holds uint16",
    **{("debian/node", f"test_castlike_{kind}{form}"):
       "the input \"like\" has one dim, its model declares two"
       for kind in ("BFLOAT16_to_FLOAT", "FLOAT_to_BFLOAT16") for form in ("", "_expanded")},
}


@dataclass(frozen=True)
class NodeCase:
    """A folder with `model.onnx` and its `test_data_set_*` folders."""

    source: str
    name: str
    folder: Path

    def model(self):
        return onnx.load(self.folder / "model.onnx", load_external_data=False)

    def data_sets(self, model):
        """Yields (inputs, outputs) of each data set, arrays by name."""
        defaults = {tensor.name for tensor in model.graph.initializer}
        free = [value.name for value in model.graph.input if value.name not in defaults]
        every = [value.name for value in model.graph.input]
        outputs = [value.name for value in model.graph.output]
        for folder in sorted(self.folder.glob("test_data_set_*")):
            given = _tensors(folder, "input")
            names = free if len(given) == len(free) else every
            yield dict(zip(names, given)), dict(zip(outputs, _tensors(folder, "output")))


def _tensors(folder, prefix):
    count = len(list(folder.glob(f"{prefix}_*.pb")))
    arrays = []
    for index in range(count):
        tensor = TensorProto.FromString((folder / f"{prefix}_{index}.pb").read_bytes())
        arrays.append(numpy_helper.to_array(tensor))
    return arrays


def is_tensor_case(model):
    """Whether the case is in scope: tensors only, no strings, none of ai.onnx.ml."""
    for value in [*model.graph.input, *model.graph.output]:
        kind = value.type
        if not kind.HasField("tensor_type") or kind.tensor_type.elem_type == TensorProto.STRING:
            return False
    return not any(node.domain == "ai.onnx.ml" or node.op_type in _SEQUENCE_OPS
                   for node in model.graph.node)


def collect(cache):
    """All cases; generated ones are written once under `cache`. Equal models count once."""
    cases = list(_package_cases(Path(cache)))
    if DEBIAN_DATA.is_dir():
        for kind in ["node", *DATA_KINDS]:
            cases += _folder_cases(f"debian/{kind}", DEBIAN_DATA / kind)
    else:
        print(f"note: {DEBIAN_DATA} is absent (package libonnx-testdata); its cases are left out")
    unique = {}
    for case in cases:
        if reason := FAULTY.get((case.source, case.name)):
            print(f"note: {case.source}/{case.name} is left out: {reason}")
            continue
        digest = hashlib.sha256((case.folder / "model.onnx").read_bytes()).digest()
        unique.setdefault((case.name, digest), case)
    return list(unique.values())


def _package_cases(cache):
    generated = cache / f"onnx-{onnx.__version__}"
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w", encoding="utf-8") as lock:  # Tests run side by side.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (generated / "complete").exists():
            _generate(generated)
    yield from _folder_cases("onnx/node", generated)
    data = Path(onnx.__file__).parent / "backend" / "test" / "data"
    for kind in DATA_KINDS:
        yield from _folder_cases(f"onnx/{kind}", data / kind)


def _folder_cases(source, folder):
    return [NodeCase(source, path.parent.name, path.parent)
            for path in sorted(folder.glob("*/model.onnx"))]


def _generate(folder):
    """Writes the package's node tests in the layout of its data folders."""
    from onnx.backend.test.case.node import collect_testcases

    shutil.rmtree(folder, ignore_errors=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the generators overflow on purpose
        cases = collect_testcases()
    for case in cases:
        if not is_tensor_case(case.model):
            continue
        (folder / case.name).mkdir(parents=True)
        (folder / case.name / "model.onnx").write_bytes(case.model.SerializeToString())
        for index, (inputs, outputs) in enumerate(case.data_sets):
            data_set = folder / case.name / f"test_data_set_{index}"
            data_set.mkdir()
            for prefix, arrays in (("input", inputs), ("output", outputs)):
                for number, array in enumerate(arrays):
                    tensor = array if isinstance(array, TensorProto) else (
                        numpy_helper.from_array(array))
                    (data_set / f"{prefix}_{number}.pb").write_bytes(tensor.SerializeToString())
    (folder / "complete").touch()
