"""Which bits of the result of a scalar operation are known, as bits of its sources are.

Law: it is computed with the unknown bits of each source as zeros and as ones. That is every case
for operations that have no bit which depends on two bits of one source: AND, shifts and the like.
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

_OPERATION: Final = pattern(
    r"s_((and|or|xor|andn2|orn2|nand|nor|xnor|not|brev)_b(32|64)|sext_.*|pack_.*|bitreplicate_.*"
    r"|(?P<second>(lshl|lshr|ashr|bfe|bitcmp[01])_.*)|(?P<first>bitset[01]_.*))"
)
"""Those whose bits depend on one bit of each source; `first` and `second` is the source that is the
number of a bit, or of bits."""
_FUNCTIONS: Final = {
    name.removeprefix(SCALAR_PREFIX): function for name, function in SCALAR_FUNCTIONS.items()
}
_WIDTH_OF_FIELD: Final = 0x7F0000
"""The bits of a number that say how wide a bit field is."""


class Number(NamedTuple):
    """A source."""

    value: int
    known: int
    """The mask of the bits that are known."""


_Function: TypeAlias = Callable[[int, int, int], int]


@frozen(eq=False)
class ScalarBits:
    """A scalar operation whose bits each depend on one bit of each source."""

    types: tuple[str, ...]
    """Of the sources."""
    number: int | None
    """Which source is the number of a bit, or of bits: it must be known."""
    number_bits: int
    """The bits of it that are read."""
    mask: int
    """The bits of the result."""
    sets_scc: bool
    """Whether SCC is set if the result is not 0."""
    letters: str
    """Of the sources in the expression."""
    function: _Function

    def read(self, source: int) -> int:
        """Return the bits of a source that may be read, whatever the others are."""
        return self.number_bits if source == self.number else _mask(self.types[source])

    def result(self, sources: Sequence[Number]) -> Number:
        """Return the result; what it is where it is not known means nothing."""
        fills = []
        for source, (value, known) in enumerate(sources):
            unknown = self.read(source) & ~known
            fills.append((value & ~unknown, value | unknown) if unknown else (value,))
        first, *rest = (self._computed(numbers) for numbers in product(*fills))
        unknown = 0
        for other in rest:
            unknown |= first ^ other
        return Number(first, self.mask & ~unknown)

    def _computed(self, numbers: Sequence[int]) -> int:
        arguments = dict.fromkeys("abd", 0)
        for letter, type, number in zip(self.letters, self.types, numbers, strict=True):
            shape = type_shape(type)
            bits = number & _mask(type)
            arguments[letter] = signed(bits, shape.bits) if shape.kind == "i" else bits
        return self.function(arguments["a"], arguments["b"], arguments["d"]) & self.mask


def scalar_bits(operation: Operation) -> ScalarBits | None:
    """Return an operation whose bits each depend on one bit of each source; None for any other."""
    match = _OPERATION.fullmatch(operation.name)
    if match is None:
        return None
    result, letters = operation.results[0], iter("ab")
    types = [declared.type or result.type for declared in operation.sources]
    width = max(type_shape(type).bits for type in (*types, result.type) if type)
    number = 1 if match["second"] else 0 if match["first"] else None
    return ScalarBits(
        tuple(types),
        number,
        width - 1 | (_WIDTH_OF_FIELD if "_bfe_" in operation.name else 0),
        _mask(result.type) if result.type else 1,
        len(operation.results) > 1,
        "".join("d" if declared.name == "d" else next(letters) for declared in operation.sources),
        _function(operation.expression.split(" ; ")[0], width),
    )


def _mask(type: str) -> int:
    return (1 << type_shape(type).bits) - 1


@cache
def _function(expression: str, width: int) -> _Function:
    """Return the function of a declared expression."""
    text = f"lambda a, b, d, width={width}: int({expression})"
    function: _Function = eval(text, {**_FUNCTIONS, "__builtins__": {"int": int}})
    return function
