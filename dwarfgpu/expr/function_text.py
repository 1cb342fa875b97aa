"""The text of a Python function of a context, and what it has in place of stack entries.

Law: where a context is another than the function can use, and where an operation would raise, it
returns None.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from dwarfgpu.access.coalesced_reads import READ_BUDGET
from dwarfgpu.access.one_lane import ScalarAccess
from dwarfgpu.arch.model import AddressSpace, Architecture
from dwarfgpu.base.limits import Limits
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.bind import Evaluated
from dwarfgpu.expr.context import ResultKind
from dwarfgpu.expr.implicit_conversions import dated, register_locations
from dwarfgpu.expr.ops import composite
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Composite, Memory, Part, Selected
from dwarfgpu.model.value import Value


class NotCompiled(Exception):
    """What a function cannot express."""


class Number(NamedTuple):
    """A value of the generic type."""

    variable: str
    """Its bits."""


class Made(NamedTuple):
    """A value or a location that a function of an operation makes."""

    variable: str
    noun: type


class Single(NamedTuple):
    """A position within a storage; the bits are the sum of a constant and a variable."""

    storage: str
    """The text that makes it."""
    size_bits: int
    bit_offset: int = 0
    variable: str | None = None
    """Whole bytes, in bits."""
    loading: str | None = None
    """The text that reads bytes of a register or of memory: `first` and `size` are its fields."""
    location: str | None = None
    """The text that makes the location of its first bit, if that is shorter."""

    @property
    def is_plain(self) -> bool:
        """Whether it is in a register or in memory."""
        return self.loading is not None


class Parts(NamedTuple):
    """An incomplete composite."""

    texts: tuple[str, ...]
    sizes_bits: tuple[int, ...]
    are_plain: bool


Item: TypeAlias = "Value | Location | Number | Made | Single | Parts"
"""What an operation pops and pushes while a function is written."""
_PRELUDES: Final = {
    "target": ("target = ctx.target", "stop = None if target is None else target.stop"),
    "wave": ("wave = ctx.wave", "if type(wave) is not int: return None"),
    "lane": ("lane = ctx.lane", "if type(lane) is not int: return None"),
    "frame": ("frame = ctx.frame", "if frame is None or frame.level: return None"),
    "access": (
        "if target is None or type(ctx.access) is not ScalarAccess: return None",
    ),
    "budget": ("if READ_BUDGET.get() is not None: return None",),
}  # fmt: skip
"""What a function asks of its context, in this order; an enclosing evaluation counts what is read,
which a function does not."""
_SAME: Final = (
    "if ctx.architecture is not {} or ctx.limits is not {} or ctx.result_kind != {}"
    " or ctx.initial_stack or ctx.object is not None: return None"
)
"""What every function asks: it is for contexts with the same elements, and begins with no entry."""
_GLOBALS: Final = {
    "Composite": Composite,
    "DwarfGpuError": DwarfGpuError,
    "Location": Location,
    "Memory": Memory,
    "Part": Part,
    "READ_BUDGET": READ_BUDGET,
    "ScalarAccess": ScalarAccess,
    "Selected": Selected,
    "SingleLocation": SingleLocation,
    "Value": Value,
    "dated": dated,
    "part_of": composite.part_of,
}


class FunctionText:
    """The text of a function that is being written, and its constants."""

    def __init__(self, architecture: Architecture) -> None:
        self.architecture = architecture
        self.generic = architecture.generic
        self.mask = (1 << self.generic.bit_size) - 1
        self.needs: set[str] = set()
        """Keys of `_PRELUDES`."""
        self._lines: list[str] = []
        self._constants: list[object] = []
        self._count = 0
        """Variables so far."""

    def function(self, result: str, limits: Limits, result_kind: ResultKind | None) -> Evaluated:
        """Return the function with a text as its result, for some limits and a kind of result."""
        same = _SAME.format(*map(self.constant, (self.architecture, limits, result_kind)))
        needed = [lines for need, lines in _PRELUDES.items() if need in self.needs]
        prelude = [line for lines in needed for line in lines]
        body = "\n   ".join([same, *prelude, *self._lines, f"return {result}"])
        return _compiled(body, len(self._constants))(*self._constants)

    def constant(self, value: object) -> str:
        """Return the name of a constant; the text of the function is the same for all of them."""
        self._constants.append(value)
        return f"c{len(self._constants) - 1}"

    def variable(self, text: str) -> str:
        """Compute something once, into a variable of its own."""
        self._count += 1
        self._lines.append(f"x{self._count} = {text}")
        return f"x{self._count}"

    def unless(self, condition: str) -> None:
        self._lines.append(f"if {condition}: return None")

    def number(self, item: Item) -> str:
        """Return the text of the bits of a value of the generic type."""
        if isinstance(item, Number):
            return item.variable
        if isinstance(item, Value) and item.type == self.generic:
            return self.constant(item.bits)
        raise NotCompiled

    def single(self, item: Item) -> Single:
        """Return a single location; an address of the generic type is one in the default space."""
        if isinstance(item, Single):
            return item
        return self.in_memory(self.architecture.address_space(0), item)

    def in_register(self, number: int) -> Single:
        """Return the location of a register, in the top frame."""
        info = self.architecture.register(number)
        self.needs |= {"target", "wave", "frame"}
        location = f"{self.constant(register_locations(self.architecture, number))}(wave, stop)"
        loading = f"target.read_register(wave, {self.constant(info)}, {{first}}, {{size}})"
        storage = f"{location}.single_locations[0].storage"
        return Single(storage, info.size_bits, 0, None, loading, location)

    def in_memory(self, space: AddressSpace, address: Item) -> Single:
        """Return the location of an address, as `expr.convert.memory_location` does."""
        scope, named = space.scope, self.constant(space)
        if scope in ("process", "agent"):
            storage = self.constant(Memory(space))
        else:
            is_of_lane = scope in ("lane", "any")
            self.needs |= {"wave", "lane"} if is_of_lane else {"wave"}
            storage = self.variable(f"Memory({named}, wave{', lane' * is_of_lane})")
        loading = f"target.read_memory({storage}, {{first}}, {{size}})"
        self.needs.add("target")
        if isinstance(address, Value) and address.type == self.generic:
            return Single(
                storage, space.size_bits, (address.bits & space.end - 1) * 8, None, loading
            )
        text = f"({self.number(address)} & {self.constant(space.end - 1)}) * 8"
        return Single(storage, space.size_bits, 0, self.variable(text), loading)

    def at(self, single: Single) -> str:
        """Return the text of the bit offset of a single location."""
        if single.variable is None:
            return self.constant(single.bit_offset)
        if not single.bit_offset:
            return single.variable
        return f"{single.variable} + {self.constant(single.bit_offset)}"

    def require_bits(self, single: Single, size_bits: int) -> None:
        """Let the function give None unless a single location has that many bits."""
        left_bits = single.size_bits - single.bit_offset - size_bits
        if left_bits < 0:
            raise NotCompiled
        if single.variable is not None:
            self.unless(f"{single.variable} > {self.constant(left_bits)}")

    def located(self, item: Item, *, is_result: bool = False) -> str:
        """Return the text of a location description; a result has the stop of the machine."""
        if isinstance(item, Location):
            return self.constant(item)
        if isinstance(item, Made) and item.noun is Location:
            return item.variable
        single = self.single(item)
        if single.location is not None and not single.bit_offset and single.variable is None:
            return single.location
        stop = "stop" if single.is_plain or is_result else "None"
        return f"Location((SingleLocation({single.storage}, {self.at(single)}),), {stop})"

    def valued(self, item: Item) -> str:
        """Return the text of a value."""
        if isinstance(item, Value):
            return self.constant(item)
        if isinstance(item, Made) and item.noun is Value:
            return item.variable
        return f"Value({self.number(item)}, {self.constant(self.generic)})"

    def is_value(self, item: Item) -> bool:
        return isinstance(item, Value | Number) or (isinstance(item, Made) and item.noun is Value)

    def is_number(self, item: Item) -> bool:
        return isinstance(item, Number) or (isinstance(item, Value) and item.type == self.generic)

    def is_shift(self, item: Item) -> bool:
        """Return whether it is a constant by which a number of the generic type can be shifted."""
        bits = item.bits if isinstance(item, Value) and item.type == self.generic else -1
        return 0 <= bits < self.generic.bit_size


@lru_cache(maxsize=256)
def _compiled(body: str, count: int) -> Callable[..., Evaluated]:
    """Compile the text of a function: return what makes it of its constants."""
    names: dict[str, Any] = {}
    parameters = ", ".join(f"c{number}" for number in range(count))
    # Performing the operations says which one raises an error.
    source = (
        f"def make({parameters}):\n def evaluated(ctx):\n  try:\n   {body}\n"
        "  except DwarfGpuError: return None\n return evaluated\n"
    )
    exec(compile(source, "<expression>", "exec"), _GLOBALS, names)
    function: Callable[..., Evaluated] = names["make"]
    return function
