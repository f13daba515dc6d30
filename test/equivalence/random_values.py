"""What is known of a random value: its type, how large it gets and whether its bits are certain.

A value is *exact* when every order of its sums gives the same bits: inputs are small integers (in
floats too), and sums of them stay where the type holds all integers. Others are *rough*: their sums
may only be taken while magnitudes are small, so that what cancels stays within the tolerance, and
nothing that jumps (an order, a comparison) may look at them.
"""

from dataclasses import dataclass

from driver.tolerance import Tolerance

FLOATS = ("f32", "f64", "f16", "bf16")
INTEGERS = ("i64", "i32", "i8")
ELEMENTS = (*FLOATS, *INTEGERS, "i1")
# The largest magnitude below which a type has all integers.
_LARGEST_EXACT = {"f32": 2**24, "f64": 2**53, "f16": 2**11, "bf16": 2**8,
                  "i64": 2**63, "i32": 2**31, "i8": 2**7, "i1": 1}
_LARGEST_ROUGH = 64
_TOLERANCES = {"f32": Tolerance(0, 1e-5, 1), "f64": Tolerance(0, 1e-10, 1),
               "f16": Tolerance(2.0**-8, 2.0**-8, 1), "bf16": Tolerance(2.0**-6, 2.0**-6, 1)}


class CannotBuild(Exception):
    """These operands and choices make no valid op, or none whose result can be compared."""


def require(condition):
    if not condition:
        raise CannotBuild


@dataclass(frozen=True)
class Value:
    shape: tuple
    element: str
    bound: float = 3
    is_exact: bool = True

    @property
    def type_text(self):
        return "x".join(map(str, (*self.shape, self.element)))

    @property
    def type(self):
        return f"tensor<{self.type_text}>"

    @property
    def rank(self):
        return len(self.shape)

    @property
    def is_float(self):
        return self.element in FLOATS

    @property
    def tolerance(self):
        return Tolerance(0, 0) if self.is_exact else _TOLERANCES[self.element]


@dataclass(frozen=True)
class Need:
    """An operand that an op asks for. One with `low` is an argument with integers in a range."""

    shape: tuple
    element: str
    low: int = None
    high: int = None

    def accepts(self, value):
        return value.shape == self.shape and value.element == self.element


def moved(value, shape):
    """Elements of the value at other places."""
    return Value(tuple(shape), value.element, value.bound, value.is_exact)


def is_tame(*values):
    """Whether rounding errors of what is summed of these stay within the tolerance."""
    return all(value.is_exact or value.element in ("f32", "f64") and value.bound <= _LARGEST_ROUGH
               for value in values)


def combined(shape, element, bound, *operands):
    """Sums and products of the operands whose terms, all together, are at most `bound`."""
    is_exact = all(value.is_exact for value in operands)
    if element in INTEGERS:
        return Value(tuple(shape), element, min(bound, _LARGEST_EXACT[element]), is_exact)
    if is_exact and bound <= _LARGEST_EXACT[element]:
        return Value(tuple(shape), element, bound)
    require(not is_exact and element in ("f32", "f64") and bound <= _LARGEST_ROUGH)
    return Value(tuple(shape), element, bound, False)


def rough(shape, element, bound, *operands):
    """Results of functions that round, of operands that are finite and small."""
    require(is_tame(*operands) and all(value.bound <= _LARGEST_ROUGH for value in operands))
    return Value(tuple(shape), element, bound, False)


def converted(value, element):
    """The value with another element type."""
    limit = _LARGEST_EXACT[element]
    if element == "i1":
        require(value.is_exact)
        return Value(value.shape, element, 1)
    if value.is_exact and value.bound <= limit:
        return Value(value.shape, element, value.bound)
    # A value that is off by one of its last bit would be far off as a longer float.
    require(not value.is_exact and element in FLOATS
            and (value.element == "f64" or value.element == "f32" and element != "f64"))
    return Value(value.shape, element, value.bound, False)
