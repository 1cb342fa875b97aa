"""A scenario given to the engine, and the engine's answer in the form that is compared."""

from __future__ import annotations

from collections.abc import Mapping

from dwarfgpu.access.location_access import NO_BITS
from dwarfgpu.arch.model import NO_APERTURES, AddressSpace, Apertures, Architecture, RegisterInfo
from dwarfgpu.base.base_type import BaseType, float_format
from dwarfgpu.base.bits import Endian, to_bytes
from dwarfgpu.base.limits import Limits
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.expr.context import (
    ConstValue,
    Context,
    ExprLoc,
    LocationAttribute,
    LocList,
    UnitFormat,
)
from dwarfgpu.expr.dialect.dialect import AMD_DIRECT, AMD_PROVISIONAL
from dwarfgpu.expr.evaluate import Result, Step, evaluate, evaluate_attribute
from dwarfgpu.expr.explicit_context import ExplicitFrame, ExplicitUnit
from dwarfgpu.expr.location_list_entry import LocationListEntry
from dwarfgpu.machine.target import WaveId
from dwarfgpu.model.location import Entry, ImplicitPointerValue, Location, SingleLocation
from dwarfgpu.model.storage import (
    UNDEFINED,
    Composite,
    DieReference,
    Implicit,
    ImplicitPointer,
    Memory,
    Part,
    Register,
    Repeated,
    Selected,
    Undefined,
)
from dwarfgpu.model.value import Value
from tests.model.plain_side import SPACES, WINDOW, WRITTEN, Answer
from tests.model.scenario import (
    SECOND_UNIT,
    EntryData,
    FrameData,
    LocationData,
    PlaceData,
    Scenario,
    TypeData,
    ValueData,
    assemble,
)

WAVE = 7
LANE_COUNT = 4
ENDIANS: Mapping[str, Endian] = {"little": "little", "big": "big"}


class Store:
    """A target made of dictionaries: bytes by space, lane and address, registers by number."""

    def __init__(self, architecture: Architecture) -> None:
        self.architecture = architecture
        self.memory: dict[tuple[int, int | None], dict[int, int]] = {}
        self.registers: dict[int, bytes] = {}

    @property
    def stop(self) -> int:
        return 1

    def apertures_of(self, wave: int) -> Apertures:
        return NO_APERTURES

    def architecture_of(self, wave: WaveId) -> Architecture:
        if wave != WAVE:
            raise Unavailable(f"no wave {wave}")
        return self.architecture

    def read_register(
        self,
        wave: WaveId,
        register: RegisterInfo,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        if wave != WAVE or register.number not in self.registers:
            raise Unavailable(f"no register {register} of wave {wave}")
        data = self.registers[register.number]
        end = len(data) if size_bytes is None else offset_bytes + size_bytes
        assert 0 <= offset_bytes <= end <= len(data)
        return data[offset_bytes:end]

    def write_register(
        self, wave: WaveId, register: RegisterInfo, data: bytes, offset_bytes: int = 0
    ) -> None:
        old = self.read_register(wave, register)
        end = offset_bytes + len(data)
        assert register.number is not None and end <= len(old)
        self.registers[register.number] = old[:offset_bytes] + data + old[end:]

    def _cells(self, where: Memory, address: int, size_bytes: int) -> dict[int, int]:
        lane = where.lane if where.space.scope == "lane" else None
        cells = self.memory.get((where.space.number, lane), {})
        for at in range(address, address + size_bytes):
            if at not in cells:
                raise Unavailable(f"no byte {at:#x} of {where.space}")
        return cells

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        cells = self._cells(where, address, size_bytes)
        return bytes(cells[at] for at in range(address, address + size_bytes))

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        cells = self._cells(where, address, len(data))
        cells.update(enumerate(data, address))


class Engine:
    """One scenario in the engine."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.endian = ENDIANS[scenario.endian]
        self.dialect = AMD_DIRECT if scenario.direct else AMD_PROVISIONAL
        self.types = {n: self.type(kind) for n, kind in scenario.types.items()}
        self.arch = self.architecture()
        self.target = Store(self.arch)
        for number, register in scenario.registers.items():
            if register.bits is not None:
                data = to_bytes(register.bits, register.type.bits, self.endian)
                self.target.registers[number] = data
        for space, lane, address, data in scenario.memory:
            cells = self.target.memory.setdefault((space, lane), {})
            cells.update(enumerate(data, address))

    def type(self, kind: TypeData) -> BaseType:
        name = f"{kind.encoding}{kind.bits}"
        form = float_format(name, kind.bits) if kind.encoding == "float" else None
        return BaseType(name, kind.encoding, kind.bits, self.endian, float_format=form)

    def architecture(self) -> Architecture:
        bits = 8 * self.scenario.address_bytes
        spaces = {
            0: AddressSpace(0, "default", bits),
            3: AddressSpace(3, "group", 8, "workgroup"),
            5: AddressSpace(5, "lane", 8, "lane"),
        }
        assert spaces.keys() == SPACES.keys()
        registers = {
            n: RegisterInfo(f"r{n}", n, self.type(r.type))
            for n, r in self.scenario.registers.items()
        }
        return Architecture(
            "toy", "TOY", bits, registers, spaces, endian=self.endian, lane_count=LANE_COUNT
        )

    def context(self) -> Context:
        scenario = self.scenario
        return Context(
            architecture=self.arch,
            wave=WAVE if scenario.has_thread else None,
            lane=scenario.lane,
            iteration=scenario.iteration,
            frame=None if scenario.frame is None else self.frame(scenario.frame),
            pc=scenario.pc,
            unit=self.unit() if scenario.has_unit else None,
            object=None if scenario.object is None else self.location(scenario.object),
            initial_stack=tuple(map(self.entry, scenario.stack)),
            result_kind="value"
            if scenario.kind == "value"
            else "location"
            if scenario.kind == "location"
            else None,
            target=self.target,
            lane_count=LANE_COUNT,
            iteration_count=2,
            limits=Limits(steps=3000),
        )

    def unit(self) -> ExplicitUnit:
        scenario = self.scenario
        form = UnitFormat(
            scenario.address_bytes, scenario.offset_size, scenario.version, self.endian
        )
        locations: dict[int, LocationAttribute | None] = {}
        first = ExplicitUnit(
            format=form,
            dialect=self.dialect,
            base_types=self.types,
            addresses=scenario.addresses,
            locations=locations,
            tls=scenario.tls,
            load_bias=scenario.bias,
        )
        second = ExplicitUnit(
            format=form,
            dialect=self.dialect,
            base_types={n: self.type(kind) for n, kind in scenario.second_types.items()},
            addresses=scenario.addresses,
            offset=SECOND_UNIT,
            locations=locations,
            load_bias=scenario.bias,
        )
        for offset, die in scenario.dies.items():
            unit = second if die.second_unit else first
            if die.steps is not None:
                locations[offset] = ExprLoc(assemble(die.steps, scenario.form), unit)
            elif die.entries is not None:
                locations[offset] = LocList(
                    tuple(
                        LocationListEntry(assemble(steps, scenario.form), begin, end)
                        for begin, end, steps in die.entries
                    ),
                    unit,
                )
            else:
                locations[offset] = None if die.constant is None else ConstValue(die.constant)
        return first

    def frame(self, frame: FrameData) -> ExplicitFrame:
        form = self.scenario.form
        return ExplicitFrame(
            self.arch,
            frame.level,
            {n: self.location(location) for n, location in frame.registers.items()},
            {n: self.location(location) for n, location in frame.entry_registers.items()},
            None if frame.cfa is None else self.location(frame.cfa),
            None if frame.frame_base is None else self.location(frame.frame_base),
            {assemble(steps, form): self.value(value) for steps, value in frame.entry_values},
            None if frame.caller is None else (self.frame(frame.caller[0]), frame.caller[1]),
        )

    def entry(self, entry: EntryData) -> Entry:
        if isinstance(entry, PlaceData):
            pointer = self.place(entry).storage
            assert isinstance(pointer, ImplicitPointer)
            return ImplicitPointerValue.of(pointer, self.arch.generic)
        return self.value(entry) if isinstance(entry, ValueData) else self.location(entry)

    def value(self, value: ValueData) -> Value:
        base = self.types.get(value.type, self.arch.generic)
        return Value(value.bits & (1 << base.bit_size) - 1, base)

    def location(self, location: LocationData) -> Location:
        return Location(tuple(self.place(place) for place in location))

    def place(self, place: PlaceData) -> SingleLocation:
        at = place.bit_offset
        match place.storage:
            case "memory":
                space = self.arch.address_space(place.number)
                wave = None if space.scope == "process" else WAVE
                return SingleLocation(Memory(space, wave, place.lane), at)
            case "register":
                return SingleLocation(Register(self.arch.register(place.number), WAVE), at)
            case "implicit":
                number = int.from_bytes(place.data, self.endian)
                return SingleLocation(Implicit(number, 8 * len(place.data)), at)
            case "pointer":
                die = DieReference(place.number, self.unit())
                space = self.arch.address_space(place.space)
                return SingleLocation(ImplicitPointer(die, place.displacement, space), 0)
            case "composite":
                parts = tuple(Part(self.location(inner), bits) for inner, bits in place.parts)
                starts = tuple(sum(p.size_bits for p in parts[:n]) for n in range(len(parts)))
                size = sum(part.size_bits for part in parts)
                return SingleLocation(Composite(parts, starts, size), at)
        return SingleLocation(UNDEFINED, 0)

    # The answer.

    def answer(self) -> Answer:
        context = self.context()
        try:
            result = self.result(context)
        except DwarfGpuError as error:
            return Answer(classes=frozenset({error.kind}))
        match result:
            case Value():
                return Answer(value=(result.type.encoding, result.type.bit_size, result.bits))
            case ImplicitPointerValue(storage):
                die = storage.die.section_offset
                return Answer(pointer=(die, storage.displacement_bytes, storage.space.number))
        return self.read_through(result, context)

    def result(self, context: Context) -> Result:
        observe = _ignore if self.scenario.seed % 2 else None
        if self.scenario.attribute is None:
            data = self.scenario.expression
            return evaluate(data, context, dialect=self.dialect, observe=observe)
        attribute = self.unit().locations[self.scenario.attribute]
        assert isinstance(attribute, ExprLoc | LocList)
        return evaluate_attribute(attribute, context, observe=observe)

    def read_through(self, location: Location, context: Context) -> Answer:
        left = location.remaining_bits
        size = WINDOW if left is None else min(left, WINDOW)
        bits = self.bits(location, size, context)
        beyond = ""
        if left is not None and left < WINDOW:
            beyond = _class(lambda: context.access.read(location, left + 1))
        count = min(size, WRITTEN)
        number = self.scenario.written & (1 << count) - 1
        if self.endian == "big":  # the bits of the object are numbered from its first bit
            number = int(f"{number:0{count}b}"[::-1], 2) if count else 0
        failed = _class(lambda: context.access.write(location, count, number))
        return Answer(
            places=tuple(dict.fromkeys(map(shown_place, location.single_locations))),
            bits=bits,
            beyond=beyond,
            written=frozenset({failed}) if failed else frozenset(),
            machine=self.dump(),
        )

    def bits(self, location: Location, size: int, context: Context) -> str:
        """Read as a whole; where that fails, bit by bit."""
        try:
            data = context.access.read(location, size)
        except DwarfGpuError as error:
            if error.kind != "EvaluationError" or size == 1:
                return "p" if error.kind == "EvaluationError" else error.kind
            return "".join(self.bits(location.displaced(n), 1, context) for n in range(size))
        if NO_BITS in data.reasons:
            if size == 1:
                return "p"
            return "".join(self.bits(location.displaced(n), 1, context) for n in range(size))
        out = ""
        for number in range(size):
            bit = 1 << (number if self.endian == "little" else size - 1 - number)
            if data.undefined & bit:
                out += "u"
            else:
                out += "x" if data.unavailable & bit else "01"[bool(data.value & bit)]
        return out

    def dump(self) -> str:
        out = []
        for space, lane, address, data in self.scenario.memory:
            cells = self.target.memory[space, lane]
            contents = bytes(cells[address + n] for n in range(len(data)))
            number = int.from_bytes(contents, self.endian)
            out.append(f"{space}[{lane}]{address:x}={number:0{2 * len(data)}x}")
        for number, register in self.scenario.registers.items():
            if number in self.target.registers:
                contents = self.target.registers[number]
                shift = -register.type.bits % 8 if self.endian == "big" else 0
                out.append(f"r{number}={int.from_bytes(contents, self.endian) >> shift:x}")
        return " ".join(out)


def _ignore(step: Step) -> None:
    """An observer, because the engine has other paths without one."""


def _class(call: object) -> str:
    """The class of the error of a call, empty without one."""
    assert callable(call)
    try:
        call()
    except DwarfGpuError as error:
        return error.kind
    return ""


def shown_place(place: SingleLocation) -> str:
    at = f"+{place.bit_offset}"
    match place.storage:
        case Undefined():
            return "undefined"
        case Memory(space, _, lane):
            return f"memory {space.number}[{lane}]{at}"
        case Register(register):
            return f"register {register.number}{at}"
        case Implicit(_, size):
            return f"implicit {size}{at}"
        case ImplicitPointer(die, displacement, space):
            return f"pointer {die.section_offset} {displacement} {space.number}{at}"
        case Composite() | Repeated() | Selected() as compound:
            return f"composite {compound.size_bits}{at}"
