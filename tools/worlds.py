"""Seeded random worlds for the tests and the fuzzer: machines, units, contexts, expressions.

Law: everything is a function of the `random.Random` that is given, so that a seed reproduces it.
"""

from __future__ import annotations

from random import Random
from typing import TypeVar

from dwarfgpu.arch.model import NO_APERTURES, AddressSpace, Apertures, Architecture, RegisterInfo
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType, float_format, unsigned_type
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import Factory, define, evolve, frozen
from dwarfgpu.errors import Unavailable
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import (
    ConstValue,
    Context,
    ExprLoc,
    LocationAttribute,
    LocList,
    UnitFormat,
)
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.dialect.encodings import encodings
from dwarfgpu.expr.explicit_context import ExplicitFrame, ExplicitUnit
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.location_list_entry import LocationListEntry
from dwarfgpu.expr.operand_codec import Codec, Operand
from dwarfgpu.expr.operation import Code, Operation
from dwarfgpu.expr.static_check.abstract_stack import Transfer
from dwarfgpu.expr.static_check.stack_shape import UNKNOWN_SHAPE, Shape
from dwarfgpu.model.location import (
    UNDEFINED_LOCATION,
    Entry,
    ImplicitPointerValue,
    Location,
    SingleLocation,
    composite,
)
from dwarfgpu.model.storage import (
    DieReference,
    Implicit,
    ImplicitPointer,
    Memory,
    Part,
    Register,
    Repeated,
    Selected,
)
from dwarfgpu.model.value import Value

T = TypeVar("T")
DIES = tuple(range(0x100, 0x180, 8))
"""Offsets of the entries that every world has, in the unit and in `.debug_info` alike."""
TIGHT = Limits(steps=1_000, stack=300, calls=8, nesting=4, read_bytes=1 << 14, runs=500)
"""Limits small enough that thousands of expressions a second can be tried."""


@define(eq=False)
class Machine:
    """A target whose bytes follow a pattern; a fifth of it cannot be read or written."""

    pattern: bytes
    architecture: Architecture
    stop: int = 1
    written: dict[object, int] = Factory(dict)

    def apertures_of(self, wave: int) -> Apertures:
        return NO_APERTURES

    def architecture_of(self, wave: int) -> Architecture:
        return self.architecture

    def read_register(
        self,
        wave: int,
        register: RegisterInfo,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        size = (register.size_bits + 7) // 8
        count = size - offset_bytes if size_bytes is None else size_bytes
        assert offset_bytes >= 0 and offset_bytes + count <= size, "asked outside the register"
        number = register.number or 0
        if (number + self.pattern[0]) % 5 == 4:
            raise Unavailable(f"register {register} is not available")
        return self._bytes(("register", wave, register.name), number * 97 + offset_bytes, count)

    def write_register(
        self, wave: int, register: RegisterInfo, data: bytes, offset_bytes: int = 0
    ) -> None:
        assert offset_bytes >= 0 and 8 * (offset_bytes + len(data)) <= register.size_bits + 7
        if ((register.number or 0) + self.pattern[0]) % 5 == 3:
            raise Unavailable(f"register {register} cannot be written")
        base = (register.number or 0) * 97 + offset_bytes
        self._write(("register", wave, register.name), base, data)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        assert address >= 0 and address + size_bytes <= where.space.end, "asked outside the space"
        if any(page % 5 == 4 for page in range(address >> 8, (address + size_bytes + 255) >> 8)):
            raise Unavailable(f"cannot access {where.space} memory at {address:#x}")
        return self._bytes((where.space.number, where.wave, where.lane), address, size_bytes)

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        assert address >= 0 and address + len(data) <= where.space.end, "asked outside the space"
        if (address >> 8) % 5 == 3:
            raise Unavailable(f"cannot write {where.space} memory at {address:#x}")
        self._write((where.space.number, where.wave, where.lane), address, data)

    def _bytes(self, key: object, start: int, count: int) -> bytes:
        first = start % len(self.pattern)
        repeated = self.pattern * ((first + count) // len(self.pattern) + 1)
        out = bytearray(repeated[first : first + count])
        if self.written:
            for index in range(count):
                out[index] = self.written.get((key, start + index), out[index])
        return bytes(out)

    def _write(self, key: object, start: int, data: bytes) -> None:
        for index, byte in enumerate(data):
            self.written[key, start + index] = byte


def toy() -> Architecture:
    """A big-endian 16-bit machine with registers of odd sizes: nothing about it is usual."""
    sizes = (16, 16, 8, 12, 32, 64, 1, 24)
    registers = {
        n: RegisterInfo(f"r{n}", n, unsigned_type(sizes[n % len(sizes)], "big")) for n in range(40)
    }
    spaces = {
        0: AddressSpace(0, "default", 16),
        2: AddressSpace(2, "tiny", 8, scope="lane"),
        7: AddressSpace(7, "wide", 24, scope="wave"),
    }
    return Architecture("toy", "NONE", 16, registers, spaces, endian="big", lane_count=4)


ARCHITECTURES: tuple[Architecture, ...] = (
    architecture("gfx942"),
    architecture("gfx1100"),
    architecture("x86_64"),
    architecture("i386"),
    toy(),
)


def base_types() -> dict[int, BaseType]:
    """Every kind of base type, by offsets in the unit of one LEB128 byte."""
    kinds: list[BaseType] = []
    for encoding in ("signed", "unsigned", "signed_char", "unsigned_char", "boolean"):
        kinds += [BaseType(f"{encoding} {n}", encoding, n) for n in (1, 8, 16, 32, 64, 128)]
    kinds += [BaseType("int5", "signed", 5), BaseType("int12", "unsigned", 12)]
    kinds += [BaseType("be32", "signed", 32, "big"), BaseType("be12", "unsigned", 12, "big")]
    for name, size in (("half", 16), ("float", 32), ("double", 64), ("_Float128", 128)):
        kinds.append(BaseType(name, "float", size, float_format=float_format(name, size)))
    kinds.append(BaseType("x87", "float", 80, float_format=float_format("long double", 80)))
    kinds.append(BaseType("bed", "float", 64, "big", float_format=float_format("double", 64)))
    kinds += [BaseType("__bf16", "float", 16), BaseType("fp8", "float", 8)]
    kinds += [BaseType("address", "address", 64), BaseType("lds", "address", 32, address_space=3)]
    kinds += [BaseType("flat", "address", 64, address_space=1)]
    kinds += [BaseType("scratch", "address", 32, address_space=5)]
    kinds += [BaseType("int4", "signed", 128, vector_size=4)]
    kinds += [BaseType("float2", "float", 64, vector_size=2, float_format=kinds[0].float_format)]
    kinds += [BaseType("wide", "unsigned", 2040), BaseType("complex", "complex_float", 64)]
    kinds += [BaseType("decimal", "decimal_float", 64), BaseType("char32_t", "UTF", 32)]
    return {0x20 + index: base for index, base in enumerate(kinds)}


BASE_TYPES = base_types()


def random_number(rng: Random, bits: int, signed: bool = False) -> int:
    """A number of at most that many bits: small ones, limits and any."""
    low, high = (-1 << bits - 1, (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    chosen = rng.choice(
        (0, 1, low, high, rng.randrange(-8, 40), rng.randrange(0, 300), rng.getrandbits(bits))
    )
    return max(low, min(high, chosen))


def random_operand(rng: Random, codec: Codec, form: UnitFormat) -> Operand:
    """Any operand that the codec can encode."""
    if codec.name == "uleb":
        return random_number(rng, 80 if codec.meaning == "number" else 64)
    if codec.name == "sleb":
        return random_number(rng, 80, signed=True)
    if codec.name == "block":
        return rng.randbytes(rng.choice((0, 1, 8, 200)))
    if codec.name == "block1":
        return rng.randbytes(rng.choice((0, 1, 8, 255)))
    if codec.name == "encoded":
        data = rng.choice((b"\xff", b"\x01\x80\x01", b"\x1b1234", b"\x04-eight--"))
        return data
    sizes = {"address": form.address_size, "offset": form.offset_size}
    if codec.name == "offset" and form.version == 2:
        return random_number(rng, 8 * form.address_size)
    if codec.name in sizes:
        return random_number(rng, 8 * sizes[codec.name])
    return random_number(rng, int(codec.name[1:]), signed=codec.name[0] == "s")


def likely_operand(rng: Random, codec: Codec, world: World, depth: int) -> Operand:
    """An operand that means something in the world, mostly."""
    form = world.form
    if rng.random() < 0.1:
        return random_operand(rng, codec, form)
    match codec.meaning:
        case "register":
            registers = world.architecture.registers
            return rng.choice(list(registers)) if rng.random() < 0.9 else rng.randrange(100)
        case "type":
            return rng.choice(list(BASE_TYPES)) if rng.random() < 0.9 else 0
        case "die":
            return rng.choice(DIES)
        case "branch":
            return rng.randrange(-12, 12)
        case "expression":
            return random_expression(rng, world, rng.randrange(5), depth + 1) if depth < 3 else b""
        case "size" | "displacement":
            return rng.choice((0, 1, 2, 4, 8, 16, 32, 64, rng.randrange(256)))
        case _:
            return random_operand(rng, codec, form)


@frozen(eq=False)
class World:
    """What an expression is generated for."""

    architecture: Architecture
    dialect: Dialect
    form: UnitFormat
    operations: list[tuple[Code, Operation]]

    @classmethod
    def random(cls, rng: Random, dialect: Dialect, arch: Architecture | None = None) -> World:
        arch = arch or rng.choice(ARCHITECTURES)
        version = rng.choice((2, 3, 4, 5, 5, 5))
        offset_size = 8 if version > 2 and rng.random() < 0.2 else 4
        form = UnitFormat(arch.address_bits // 8, offset_size, version, arch.endian)
        # A family counts little, so that the many lit, reg and breg do not crowd out others.
        operations = [
            (code, operation)
            for code, operation in encodings(dialect).by_code.items()
            if operation.number is None or operation.number % 8 == 3
        ]
        return cls(arch, dialect, form, operations)


def opcode(code: Code) -> bytes:
    """The bytes that select an operation."""
    return bytes((code[0],)) + encode_uleb(code[1]) if isinstance(code, tuple) else bytes((code,))


def random_expression(rng: Random, world: World, count: int, depth: int = 0) -> bytes:
    """An expression of that many operations; most of them find their operands on the stack."""
    out = b""
    transfer = Transfer(world.architecture, world.form)
    shape = Shape((), 0, 0)
    for _ in range(count):
        instruction, after = _random_instruction(rng, world, depth), None
        for _ in range(12):
            rules: list[str] = []
            alone = prepare(instruction.encoding, world.dialect, world.form)
            after = transfer(
                alone.instructions[0],
                alone.steps[0],
                shape,
                lambda _severity, rule, _message, reported=rules: reported.append(rule),
            )
            is_right = after is not None and not {*rules} - {"wide-number"}  # which fails nowhere
            if is_right or rng.random() < 0.02:
                break
            instruction = _random_instruction(rng, world, depth)
        out += instruction.encoding
        shape = after or UNKNOWN_SHAPE
    return out


def _random_instruction(rng: Random, world: World, depth: int) -> Instruction:
    code, operation = rng.choice(world.operations)
    operands = tuple(likely_operand(rng, i.codec, world, depth) for i in operation.operands)
    data = opcode(code)
    for info, operand in zip(operation.operands, operands, strict=True):
        data += info.codec.write(operand, world.form)
    return Instruction(0, operation, operands, data)


def mutated(rng: Random, data: bytes) -> bytes:
    """The bytes with some changed, removed, repeated or cut off."""
    out = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(out) + 1)
        match rng.randrange(5):
            case 0:
                out[at:at] = rng.randbytes(rng.randrange(1, 4))
            case 1:
                del out[at : at + rng.randrange(1, 4)]
            case 2 if at < len(out):
                out[at] ^= 1 << rng.randrange(8)
            case 3:
                out[at:at] = out[rng.randrange(len(out) + 1) :][:8]
            case _:
                del out[at:]
    return bytes(out)


def random_value(rng: Random, arch: Architecture) -> Value:
    base = arch.generic if rng.random() < 0.7 else rng.choice(list(BASE_TYPES.values()))
    return Value.of(random_number(rng, base.bit_size), base)


def random_location(rng: Random, world: World, unit: ExplicitUnit, depth: int = 0) -> Location:
    """A location of any kind, composites and several places included."""
    arch, pick = world.architecture, rng.randrange(11 if depth < 2 else 6)
    match pick:
        case 0:
            return UNDEFINED_LOCATION
        case 1:
            size = rng.choice((1, 8, 32, 64, 2000))
            return _single(rng, Implicit(rng.getrandbits(size), size))
        case 2:
            space = rng.choice(list(arch.address_spaces.values()))
            pointer = ImplicitPointer(DieReference(rng.choice(DIES), unit), 0, space)
            return Location((SingleLocation(pointer),))
        case 3:
            register = rng.choice(list(arch.registers.values()))
            return _single(rng, Register(register, rng.randrange(2)), 1)
        case 4 | 5:
            space = rng.choice(list(arch.address_spaces.values()))
            wave, lane = rng.choice(((None, None), (0, None), (0, 1)))
            return _single(rng, Memory(space, wave, lane), rng.choice((1, None)))
        case 6 | 7:
            parts = [
                Part(random_location(rng, world, unit, depth + 1), rng.choice((0, 1, 8, 32)))
                for _ in range(rng.randrange(4))
            ]
            return composite(parts)
        case 8:
            inner = random_location(rng, world, unit, depth + 1)
            return Location((SingleLocation(Repeated(inner, rng.randrange(1, 33), 5)),))
        case 9:
            one, zero = (random_location(rng, world, unit, depth + 1) for _ in range(2))
            return Location((SingleLocation(Selected(rng.getrandbits(5), one, zero, 8, 5)),))
        case _:
            places = [random_location(rng, world, unit, depth + 1) for _ in range(3)]
            return Location(tuple(place for item in places for place in item.single_locations), 1)


def _single(
    rng: Random, storage: Implicit | Register | Memory, stop: int | None = None
) -> Location:
    offset = min(8 * random_number(rng, 16), storage.size_bits - 1) + rng.choice((0, 0, 0, 3))
    return Location((SingleLocation(storage, min(offset, storage.size_bits - 1)),), stop)


def random_entry(rng: Random, world: World, unit: ExplicitUnit) -> Entry:
    pick = rng.random()
    if pick < 0.5:
        return random_value(rng, world.architecture)
    location = random_location(rng, world, unit)
    storage = location.single_locations[0].storage if location.single_locations else None
    if pick > 0.9 and isinstance(storage, ImplicitPointer):
        return ImplicitPointerValue.of(storage, world.architecture.generic)
    return location


def random_unit(rng: Random, world: World) -> ExplicitUnit:
    """A unit whose entries describe each other: calls and implicit pointers recurse."""
    dies: dict[int, LocationAttribute | None] = {}
    unit = ExplicitUnit(
        world.form,
        world.dialect,
        BASE_TYPES,
        {index: random_number(rng, world.architecture.address_bits) for index in range(40)},
        0,
        dies,
        dict.fromkeys(DIES, 17),
        {offset: 64 * offset for offset in range(40)},
    )
    for offset in DIES:
        made = [random_expression(rng, world, rng.randrange(6), 2) for _ in range(3)]
        entries = tuple(
            LocationListEntry(item, *rng.choice(((0, 100), (50, 100), (200, 300), (None, None))))
            for item in made
        )
        dies[offset] = rng.choice(
            (ExprLoc(made[0], unit), LocList(entries, unit), ConstValue(made[1]), None)
        )
    return unit


def random_context(rng: Random, world: World, limits: Limits = TIGHT) -> Context:
    """A consistent context; each element is there with a good chance."""
    arch, unit = world.architecture, random_unit(rng, world)

    def some(element: T, chance: float = 0.97) -> T | None:
        return element if rng.random() < chance else None

    caller = random_frame(rng, world, unit, 1)
    frame = random_frame(rng, world, unit, rng.choice((0, 0, 1)))
    frame = evolve(frame, given_caller=some((caller, 55)))
    return Context(
        architecture=some(arch, 0.97),
        wave=some(0),
        lane=some(rng.randrange(arch.lane_count)),
        iteration=some(1),
        frame=some(frame),
        pc=some(rng.choice((0, 60, 250, 1000))),
        unit=some(unit),
        object=some(random_location(rng, world, unit)),
        initial_stack=tuple(random_entry(rng, world, unit) for _ in range(rng.randrange(6))),
        result_kind=rng.choice((None, "value", "location")),
        target=some(Machine(rng.randbytes(509), arch, 2 if rng.random() < 0.05 else 1)),
        lane_count=arch.lane_count,
        limits=limits,
    )


def random_frame(rng: Random, world: World, unit: ExplicitUnit, level: int) -> ExplicitFrame:
    numbers = rng.sample(list(world.architecture.registers), 10)
    return ExplicitFrame(
        world.architecture,
        level,
        {number: random_location(rng, world, unit) for number in numbers},
        {number: random_location(rng, world, unit) for number in numbers[:5]},
        random_location(rng, world, unit),
        random_location(rng, world, unit),
        {b"\x50": random_value(rng, world.architecture)},
        parameter_values=dict.fromkeys(DIES, Value.of(7, world.architecture.generic)),
    )
