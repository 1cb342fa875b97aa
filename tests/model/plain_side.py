"""A scenario given to the plain model, and the model's answer in the form that is compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.model import plain_values as values
from tests.model.plain_code import Form
from tests.model.plain_model import Context, Die, Frame, Unit
from tests.model.plain_operations import evaluate, evaluate_attribute
from tests.model.plain_storage import (
    Bit,
    Composite,
    Entry,
    Implicit,
    Location,
    Machine,
    Memory,
    Place,
    Pointer,
    PointerBit,
    Register,
    Space,
    Undefined,
    bits_of,
    bits_of_number,
    number_of,
    read_bit,
    write,
)
from tests.model.plain_values import Fault, Open, Type, Value
from tests.model.scenario import (
    SECOND_UNIT,
    DieData,
    EntryData,
    FrameData,
    LocationData,
    PlaceData,
    Scenario,
    ValueData,
    assemble,
)

SPACES = {0: None, 3: False, 5: True}
"""Address spaces: 0 has the address size of the scenario, the others 8 bits; 5 is per lane."""
WINDOW = 72
"""Bits read through a location that results, at most; so many of undefined storage."""
WRITTEN = 40
"""Bits written through it, at most."""


@dataclass(frozen=True)
class Answer:
    """What came out: `classes` of errors that are right, or a result."""

    classes: frozenset[str] = frozenset()
    value: tuple[str, int, int] | None = None
    """Encoding, size in bits, bits; -1 for any NaN."""
    pointer: tuple[int, int, int] | None = None
    places: tuple[str, ...] = ()
    """Storage and offset of each different place, composites by their size only."""
    bits: str = ""
    """Read from the result's position: 0, 1, u(ndefined), x (unavailable), p(ointer).

    A last ? says that the rest is open."""
    beyond: str = ""
    """The class of a read one bit past the end, where there is an end within reach."""
    written: frozenset[str] = frozenset()
    """The classes of a write, empty where it succeeds."""
    machine: str = ""
    """All memory and registers after the write, in hex."""


class Plain:
    """One scenario in the model."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        spaces = {
            number: Space(
                8 * scenario.address_bytes if lane is None else 8, lane is not None, bool(lane)
            )
            for number, lane in SPACES.items()
        }
        self.machine = Machine(
            Type("generic", 8 * scenario.address_bytes),
            scenario.endian,
            spaces,
            {n: Type(r.type.encoding, r.type.bits) for n, r in scenario.registers.items()},
            {
                n: None if r.bits is None else bits_of_number(r.bits, r.type.bits, scenario.endian)
                for n, r in scenario.registers.items()
            },
            {},
        )
        for space, lane, address, data in scenario.memory:
            cells = self.machine.memory.setdefault((space, lane), {})
            cells.update(enumerate(bits_of(data, scenario.endian), 8 * address))

    def context(self) -> Context:
        scenario = self.scenario
        return Context(
            machine=self.machine,
            form=scenario.main_form,
            unit=self.unit() if scenario.has_unit else None,
            has_thread=scenario.has_thread,
            lane=scenario.lane,
            iteration=scenario.iteration,
            frame=None if scenario.frame is None else self.frame(scenario.frame),
            pc=scenario.pc,
            object=None if scenario.object is None else self.location(scenario.object),
            stack=tuple(self.entry(entry) for entry in scenario.stack),
            kind=scenario.kind,
            pointers=self.unit(),
        )

    def unit(self) -> Unit:
        scenario = self.scenario
        dies = {offset: self.die(die, scenario.form) for offset, die in scenario.dies.items()}
        types, second_types = (
            {n: Type(kind.encoding, kind.bits) for n, kind in of.items()}
            for of in (scenario.types, scenario.second_types)
        )
        first = Unit(scenario.form, 0, types, scenario.addresses, scenario.tls, scenario.bias, dies)
        second = Unit(
            scenario.form, SECOND_UNIT, second_types, scenario.addresses, {}, scenario.bias, dies
        )
        first.other, second.other = second, first
        return first

    def die(self, die: DieData, form: Form) -> Die:
        return Die(
            None if die.steps is None else assemble(die.steps, form),
            None
            if die.entries is None
            else tuple((begin, end, assemble(steps, form)) for begin, end, steps in die.entries),
            die.constant,
            die.second_unit,
        )

    def frame(self, frame: FrameData) -> Frame:
        return Frame(
            frame.level,
            {n: self.location(location) for n, location in frame.registers.items()},
            {n: self.location(location) for n, location in frame.entry_registers.items()},
            None if frame.cfa is None else self.location(frame.cfa),
            None if frame.frame_base is None else self.location(frame.frame_base),
            {assemble(s, self.scenario.form): self.value(v) for s, v in frame.entry_values},
            None if frame.caller is None else (self.frame(frame.caller[0]), frame.caller[1]),
        )

    def entry(self, entry: EntryData) -> Entry:
        if isinstance(entry, PlaceData):
            pointer = self.place(entry).storage
            assert isinstance(pointer, Pointer)
            return pointer
        return self.value(entry) if isinstance(entry, ValueData) else self.location(entry)

    def value(self, value: ValueData) -> Value:
        if value.type == 0:
            return values.of(value.bits, self.machine.generic)
        kind = self.scenario.types[value.type]
        return values.of(value.bits, Type(kind.encoding, kind.bits))

    def location(self, location: LocationData) -> Location:
        return Location(tuple(self.place(place) for place in location))

    def place(self, place: PlaceData) -> Place:
        match place.storage:
            case "memory":
                size = self.machine.spaces[place.number].size
                return Place(Memory(place.number, place.lane, size), place.bit_offset)
            case "register":
                size = self.machine.register_types[place.number].bits
                return Place(Register(place.number, size), place.bit_offset)
            case "implicit":
                return Place(
                    Implicit(tuple(bits_of(place.data, self.scenario.endian))), place.bit_offset
                )
            case "pointer":
                size = self.machine.spaces[place.space].address_bits
                return Place(Pointer(place.number, place.displacement, place.space, size), 0)
            case "composite":
                parts = [(self.location(inner), bits, 1) for inner, bits in place.parts]
                return Place(Composite(parts, True), place.bit_offset)
        return Place(Undefined(), 0)

    # The answer.

    def answer(self) -> Answer:
        """The model's answer; `Open` where the texts leave it open."""
        try:
            result = self.result(self.context())
        except Fault as fault:
            return Answer(classes=fault.classes)
        match result:
            case Value():
                return Answer(value=shown_value(result))
            case Pointer():
                return Answer(pointer=(result.die, result.displacement, result.space))
        return self.read_through(result)

    def result(self, context: Context) -> Entry:
        if self.scenario.attribute is None:
            return evaluate(self.scenario.expression, context)
        unit = context.unit or self.unit()
        die = unit.dies[self.scenario.attribute]
        return evaluate_attribute(die, replace(context, unit=unit.of(die)))

    def read_through(self, location: Location) -> Answer:
        places = tuple(dict.fromkeys(map(shown_place, location.places)))
        left = location.remaining()
        size = WINDOW if left is None else min(left, WINDOW)
        bits = ""
        try:
            for number in range(size):
                bits += letter(read_bit(self.machine, location, number))
        except Open:
            bits += "?"  # from here on the places contradict each other
        beyond = "OutOfRange" if left is not None and left < WINDOW else ""
        written: frozenset[str] = frozenset()
        count = min(size, WRITTEN)
        try:
            if not count:
                raise Open
            write(self.machine, location, bits_of_number(self.scenario.written, count, "little"))
        except Fault as fault:
            written = fault.classes
            if "Unavailable" in written:  # earlier writes are not reported
                return Answer(places=places, bits=bits, beyond=beyond, written=written)
        except Open:
            written = frozenset({"open"})
        return Answer(
            places=places,
            bits=bits,
            beyond=beyond,
            written=written,
            machine="" if "open" in written else self.dump(),
        )

    def dump(self) -> str:
        """All memory and registers that can be read."""
        out = []
        for space, lane, address, data in self.scenario.memory:
            cells = self.machine.memory[space, lane]
            at = range(8 * address, 8 * (address + len(data)))
            number = number_of([cells[bit] for bit in at], self.scenario.endian)
            out.append(f"{space}[{lane}]{address:x}={number:0{2 * len(data)}x}")
        for number, contents in self.machine.registers.items():
            if contents is not None:
                out.append(f"r{number}={number_of(contents, self.scenario.endian):x}")
        return " ".join(out)


def letter(bit: Bit) -> str:
    if isinstance(bit, PointerBit):
        return "p"
    return {"undefined": "u", "unavailable": "x"}[bit] if isinstance(bit, str) else str(bit)


def shown_value(value: Value) -> tuple[str, int, int]:
    return value.type.encoding, value.type.bits, value.bits


def shown_place(place: Place) -> str:
    at = f"+{place.offset}"
    match place.storage:
        case Undefined():
            return "undefined"
        case Memory(space, lane, _):
            return f"memory {space}[{lane}]{at}"
        case Register(number, _):
            return f"register {number}{at}"
        case Implicit(bits):
            return f"implicit {len(bits)}{at}"
        case Pointer(die, displacement, space, _):
            return f"pointer {die} {displacement} {space}{at}"
        case Composite() as composite:
            return f"composite {composite.size}{at}"
