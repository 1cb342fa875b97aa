"""Machines given by hand, and facts about them: the vocabulary of the tests of the AMD text.

A fact is one expression and what comes of it, as `shown` prints it, or the error that it is. It
names the clauses (`clauses.txt`) that it keeps, or breaks. In the text of an expression `@i32` is
the offset of a base type in the unit, and `const(i32,-5)` a DW_OP_const_type of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, assert_never

import pytest
from _pytest.mark.structures import ParameterSet

from dwarfgpu.arch.model import AddressSpace, Architecture, RegisterInfo
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType, float_format, unsigned_type
from dwarfgpu.base.bits import Endian, to_bytes
from dwarfgpu.base.float_format import X87_EXTENDED
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import (
    ConstValue,
    Context,
    ExprLoc,
    LocationAttribute,
    LocList,
    ResultKind,
    UnitFormat,
)
from dwarfgpu.expr.dialect.dialect import AMD_PROVISIONAL, Dialect
from dwarfgpu.expr.evaluate import evaluate, evaluate_attribute, final_stack
from dwarfgpu.expr.explicit_context import ExplicitFrame, ExplicitUnit
from dwarfgpu.expr.location_list_entry import LocationListEntry
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.location import (
    Entry,
    ImplicitPointerValue,
    IncompleteComposite,
    Location,
    SingleLocation,
)
from dwarfgpu.model.storage import (
    Composite,
    Implicit,
    ImplicitPointer,
    Memory,
    Register,
    Repeated,
    Selected,
    Undefined,
)
from dwarfgpu.model.value import Value

GFX = architecture("gfx942")
X86 = architecture("x86_64")
BIG = Architecture(
    "big32",
    "NONE",
    32,
    {n: RegisterInfo(f"r{n}", n, unsigned_type(s, "big")) for n, s in enumerate((64, 32, 16, 8))},
    {0: AddressSpace(0, "default", 32), 1: AddressSpace(1, "small", 8)},
    endian="big",
)
"""Big-endian, with registers of 64, 32, 16 and 8 bits."""


def _types(endian: Endian) -> list[BaseType]:
    def of(name: str, encoding: str, bits: int, **more: Any) -> BaseType:
        return BaseType(name, encoding, bits, more.pop("endian", endian), **more)

    kinds = [of(f"i{n}", "signed", n) for n in (5, 8, 16, 32, 64, 128)]
    kinds += [of(f"u{n}", "unsigned", n) for n in (8, 12, 16, 32, 64, 128)]
    kinds += [
        of("bool", "boolean", 8),
        of("char", "signed_char", 8),
        of("uchar", "unsigned_char", 8),
    ]
    for name, bits in (("f16", 16), ("f32", 32), ("f64", 64), ("f128", 128), ("x87", 80)):
        kinds.append(of(name, "float", bits, float_format=float_format(name, bits)))
    kinds += [of("__bf16", "float", 16), of("utf", "UTF", 32), of("complex", "complex_float", 64)]
    kinds += [of("vec4", "signed", 128, vector_size=4)]
    kinds += [of("ptr", "address", 64, address_space=0)]
    kinds += [of("generic_ptr", "address", 64, address_space=1)]
    kinds += [of("local_ptr", "address", 32, address_space=3)]
    kinds += [of("lane_ptr", "address", 32, address_space=5)]
    other: Endian = "big" if endian == "little" else "little"
    kinds += [of("swapped32", "unsigned", 32, endian=other)]
    kinds += [of("swapped12", "unsigned", 12, endian=other)]
    kinds += [of("wave_ptr", "address", 32, address_space=6)]
    kinds += [of("fixed", "signed_fixed", 32), of("decimal", "decimal_float", 64)]
    kinds += [of("padded_x87", "float", 128, float_format=X87_EXTENDED)]
    return kinds


TYPES: dict[Endian, dict[int, BaseType]] = {
    endian: dict(enumerate(_types(endian), 0x20)) for endian in ("little", "big")
}
OFFSETS = {item.name: offset for offset, item in TYPES["little"].items()}
"""Offsets of the base types in every unit, by name."""


@frozen
class World:
    """A context and the machine under it."""

    context: Context
    target: StateTarget
    unit: ExplicitUnit
    dialect: Dialect = AMD_PROVISIONAL

    @property
    def arch(self) -> Architecture:
        return self.target.architecture

    def asm(self, text: str) -> bytes:
        endian = self.unit.format.endian
        text = re.sub(r"const\((\w+),([^)]+)\)", lambda found: _const(found, endian), text)
        text = re.sub(r"@(\w+)", lambda found: str(OFFSETS[found[1]]), text)
        return assemble(text, self.dialect, self.unit.format, self.arch)

    def changed(self, **elements: Any) -> World:
        """The same machine in a context with some other elements."""
        return evolve(self, context=evolve(self.context, **elements))

    def result(self, text: str, want: ResultKind | None = None) -> Entry:
        context = evolve(self.context, result_kind=want)
        return evaluate(self.asm(text), context, dialect=self.dialect)

    def location(self, text: str) -> Location:
        result = self.result(text, "location")
        assert isinstance(result, Location)
        return result

    def stack(self, text: str) -> list[Entry]:
        return final_stack(self.asm(text), self.context, dialect=self.dialect)

    def loclist(self, *entries: tuple[int | None, int | None, str]) -> Location:
        """The result of a location list: begin, end, expression."""
        attribute = location_list(self, *entries)
        result = evaluate_attribute(attribute, evolve(self.context, result_kind="location"))
        assert isinstance(result, Location)
        return result

    def memory(self, space: int, address: int, lane: int | None = None) -> Location:
        """A place of the machine, made now."""
        where = Memory(self.arch.address_space(space), self.context.wave, lane)
        return Location((SingleLocation(where, 8 * address),), self.target.stop)


def location_list(world: World, *entries: tuple[int | None, int | None, str]) -> LocList:
    return LocList(
        tuple(LocationListEntry(world.asm(text), begin, end) for begin, end, text in entries),
        world.unit,
    )


def _const(found: re.Match[str], endian: Endian) -> str:
    offset, number = OFFSETS[found[1]], found[2]
    base = TYPES[endian][offset]
    if base.float_format is not None:
        special = {"inf": base.float_format.infinity(0), "nan": base.float_format.nan()}
        bits = special.get(number)
        if bits is None:
            bits = base.float_format.encode(Fraction(number), int(number.startswith("-")))
    else:
        bits = int(number, 0) & (1 << base.bit_size) - 1
    data = bits.to_bytes(base.size_bytes, base.endian)
    return f"const_type {offset} {len(data)} " + " ".join(map(str, data))


def world(
    arch: Architecture = GFX,
    registers: Mapping[str, int] | None = None,
    memory: tuple[tuple[int, int | None, int, bytes], ...] = (),
    dies: Mapping[int, str | bytes | None | tuple[tuple[int | None, int | None, str], ...]]
    | None = None,
    form: UnitFormat | None = None,
    unit: Mapping[str, Any] | None = None,
    frame: Mapping[str, Any] | None = None,
    dialect: Dialect = AMD_PROVISIONAL,
    **elements: Any,
) -> World:
    """A machine of one wave.

    `memory`: space, lane, address, bytes. `dies`: text of an expression, bytes of a constant,
    entries of a location list, or None, by offset in the unit and in `.debug_info` alike.
    """
    target = StateTarget(arch)
    target.add_wave(0)
    for name, value in (registers or {}).items():
        register = arch.register_named(name)
        assert register is not None, name
        size_bytes = (register.size_bits + 7) // 8
        target.set_register(0, register, value.to_bytes(size_bytes, arch.endian))
    for space, lane, address, data in memory:
        target.set_memory(Memory(arch.address_space(space), 0, lane), address, data)
    form = form or UnitFormat(address_size=arch.address_bits // 8, endian=arch.endian)
    locations: dict[int, LocationAttribute | None] = {}
    given = ExplicitUnit(
        format=form,
        dialect=dialect,
        base_types=TYPES[form.endian],
        locations=locations,
        **(unit or {}),
    )
    default: dict[str, Any] = {
        "architecture": arch,
        "wave": 0,
        "frame": ExplicitFrame(architecture=arch, **(frame or {})),
        "unit": given,
        "pc": 0x1040,
        "target": target,
    }
    made = World(Context(**(default | elements)), target, given, dialect)
    for offset, die in (dies or {}).items():
        locations[offset] = _attribute(made, die)
    return made


def _attribute(
    made: World, die: str | bytes | None | tuple[tuple[int | None, int | None, str], ...]
) -> LocationAttribute | None:
    match die:
        case None:
            return None
        case str():
            return ExprLoc(made.asm(die), made.unit)
        case bytes():
            return ConstValue(die)
        case entries:
            return location_list(made, *entries)


def lanes(first: int) -> int:
    """A vector register whose lane N holds `first + N`."""
    return sum((first + lane) << 32 * lane for lane in range(64))


PATTERN = bytes(range(256))
GPU = world(
    GFX,
    registers={
        "s0": 0x11223344,
        "s1": 0x55667788,
        "s32": 0x100,
        "exec": 0xF0F0_F0F0_F0F0_F0F0,
        "pc": 0x1040,
        "v3": lanes(0x300),
        "v4": lanes(0x400),
    },
    memory=(
        (0, None, 0x1000, PATTERN),
        (5, 3, 0x10, bytes(range(0xA0, 0xB0))),
        (5, 4, 0x10, bytes(range(0xB0, 0xC0))),
        (3, None, 0x20, bytes(range(0xC0, 0xD0))),
    ),
    dies={
        0x100: "lit7",
        0x104: "drop; lit9",
        0x108: ((0x1000, 0x2000, "addr 0x1000"), (0x1040, 0x1041, "regx s0")),
        0x10C: b"\1\2\3\4",
        0x110: None,
        0x114: "addr 0x1000",
        0x118: "addr 0x1008; piece 4",
        0x11C: "push_object_address",
        0x120: ((0x1000, 0x2000, "push_object_address"),),
        0x124: ((0x1000, 0x2000, "const(i32,1)"),),
        0x128: ((0x1000, 0x2000, "swap"),),
        0x12C: "lit1; skip end; lit2; end:",
        0x130: "const(i32,1)",
        0x134: "dup",
        0x138: "regx s0",
        0x13C: ((0x5000, 0x6000, "addr 0x1000"),),
        0x140: ((0x1000, 0x2000, "call2 0x100"),),
        0x144: "lit0; lit0; div",
    },
    unit={
        "addresses": {0: 0x1000, 1: 0xFFFF_FFFF_FFFF_FFFF},
        "tls": {8: 0x1080},
    },
    lane=3,
    lane_count=64,
    iteration=1,
    iteration_count=4,
)
"""A wave of gfx942 with something of everything; global memory at 0x1000 + N holds the byte N."""
CPU = world(
    X86,
    registers={
        "rax": 0x1122334455667788,
        "rdx": 0x1000,
        "rcx": 0xFFFF_FFFF_FFFF_FFF8,
        "es": 0x2B,
        "st0": 0x3FFF_C000_0000_0000_0000,
        "xmm0": 0x1010_0000_0000_0000_2000,
    },
    memory=((0, None, 0x1000, PATTERN),),
)
BIG_WORLD = world(
    BIG,
    registers={"r0": 0x1122334455667788, "r1": 0xA1A2A3A4, "r2": 0x1000, "r3": 0x5A},
    memory=((0, None, 0x1000, PATTERN), (1, None, 0x10, PATTERN[:16])),
)


def shown(entry: Entry) -> str:
    """A stack entry or result as one short line."""
    match entry:
        case Value():
            return _shown_value(entry)
        case ImplicitPointerValue():
            return f"value: {_shown_pointer(entry.storage)}"
        case IncompleteComposite():
            return f"incomplete {shown(entry.completed())}"
        case Location():
            return " | ".join(map(_shown_place, entry.single_locations))
        case other:
            assert_never(other)


def _shown_value(value: Value) -> str:
    base = value.type
    if base.is_generic:
        return str(value.bits) if value.bits < 0x100 else f"{value.bits:#x}"
    if base.float_format is None and base.encoding == "float" or base.vector_size is not None:
        return f"{base} {value.bits:#x}"
    return f"{base} {value.number}"


def _shown_pointer(storage: ImplicitPointer) -> str:
    where = f"{storage.die.section_offset:#x}{storage.displacement_bytes:+d}"
    return f"pointer to {where} in {storage.space}"


def _shown_place(place: SingleLocation) -> str:
    storage, offset = place.storage, place.bit_offset
    match storage:
        case Memory():
            lane = "" if storage.lane is None else f"[{storage.lane}]"
            name = f"{storage.space}{lane}#{offset // 8:#x}"
            offset %= 8
        case Register():
            name = storage.register.name
        case Implicit() if storage.size_bits % 8:
            name = f"implicit {storage.bits:#x}:{storage.size_bits}"
        case Implicit():
            name = f"implicit {to_bytes(storage.bits, storage.size_bits, 'big').hex() or 'empty'}"
        case ImplicitPointer():
            name = _shown_pointer(storage)
        case Undefined():
            name = "undefined"
        case Composite():
            parts = (f"{part.size_bits}: {shown(part.location)}" for part in storage.parts)
            name = "{" + ", ".join(parts) + "}"
        case Repeated():
            name = f"{{{storage.count} x {storage.element_bits}: {shown(storage.part)}}}"
        case Selected():
            one, zero = shown(storage.one), shown(storage.zero)
            count = f"{storage.count} x {storage.element_bits}"
            name = f"{{{count}: {one} if {storage.mask:#b} else {zero}}}"
        case other:
            assert_never(other)
    return f"{name}+{offset}b" if offset else name


def raises(call: Any, error: type[DwarfGpuError], *parts: str) -> None:
    """The call raises an error of exactly that kind, and its line has all the parts."""
    with pytest.raises(error) as caught:
        call()
    assert caught.value.kind == error.__name__, repr(caught.value)
    for part in parts:
        assert part in str(caught.value)


@frozen
class Fact:
    """An expression in a context, and what comes of it."""

    world: World
    text: str
    want: ResultKind | None
    expected: str | type[DwarfGpuError]
    parts: tuple[str, ...] = ()

    def check(self) -> None:
        if isinstance(self.expected, str):
            assert shown(self.world.result(self.text, self.want)) == self.expected
        else:
            raises(lambda: self.world.result(self.text, self.want), self.expected, *self.parts)


def keeps(
    clauses: str,
    text: str,
    expected: str,
    *,
    at: World = GPU,
    want: ResultKind | None = None,
    note: str = "",
) -> ParameterSet:
    """What the clauses say, where their condition holds."""
    return _row("keeps", clauses, Fact(at, text, want, expected), note)


def breaks(
    clauses: str,
    text: str,
    expected: str | type[DwarfGpuError],
    *parts: str,
    at: World = GPU,
    want: ResultKind | None = None,
    note: str = "",
) -> ParameterSet:
    """What comes instead where the clauses' condition does not hold, or their rule is broken."""
    return _row("breaks", clauses, Fact(at, text, want, expected, parts), note)


def _row(side: str, clauses: str, fact: Fact, note: str) -> ParameterSet:
    name = fact.text or "(empty)"
    if fact.want:
        name += f" -> {fact.want}"
    if note:
        name += f" [{note}]"
    return pytest.param(fact, marks=[pytest.mark.clause(c, side) for c in clauses.split()], id=name)


facts = pytest.mark.parametrize
"""`@facts("fact", [keeps(…), breaks(…)])`"""
