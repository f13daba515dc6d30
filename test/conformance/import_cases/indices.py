"""Line 4: negative indices wrap; an index out of range is an error, never a wild access."""

import numpy as np

from conformance.import_case import Case, iota, model, node, op_case

X = iota(4, 3)
ROWS = np.array([-1, 0, -4], np.int64)
ELEMENTS = np.array([[-1, 0, 1], [2, -4, -2]], np.int64)
POINTS = np.array([[-1, -3], [0, 2]], np.int64)


def scattered():
    result = X.copy()
    np.put_along_axis(result, ELEMENTS % 4, -X[:2], 0)
    return result


def cases():
    updates = -X[:2]
    scatter_nd = X.copy()
    scatter_nd[POINTS[:, 0], POINTS[:, 1]] = [-7, -8]
    operations = {
        "gather": (node("Gather", "x i", "y", axis=0), ROWS, {}, X[ROWS]),
        "gather_elements": (node("GatherElements", "x i", "y", axis=0), ELEMENTS, {},
                            np.take_along_axis(X, ELEMENTS % 4, 0)),
        "gather_nd": (node("GatherND", "x i", "y"), POINTS, {}, X[POINTS[:, 0], POINTS[:, 1]]),
        "scatter_elements": (node("ScatterElements", "x i u", "y", axis=0), ELEMENTS,
                             {"u": updates}, scattered()),
        "scatter_nd": (node("ScatterND", "x i u", "y"), POINTS,
                       {"u": np.array([-7, -8], np.float32)}, scatter_nd),
    }
    for name, (operation, indices, more, expected) in operations.items():
        for integer in (np.int64, np.int32):
            if integer == np.int32 and name in ("gather_nd", "scatter_nd"):
                continue  # their indices are int64 by definition
            fed = indices.astype(integer)
            yield op_case(f"{name}_fed_{fed.dtype}", [operation], {"x": X, "i": fed, **more},
                          expected)
        yield op_case(f"{name}_constant", [operation], {"x": X, **more}, expected, {"i": indices})
        for bad in (4, -5, np.iinfo(np.int64).min, np.iinfo(np.int64).max):
            wrong = indices.copy()
            wrong.flat[0] = bad
            yield Case(f"{name}_constant_{bad}",
                       model([operation], {"x": X, **more}, {"y": np.float32}, {"i": wrong}),
                       error=(operation.name, str(bad)))
            feed = {"x": X, "i": wrong, **more}
            yield Case(f"{name}_fed_{bad}", model([operation], feed, {"y": np.float32}), feed,
                       run_error=(str(bad),))
