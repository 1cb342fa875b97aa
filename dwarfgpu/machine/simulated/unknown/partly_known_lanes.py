"""Arrays of numbers, one for each lane, with bits that are not known.

They take part in NumPy: its functions and operators give arrays that are known in part. The rules
are those of `partly_known.py`; of any other function, a number of the result is known if all of its
arguments are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from dwarfgpu.machine.simulated.unknown.partly_known import (
    KnownInPart,
    PartlyKnown,
    Undecided,
    partly_known,
)

Array: TypeAlias = "np.ndarray[Any, Any]"
_INTEGERS: Final = "biu"
_STRUCTURAL: Final = frozenset(
    {"stack", "broadcast_to", "roll", "concatenate", "repeat", "ascontiguousarray", "zeros_like"}
)
"""Functions that give elements of their arguments."""


def _unsigned(kind: Any) -> Any:
    """Return the type of the mask of unknown bits of numbers of a type."""
    dtype = np.dtype(kind)
    return dtype if dtype.kind == "b" else np.dtype(f"u{dtype.itemsize}")


def _ones(kind: Any) -> Any:
    """Return a mask of all bits."""
    dtype = _unsigned(kind)
    return dtype.type(True) if dtype.kind == "b" else dtype.type((1 << 8 * dtype.itemsize) - 1)


class PartlyKnownLanes(KnownInPart, NDArrayOperatorsMixin):
    """Numbers with the mask of the unknown bits of each."""

    def __init__(self, value: Any, unknown: Any = None) -> None:
        """`value`: its unknown bits do not count; `unknown`: None for none."""
        self.value: Array = np.asarray(value)
        if unknown is None:
            unknown = np.zeros(self.value.shape, _unsigned(self.value.dtype))
        self.unknown: Array = np.asarray(unknown)

    # As of an array.

    @property
    def dtype(self) -> Any:
        return self.value.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self.value.shape
        return shape

    @property
    def ndim(self) -> int:
        return self.value.ndim

    @property
    def size(self) -> int:
        return self.value.size

    @property
    def itemsize(self) -> int:
        return self.value.itemsize

    @property
    def flags(self) -> Any:
        return self.value.flags

    @property
    def flat(self) -> PartlyKnownLanes:
        return self.reshape(-1)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[PartlyKnownLanes]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, index: Any) -> PartlyKnownLanes:
        return PartlyKnownLanes(self.value[_plain(index)], self.unknown[_plain(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        self.value[_plain(index)], self.unknown[_plain(index)] = _as(value, self.dtype)

    def view(self, kind: Any) -> PartlyKnownLanes:
        value, unknown = self.value, self.unknown
        if np.dtype(kind).itemsize != self.itemsize:
            value, unknown = np.ascontiguousarray(value), np.ascontiguousarray(unknown)
        return PartlyKnownLanes(value.view(kind), unknown.view(_unsigned(kind)))

    def reshape(self, *shape: int) -> PartlyKnownLanes:
        return PartlyKnownLanes(self.value.reshape(*shape), self.unknown.reshape(*shape))

    def copy(self) -> PartlyKnownLanes:
        return PartlyKnownLanes(self.value.copy(), self.unknown.copy())

    def astype(self, kind: Any, copy: bool = True) -> PartlyKnownLanes:
        before, after = self.dtype, np.dtype(kind)
        if before == after:
            return self
        value = self.value.astype(after)
        if after.kind == "b":
            return self != 0  # type: ignore[no-any-return]
        if before.kind not in _INTEGERS or after.kind not in _INTEGERS:
            return PartlyKnownLanes(value, np.where(self.unknown != 0, _ones(after), 0))
        unknown = self.unknown.view(before) if before.kind == "i" else self.unknown
        return PartlyKnownLanes(value, unknown.astype(after).view(_unsigned(after)))

    def sum(self, axis: int) -> PartlyKnownLanes:
        kind = self.value.sum(axis).dtype
        rows: list[Any] = list(self.astype(kind))
        assert axis == 0
        return reduce(lambda a, b: a + b, rows)  # type: ignore[no-any-return]

    def any(self, axis: int | None = None) -> bool:
        assert axis is None
        truths = self.astype(bool)
        if not (truths.value & ~truths.unknown).any() and truths.unknown.any():
            raise Undecided
        return bool((truths.value & ~truths.unknown).any())

    def all(self, axis: int | None = None) -> Any:
        if axis is not None:
            return reduce(lambda a, b: a & b, list(self.astype(bool)))
        return not (~self.astype(bool)).any()

    def item(self, index: int = 0) -> Any:
        return number_of(self.reshape(-1)[index])

    def is_true(self) -> bool | None:
        """Return whether the only number is not 0; None if that is not decided."""
        number = self.item()
        return number.is_true() if isinstance(number, PartlyKnown) else bool(number)

    def __bool__(self) -> bool:
        truth = self.is_true()
        if truth is None:
            raise Undecided
        return truth

    def __array__(self, *_: Any, **__: Any) -> Array:
        out: Array = known(self)
        return out

    def __array_ufunc__(self, function: Any, method: str, *arguments: Any, **_: Any) -> Any:
        assert method == "__call__"
        return _computed(function, arguments)

    def __array_function__(
        self, function: Any, _: Any, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        name = function.__name__
        if name == "where":
            return _selected(*arguments)
        if name == "clip":
            number, low, high = arguments
            return np.minimum(np.maximum(number, low), high)
        if name == "broadcast_arrays":
            shape = np.broadcast_shapes(*(np.shape(argument) for argument in arguments))
            return [np.broadcast_to(argument, shape) for argument in arguments]
        if name in ("shape", "ndim"):
            return getattr(self, name)
        if name not in _STRUCTURAL:
            raise Undecided
        parts = [
            [function(part, *arguments[1:], **options) for part in _split(arguments[0], which)]
            for which in range(2)
        ]
        return PartlyKnownLanes(parts[0][0], parts[1][0])


def _split(argument: Any, which: int) -> list[Any]:
    """Return the numbers (0) or the masks (1) of an array, or of a sequence of arrays."""
    if isinstance(argument, (tuple, list)):
        return [[(lanes.value, lanes.unknown)[which] for lanes in map(lanes_of_any, argument)]]
    return [(argument.value, argument.unknown)[which]]


def lanes_of_any(number: Any, kind: Any = None) -> Any:
    """Return any number or array as one that is known in part."""
    if not isinstance(number, PartlyKnownLanes):
        if isinstance(number, PartlyKnown):
            if kind is not None and np.dtype(kind).kind == "f":
                return lanes_of_any(number, np.int64).astype(kind)
            kind = kind or np.int64
            mask = int(_ones(kind))
            value, unknown = (
                np.array(part & mask, _unsigned(kind)) for part in (number.value, number.unknown)
            )
            return PartlyKnownLanes(value.view(kind), unknown)
        number = PartlyKnownLanes(number)
    return number if kind is None else number.astype(kind)


def number_of(lanes: PartlyKnownLanes) -> Any:
    """Return the only number of an array as a number of Python."""
    value, unknown = lanes.value.item(), int(lanes.unknown.item())
    if lanes.dtype.kind in _INTEGERS:
        if lanes.dtype.kind == "i" and unknown >> 8 * lanes.itemsize - 1:
            unknown -= 1 << 8 * lanes.itemsize  # its sign
        return partly_known(value, unknown)
    if unknown:
        raise Undecided
    return value


def known(number: Any) -> Any:
    """Return a number or an array as a plain one; `Undecided` for one with an unknown bit."""
    if isinstance(number, PartlyKnown):
        raise Undecided
    if not isinstance(number, PartlyKnownLanes):
        return number
    if number.unknown.any():
        raise Undecided
    return number.value


def _plain(index: Any) -> Any:
    return tuple(map(known, index)) if isinstance(index, tuple) else known(index)


def _as(number: Any, kind: Any) -> tuple[Array, Array]:
    """Return a number as one of a type, and its unknown bits."""
    if isinstance(number, (PartlyKnown, PartlyKnownLanes)):
        lanes = lanes_of_any(number, kind)
        return lanes.value, lanes.unknown
    value = np.asarray(number).astype(kind)
    return value, np.zeros(value.shape, _unsigned(kind))


def elementwise(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function makes of each lane: known where all of its arguments are."""
    values: list[Any] = []
    unknown: list[Array] = [np.zeros((), bool)]
    for argument in arguments:
        if isinstance(argument, PartlyKnown):
            values.append(argument.value)
            unknown.append(np.ones((), bool))
        elif isinstance(argument, PartlyKnownLanes):
            values.append(argument.value)
            unknown.append(argument.unknown != 0)
        else:
            values.append(argument)
    results = function(*values)
    every: Array = reduce(lambda a, b: a | b, unknown)
    if isinstance(results, tuple):
        return tuple(_masked(result, every) for result in results)
    return _masked(results, every)


def _masked(result: Any, unknown: Array) -> PartlyKnownLanes:
    """Return a result without the bits of the elements that are not known; of all elements of a
    lane where these are not those of the result."""
    value = np.asarray(result)
    if unknown.shape != value.shape and unknown.ndim > 1:
        unknown = np.asarray(unknown.any(tuple(range(unknown.ndim - 1))))
    bits = np.where(np.broadcast_to(unknown, value.shape), _ones(value.dtype), 0)
    return PartlyKnownLanes(value, bits.astype(_unsigned(value.dtype)))


def _computed(function: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the result of a function of NumPy for elements."""
    arguments = tuple(
        lanes_of_any(argument) if isinstance(argument, PartlyKnown) else argument
        for argument in arguments
    )
    values = [
        argument.value if isinstance(argument, PartlyKnownLanes) else argument
        for argument in arguments
    ]
    if not any(
        isinstance(argument, PartlyKnownLanes) and argument.unknown.any() for argument in arguments
    ):
        return function(*values)
    rule, kind = _RULES.get(function.__name__), np.result_type(*values)
    if rule is None or kind.kind not in _INTEGERS:
        return elementwise(function, *arguments)
    value = np.asarray(function(*values))
    operands = [_Operand(*_as(argument, kind)) for argument in arguments]
    if function.__name__ in ("right_shift", "left_shift"):
        return _shifted(function, value.dtype, *operands)
    return PartlyKnownLanes(value, np.broadcast_to(np.asarray(rule(*operands)), value.shape))


class _Operand:
    """A number of a function, with the mask of its unknown bits, both without sign."""

    def __init__(self, value: Array, unknown: Array) -> None:
        self.kind = value.dtype
        self.value = np.asarray(value).view(_unsigned(value.dtype))
        self.unknown = unknown

    @property
    def ones(self) -> Array:
        return self.value & ~self.unknown  # type: ignore[no-any-return]

    @property
    def zeros(self) -> Array:
        return self.value | self.unknown  # type: ignore[no-any-return]

    def inverted(self) -> _Operand:
        return _Operand((~self.value).view(self.kind), self.unknown)

    @property
    def extremes(self) -> tuple[Array, Array]:
        """The least and the greatest number that it may be."""
        if self.kind.kind != "i":
            return self.ones, self.zeros
        sign = self.unknown & _unsigned(self.kind).type(1 << 8 * self.kind.itemsize - 1)
        low, high = self.ones | sign, self.zeros & ~sign
        return low.view(self.kind), high.view(self.kind)


def _and(a: _Operand, b: _Operand) -> Array:
    return (a.unknown | b.unknown) & a.zeros & b.zeros


def _sum(a: _Operand, b: _Operand, carry: int = 0) -> Array:
    """Return the unknown bits of a sum. Carries grow with the numbers: those of the least and the
    greatest sum are the extremes."""
    low, high = (x + y + x.dtype.type(carry) for x, y in ((a.ones, b.ones), (a.zeros, b.zeros)))
    carries = low ^ a.ones ^ b.ones ^ high ^ a.zeros ^ b.zeros
    return a.unknown | b.unknown | carries  # type: ignore[no-any-return]


def _negative(a: _Operand) -> Array:
    return _sum(a.inverted(), _Operand(np.zeros((), a.kind), np.zeros((), _unsigned(a.kind))), 1)


def _product(a: _Operand, b: _Operand) -> Array:
    """Return the bits that unknown ones get to, below zeros above the greatest product."""
    kind, bits = a.value.dtype, 8 * a.kind.itemsize
    first = np.minimum(
        _low_zeros(a.unknown) + _low_zeros(b.zeros), _low_zeros(b.unknown) + _low_zeros(a.zeros)
    )
    ones = _ones(kind)
    unknown = np.where(first < bits, ones << np.minimum(first, bits - 1).astype(kind), 0)
    (least, greatest), (other_least, other_greatest) = a.extremes, b.extremes
    length = _lengths(greatest.view(kind)) + _lengths(other_greatest.view(kind))
    is_bounded = (least >= 0) & (other_least >= 0) & (length < bits)
    below = ~(ones << np.minimum(length, bits - 1).astype(kind))
    return np.where(is_bounded, unknown & below, unknown).astype(kind)


def _lengths(numbers: Array) -> Array:
    """Return the number of bits up to the highest that is set."""
    out = np.zeros(numbers.shape, np.int64)
    for bit in range(8 * numbers.itemsize):
        out = np.where(numbers >> numbers.dtype.type(bit) & 1 != 0, bit + 1, out)
    return out


def _low_zeros(numbers: Array) -> Array:
    """Return the number of zeros below the lowest bit that is set; all, if none is."""
    return np.where(
        numbers == 0,
        8 * numbers.itemsize,
        _lengths(numbers & (~numbers + numbers.dtype.type(1))) - 1,
    )


def _less(a: _Operand, b: _Operand) -> Array:
    (low, high), (other_low, other_high) = a.extremes, b.extremes
    return ~((high < other_low) | (low >= other_high))


def _equal(a: _Operand, b: _Operand) -> Array:
    unknown = a.unknown | b.unknown
    return (unknown != 0) & ((a.value ^ b.value) & ~unknown == 0)  # type: ignore[no-any-return]


def _one_of(a: _Operand, b: _Operand) -> Array:
    return a.unknown | b.unknown | a.value ^ b.value  # type: ignore[no-any-return]


def _least(a: _Operand, b: _Operand) -> Array:
    (low, high), (other_low, other_high) = a.extremes, b.extremes
    chosen = np.where(other_high <= low, b.unknown, _one_of(a, b))
    return np.where(high <= other_low, a.unknown, chosen)


def _greatest(a: _Operand, b: _Operand) -> Array:
    (low, high), (other_low, other_high) = a.extremes, b.extremes
    chosen = np.where(other_low >= high, b.unknown, _one_of(a, b))
    return np.where(low >= other_high, a.unknown, chosen)


_RULES: Final[dict[str, Callable[..., Array]]] = {
    "bitwise_and": _and,
    "bitwise_or": lambda a, b: _and(a.inverted(), b.inverted()),
    "bitwise_xor": lambda a, b: a.unknown | b.unknown,
    "invert": lambda a: a.unknown,
    "add": _sum,
    "subtract": lambda a, b: _sum(a, b.inverted(), 1),
    "negative": _negative,
    "multiply": _product,
    "less": _less,
    "greater": lambda a, b: _less(b, a),
    "less_equal": lambda a, b: _less(b, a),
    "greater_equal": _less,
    "equal": _equal,
    "not_equal": _equal,
    "minimum": _least,
    "maximum": _greatest,
    "left_shift": _and,
    "right_shift": _and,
}
"""The unknown bits of results; `_shifted` has those of shifts."""


def _shifted(function: Any, kind: Any, number: _Operand, count: _Operand) -> PartlyKnownLanes:
    """Return what is known of a shift: of one by a number that is not known, what all that it may
    be agree about."""
    signed = function.__name__ == "right_shift" and number.kind.kind == "i"
    mask = number.unknown.view(number.kind) if signed else number.unknown
    bits = 8 * number.kind.itemsize
    shape = np.broadcast_shapes(number.value.shape, count.value.shape)
    known_ones = known_zeros = np.full(shape, _ones(kind))
    for amount in range(bits + 1):  # the last one: all that are greater
        difference = (count.value ^ count.value.dtype.type(amount)) & ~count.unknown
        is_possible = count.zeros >= bits if amount == bits else difference == 0
        if not is_possible.any():
            continue
        value, unknown = (
            function(part, part.dtype.type(amount)).view(_unsigned(kind))
            for part in (number.value.view(number.kind), mask)
        )
        known_ones = np.where(is_possible, known_ones & value & ~unknown, known_ones)
        known_zeros = np.where(is_possible, known_zeros & ~value & ~unknown, known_zeros)
    return PartlyKnownLanes(known_ones.view(kind), ~(known_ones | known_zeros))


def _selected(condition: Any, first: Any, second: Any) -> PartlyKnownLanes:
    """Return what `numpy.where` selects; of an element whose condition is not known, what both
    have."""
    parts = [
        argument.value if isinstance(argument, PartlyKnownLanes) else argument
        for argument in (condition, first, second)
    ]
    value = np.where(*parts)
    (a, a_unknown), (b, b_unknown) = (_as(one, value.dtype) for one in (first, second))
    chosen = np.where(parts[0], a_unknown, b_unknown)
    if isinstance(condition, PartlyKnownLanes):
        kind = _unsigned(value.dtype)
        either = a_unknown | b_unknown | np.asarray(a).view(kind) ^ np.asarray(b).view(kind)
        chosen = np.where(condition.unknown != 0, either, chosen)
    return PartlyKnownLanes(value, chosen)


def _array(number: Any, kind: Any = None) -> Any:
    """Return `numpy.array`, or one that is known in part."""
    if isinstance(number, PartlyKnownLanes):
        return number if kind is None else number.astype(kind)
    if isinstance(number, list) and any(isinstance(one, PartlyKnown) for one in number):
        return np.stack([lanes_of_any(one, kind) for one in number])
    return (
        lanes_of_any(number, kind) if isinstance(number, PartlyKnown) else np.asarray(number, kind)
    )


def _full(shape: Any, number: Any, kind: Any = None) -> Any:
    if isinstance(number, (PartlyKnown, PartlyKnownLanes)):
        return np.broadcast_to(lanes_of_any(number, kind), shape)
    return np.full(shape, number, kind)


def _empty(shape: Any, kind: Any) -> PartlyKnownLanes:
    return PartlyKnownLanes(np.zeros(shape, kind))


NUMPY: Final = SimpleNamespace(
    **{**vars(np), "array": _array, "asarray": _array, "full": _full, "empty": _empty}
)
"""NumPy, whose arrays may be known in part."""
