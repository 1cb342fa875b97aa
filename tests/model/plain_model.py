"""The plain model: operation expressions evaluated as slowly and obviously as possible.

Written from the AMD text (A.2.5) alone, to be compared with the engine, of which it imports
nothing. Here: the context, the evaluation, and what operations have at hand; the operations are
in `plain_operations` and `plain_locations`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from tests.model import plain_values as values
from tests.model.plain_code import Form, Op, decode
from tests.model.plain_storage import (
    UNDEFINED,
    Entry,
    Implicit,
    Location,
    Machine,
    Memory,
    Place,
    Pointer,
    bits_of,
)
from tests.model.plain_values import Fault, Open, Type, Value

STEPS = 3000
DEPTH = 20


@dataclass(frozen=True)
class Die:
    """`expression` or `entries` (begin, end, bytes; no begin: the default), or a constant."""

    expression: bytes | None = None
    entries: tuple[tuple[int | None, int | None, bytes], ...] | None = None
    constant: bytes | None = None
    second_unit: bool = False


@dataclass
class Unit:
    form: Form
    offset: int
    types: dict[int, Type]
    addresses: dict[int, int]
    tls: dict[int, int]
    bias: int
    dies: dict[int, Die]
    """All of `.debug_info`, shared by the units."""
    other: Unit | None = None

    def of(self, die: Die) -> Unit:
        first = self if self.offset == 0 else self.other
        assert first is not None and first.other is not None
        return first.other if die.second_unit else first


@dataclass
class Frame:
    level: int = 0
    registers: dict[int, Location] = field(default_factory=dict)
    entry_registers: dict[int, Location] = field(default_factory=dict)
    cfa: Location | None = None
    frame_base: Location | None = None
    entry_values: dict[bytes, Value] = field(default_factory=dict)
    caller: tuple[Frame, int] | None = None


@dataclass
class Context:
    machine: Machine
    form: Form
    """How an expression is encoded that belongs to no unit."""
    unit: Unit | None = None
    has_thread: bool = True
    lane: int | None = None
    iteration: int | None = None
    frame: Frame | None = None
    pc: int | None = None
    object: Location | None = None
    stack: tuple[Entry, ...] = ()
    kind: str | None = None
    pointers: Unit | None = None
    """The unit of implicit pointers that come with the context."""

    def need(self, element: str) -> Any:
        """The element; it is an error where it is not specified."""
        result = getattr(self, element)
        if result is None or result is False:
            raise Fault("MissingContext")
        return result


# Evaluation.


class Evaluation:
    """One evaluation with all that are nested in it."""

    def __init__(self) -> None:
        self.steps = 0
        self.depth = 0
        self.last: Op | None = None
        """The last operation executed, of the evaluation that is going on."""
        self.last_of_nested: Op | None = None
        """The same, of the evaluation within it that ended last."""

    def result(self, data: bytes, context: Context) -> Entry:
        stack = list(context.stack)
        outer, self.last = self.last, None
        with self.deeper():
            self.run(data, context, stack)
        last, self.last = self.last, outer
        result = self.ended(stack, context)
        self.last_of_nested = last
        return result

    def ended(self, stack: list[Entry], context: Context) -> Entry:
        """The result, by the rules of A.2.5.4 for the three result kinds."""
        if not stack:
            if context.kind == "value":
                raise Fault("IllFormed")
            return UNDEFINED
        top = stack[-1]
        if isinstance(top, Location) and (composite := top.incomplete()) is not None:
            composite.complete = True
        if context.kind == "location":
            return self.location(top, context)
        if context.kind == "value" and not isinstance(top, Pointer):
            return self.value(top, context)
        return top

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self.depth += 1
        if self.depth > DEPTH:
            raise Open
        yield
        self.depth -= 1

    def run(self, data: bytes, context: Context, stack: list[Entry]) -> None:
        form = context.unit.form if context.unit else context.form
        ops, whole = decode(data, form)
        starts = {op.start: index for index, op in enumerate(ops)}
        index = 0
        while index < len(ops) or not whole:
            if index == len(ops):
                raise Fault("Malformed")
            self.steps += 1
            if self.steps > STEPS:
                raise Open
            op = ops[index]
            index += 1
            self.last = op
            to = perform(Machinery(self, op, context, stack))
            if to is None:
                continue
            if to == len(data):
                return
            if to not in starts:
                raise Fault("IllFormed")
            index = starts[to]

    # Implicit conversions (A.2.5.4.4.3).

    def location(self, entry: Entry, context: Context) -> Location:
        if isinstance(entry, Value):
            if entry.type.encoding != "generic":
                raise Fault("IllFormed")
            return memory(context, 0, entry.bits)
        if isinstance(entry, Pointer):
            if entry.space != 0:
                raise Fault("EvaluationError")
            return self.pointed(entry, context)
        if entry.incomplete() is not None:
            raise Fault("IllFormed")
        return entry

    def value(self, entry: Entry, context: Context) -> Value:
        if isinstance(entry, Value):
            return entry
        if isinstance(entry, Pointer):
            raise Fault("EvaluationError")
        if len(entry.places) == 1:
            place = entry.places[0]
            default = isinstance(place.storage, Memory) and place.storage.space == 0
            if default and place.offset % 8 == 0:
                return values.of(place.offset // 8, context.machine.generic)
        raise Fault("IllFormed")

    def pointed(self, pointer: Pointer, context: Context) -> Location:
        """RL of A.2.5.4.4.5."""
        unit: Unit = context.unit or context.need("pointers")
        if pointer.die not in unit.dies:
            raise Fault("IllFormed")
        die = unit.dies[pointer.die]
        if die.constant is not None:
            location = implicit(die.constant, context)
        elif die.expression is None and die.entries is None:
            raise Fault("EvaluationError")
        else:
            inner = replace(context, unit=unit.of(die), object=None, stack=(), kind="location")
            location = self.attribute(die, inner)
        return location.moved(8 * pointer.displacement)

    def attribute(self, die: Die, context: Context) -> Location:
        """A DW_AT_location evaluated for itself, in a context made for it."""
        if die.entries is not None:
            return self.location_list(die, context)
        assert die.expression is not None
        result = self.result(die.expression, context)
        assert isinstance(result, Location)
        return result

    def location_list(self, die: Die, context: Context) -> Location:
        """A.2.5.5."""
        pc = context.pc
        if pc is None:
            raise Fault("EvaluationError")
        assert die.entries is not None
        matching = []
        for begin, end, expression in die.entries:
            if begin is not None and end is not None and begin <= pc < end:
                matching.append(expression)
        if not matching:
            matching = [expression for begin, _, expression in die.entries if begin is None]
        places: list[Place] = []
        for expression in matching:
            inner = replace(context, object=None, stack=(), kind="location")
            result = self.result(expression, inner)
            assert isinstance(result, Location)
            places += [place for place in result.places if place not in places]
        return Location(tuple(places)) if places else UNDEFINED


def memory(context: Context, space: int, address: int) -> Location:
    """A place in an address space, of the current thread and lane where it depends on them."""
    if space not in context.machine.spaces:
        raise Fault("IllFormed")
    what = context.machine.spaces[space]
    if what.per_thread:
        context.need("has_thread")
    lane: int | None = context.need("lane") if what.per_lane else None
    return Location((Place(Memory(space, lane, what.size), 8 * address),))


def implicit(data: bytes, context: Context) -> Location:
    return Location((Place(Implicit(tuple(bits_of(data, context.machine.endian))), 0),))


@dataclass
class Machinery:
    """What an operation has at hand."""

    evaluation: Evaluation
    op: Op
    context: Context
    stack: list[Entry]

    def __post_init__(self) -> None:
        self.machine = self.context.machine
        self.generic = self.machine.generic

    def require(self, count: int) -> None:
        if len(self.stack) < count:
            raise Fault("IllFormed")

    def pop_entry(self) -> Entry:
        self.require(1)
        return self.stack.pop()

    def take(self, *kinds: str) -> list[Entry]:
        """The top entries, the top one first, each as the kind named; with several faults, any."""
        self.require(len(kinds))
        taken: list[Entry] = []
        faults: set[str] = set()
        for kind in kinds:
            try:
                taken.append(getattr(self, "pop_" + kind)())
            except Fault as fault:
                faults |= fault.classes
        if faults:
            raise Fault(*faults)
        return taken

    def pop_value(self) -> Value:
        return self.evaluation.value(self.pop_entry(), self.context)

    def pop_integral(self) -> Value:
        return values.integral(self.pop_value())

    def pop_location(self) -> Location:
        return self.evaluation.location(self.pop_entry(), self.context)

    def push(self, entry: Entry) -> None:
        self.stack.append(entry)

    def push_generic(self, number: int) -> None:
        self.push(values.of(number, self.generic))

    def unit(self) -> Unit:
        unit: Unit = self.context.need("unit")
        return unit

    def type_at(self, offset: int | bytes) -> Type:
        assert isinstance(offset, int)
        unit = self.unit()
        if offset not in unit.types:
            raise Fault("IllFormed")
        return unit.types[offset]

    def frame(self) -> Frame:
        frame: Frame = self.context.need("frame")
        return frame

    def numbers(self) -> list[int]:
        return [operand for operand in self.op.operands if isinstance(operand, int)]


Operation = Callable[[Machinery], int | None]
OPERATIONS: dict[str, Operation] = {}
"""What each operation does, by its name."""


def op(*names: str) -> Callable[[Operation], Operation]:
    """Declares what the operations of these names do."""

    def declare(function: Operation) -> Operation:
        for name in names:
            OPERATIONS[name] = function
        return function

    return declare


def perform(m: Machinery) -> int | None:
    """Perform an operation; where to branch, if anywhere."""
    name = m.op.name
    for family, like in (("lit", "constu"), ("reg", "regx"), ("breg", "bregx")):
        if name.startswith(family) and name.removeprefix(family).isdigit():
            operands = (int(name.removeprefix(family)), *m.op.operands)
            return OPERATIONS[like](replace(m, op=replace(m.op, operands=operands)))
    return OPERATIONS[name](m)
