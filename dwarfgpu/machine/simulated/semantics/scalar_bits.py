"""Which bits of the result of a scalar operation are known, as bits of its sources are.

Law: what is known is the same whatever the unknown bits are. An operation bit by bit is computed
with the unknown bits of each source as zeros and as ones: that is every case where no bit depends
on two bits of one source. Carries grow with the sources, so those of a sum have two extremes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import Final, NamedTuple, TypeAlias

from dwarfgpu.base.bits import signed
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen
from dwarfgpu.isa.operation import Operation
from dwarfgpu.machine.simulated.semantics.operand_text import type_shape
from dwarfgpu.machine.simulated.semantics.scalar_functions import SCALAR_FUNCTIONS, SCALAR_PREFIX

_BIT_BY_BIT: Final = pattern(
    r"s_((and|or|xor|andn[12]|orn[12]|nand|nor|xnor|not|brev)(_(?P<exec>save|wr)exec)?_b(32|64)"
    r"|sext_.*|pack_.*|bitreplicate_.*|(?P<second>(lshl|lshr|ashr|bfe|bitcmp[01])_[bui](32|64))"
    r"|(?P<first>bitset[01]_.*))"
)
"""Those whose bits depend on one bit of each source; `first` and `second` is the source that is the
number of a bit, or of bits."""
_SUM: Final = pattern(
    r"s_(?P<kind>(add|sub)(c|b|k|_nc)?|lshl(?P<shift>[1-4])_add|mulk?)_[ui](32|64)"
)
_TYPES: Final = {"scc": "b1", "imm16": "i16"}
"""Of sources without a declared type; others have that of the result."""
_FUNCTIONS: Final = {
    name.removeprefix(SCALAR_PREFIX): function for name, function in SCALAR_FUNCTIONS.items()
}
_WIDTH_OF_FIELD: Final = 0x7F0000
"""The bits of a number that say how wide a bit field is."""
_ABOVE: Final = 8
"""Bits of a sum above those of its result: more than its numbers need."""


class Number(NamedTuple):
    """A source."""

    value: int
    known: int
    """The mask of the bits that are known."""


class Result(NamedTuple):
    """What is known of the results of an operation."""

    known: int
    """The mask of the known bits of the number that it computes."""
    is_scc_known: bool


_Function: TypeAlias = Callable[..., int]


@frozen(eq=False)
class ScalarBits:
    """A scalar operation of whose result some bits may be known."""

    types: tuple[str, ...]
    """Of the sources."""
    number: int | None
    """Which source is the number of a bit, or of bits: it must be known."""
    number_bits: int
    """The bits of it that are read."""
    mask: int
    """The bits of the result."""
    sets_scc: bool
    """Whether SCC is a result beside the number."""
    is_for_exec: bool
    """Whether EXEC alone gets the number, and a register what EXEC was."""
    compute: Callable[[ScalarBits, Sequence[Number]], Result]
    letters: tuple[str, ...] = ()
    """Of the sources in the expression of an operation bit by bit."""
    function: _Function | None = None
    shift: int = 0
    """By how much a sum shifts its first source to the left."""
    is_difference: bool = False

    def read(self, source: int) -> int:
        """Return the bits of a source that may be read, whatever the others are."""
        return self.number_bits if source == self.number else _mask(self.types[source])

    def result(self, sources: Sequence[Number]) -> Result:
        """Return what is known of the results."""
        return self.compute(self, sources)


def _bit_by_bit(operation: ScalarBits, sources: Sequence[Number]) -> Result:
    """Return what is known; SCC says whether a bit is set."""
    fills = []
    for source, (value, known) in enumerate(sources):
        unknown = operation.read(source) & ~known
        fills.append((value & ~unknown, value | unknown) if unknown else (value,))
    first, *rest = (_computed(operation, numbers) for numbers in product(*fills))
    known = operation.mask
    for other in rest:
        known &= ~(first ^ other)
    return Result(known, known == operation.mask or bool(first & known))


def _computed(operation: ScalarBits, numbers: Sequence[int]) -> int:
    arguments = dict.fromkeys(("a", "b", "d", "exec"), 0)
    for letter, type, number in zip(operation.letters, operation.types, numbers, strict=True):
        shape = type_shape(type)
        bits = number & _mask(type)
        arguments[letter] = signed(bits, shape.bits) if shape.kind == "i" else bits
    assert operation.function is not None
    return operation.function(**arguments) & operation.mask


def _sum(operation: ScalarBits, sources: Sequence[Number]) -> Result:
    """Return what is known of a sum or a difference; SCC says whether it is out of range."""
    first, second = map(_extended, sources[:2], operation.types[:2])
    carry = sources[2] if len(sources) > 2 else Number(0, -1)
    shift, width = operation.shift, operation.mask.bit_length()
    first = Number(first.value << shift, ~(~first.known << shift))
    if operation.is_difference:
        second, carry = Number(~second.value, second.known), Number(~carry.value, carry.known)
    value, known = _added(first, second, carry, width + _ABOVE)
    if operation.types[0].startswith("i"):  # out of range: two signs
        is_scc_known = known >> width - 1 & 3 == 3
    else:
        above = known >> width
        is_scc_known = above == (1 << _ABOVE) - 1 or bool(value >> width & above)
    return Result(known & operation.mask, is_scc_known)


def _added(first: Number, second: Number, carry: Number, width: int) -> Number:
    """Return the sum of two numbers and the lowest bit of a third."""
    mask = (1 << width) - 1
    low, high = (
        [(value & known | fill & ~known) & bits for value, known, bits in (
            (*first, mask), (*second, mask), (*carry, 1)
        )]
        for fill in (0, -1)
    )  # fmt: skip
    carries = [numbers[0] ^ numbers[1] ^ sum(numbers) for numbers in (low, high)]
    return Number(sum(low) & mask, first.known & second.known & ~(carries[0] ^ carries[1]) & mask)


def _product(operation: ScalarBits, sources: Sequence[Number]) -> Result:
    """Return what is known of a product: the bits that no unknown bit gets to, and zeros above the
    largest product."""
    first, second = map(_extended, sources, operation.types)
    width = operation.mask.bit_length()
    lowest = min(
        _zeros(~one.known, width) + _zeros(other.value | ~other.known, width)
        for one, other in ((first, second), (second, first))
    )
    greatest = [(value | ~known) & operation.mask for value, known in (first, second)]
    unknown = (1 << (greatest[0] * greatest[1]).bit_length()) - (1 << min(lowest, 2 * width))
    return Result(operation.mask & ~max(unknown, 0), True)


def _zeros(number: int, most: int) -> int:
    """Return the number of zeros below the lowest set bit, or `most` if that is less."""
    return min((number & -number).bit_length() - 1, most) if number else most


def _extended(source: Number, type: str) -> Number:
    """Return a source as a number of its type with any number of bits."""
    bits, mask = type_shape(type).bits, _mask(type)
    if type.startswith("i"):
        return Number(signed(source.value & mask, bits), signed(source.known & mask, bits))
    return Number(source.value & mask, source.known | ~mask)


def scalar_bits(operation: Operation) -> ScalarBits | None:
    """Return an operation of whose result some bits may be known; None for any that needs all."""
    match = _BIT_BY_BIT.fullmatch(operation.name) or _SUM.fullmatch(operation.name)
    if match is None:
        return None
    result = operation.results[0]
    types = tuple(
        declared.type or _TYPES.get(declared.name, result.type) for declared in operation.sources
    )
    groups = match.groupdict()
    expressions = operation.expression.split(" ; ")
    is_for_exec = groups.get("exec") == "save"
    mask = _mask(result.type) if result.type else 1
    kind = groups.get("kind")
    if kind is not None:
        return ScalarBits(
            types,
            None,
            0,
            mask,
            len(operation.results) > 1,
            False,
            _product if kind.startswith("mul") else _sum,
            shift=int(groups["shift"] or 0),
            is_difference=kind.startswith("sub"),
        )
    width = max(type_shape(type).bits for type in (*types, result.type) if type)
    letters = iter("ab")
    return ScalarBits(
        types,
        1 if groups["second"] else 0 if groups["first"] else None,
        width - 1 | (_WIDTH_OF_FIELD if "_bfe_" in operation.name else 0),
        mask,
        len(operation.results) > 1,
        is_for_exec,
        _bit_by_bit,
        tuple(declared.name if declared.name in ("d", "exec") else next(letters)
              for declared in operation.sources),
        _function(expressions[is_for_exec], width),
    )  # fmt: skip


def _mask(type: str) -> int:
    return (1 << type_shape(type).bits) - 1


@cache
def _function(expression: str, width: int) -> _Function:
    """Return the function of a declared expression."""
    text = f"lambda a, b, d, exec, width={width}: int({expression})"
    function: _Function = eval(text, {**_FUNCTIONS, "__builtins__": {"int": int}})
    return function
