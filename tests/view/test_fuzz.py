"""Random types over random, partly unknown bits: only a text or a `DwarfGpuError` comes out."""

from __future__ import annotations

import random

import pytest

from dwarfgpu.base.base_type import ENCODINGS, BaseType, float_format
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.dynamic_properties import Properties
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    Base,
    Dynamic,
    Enum,
    Function,
    Member,
    MemberPointer,
    Pointer,
    Qualified,
    Struct,
    Type,
    Typedef,
    Unspecified,
)
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.model.object import Bits
from dwarfgpu.view.values import FormatOptions, format_value

NUMBERS = (0, 1, 2, 3, 7, 8, 12, 16, 24, 31, 32, 33, 64, 80, 128, 129, 4_097, 2**31, 2**63, -1, -8)
NAMES = ("char", "wchar_t", "char16_t", "__bf16", "fp8_e4m3", "fp8_e5m2", "float", "", "x")


def random_base(rng: random.Random) -> Base:
    encoding = rng.choice([*ENCODINGS.values(), "generic"])
    bits = abs(rng.choice(NUMBERS))
    name = rng.choice(NAMES)
    form = float_format(name, bits) if encoding == "float" else None
    vector = rng.choice([None, None, None, *(number for number in NUMBERS if number > 0)])
    endian = rng.choice(["little", "big"])
    return Base(BaseType(name, encoding, bits, endian, vector, float_format=form))


def random_type(rng: random.Random, known: list[Type]) -> Type:
    """A type that refers to those already made and, by functions, to those made later."""

    def other() -> Type | None:
        return rng.choice([None, *known])

    def later() -> Type | None:
        return known[index % len(known)] if known else None

    def member() -> Member:
        bit_offset = rng.choice([None, *NUMBERS])
        bit_size = rng.choice([None, None, *NUMBERS])
        name = rng.choice([None, "m"])
        is_base = rng.random() < 0.1
        return Member(name, other(), bit_offset, bit_size, is_base_class=is_base)

    index = rng.randrange(1_000)
    number = rng.choice(NUMBERS)
    size = abs(number)
    reference = rng.choice([other(), later])
    kind = rng.choice(["pointer", "reference", "rvalue_reference"])
    dimensions = tuple(rng.choice([None, *NUMBERS]) for _ in range(rng.randrange(4)))
    strides = tuple(rng.choice([None, None, *NUMBERS]) for _ in dimensions[rng.randrange(2) :])
    array = Array(reference, dimensions, strides)
    return rng.choice(
        [
            lambda: random_base(rng),
            lambda: Pointer(reference, kind, size, rng.choice([0, 0, 5])),
            lambda: MemberPointer(reference, other(), size),
            lambda: evolve(array, is_vector=rng.random() < 0.2),
            lambda: Array(reference, (abs(number),), strides[:1]),
            lambda: Absent(array, "not allocated"),
            lambda: Dynamic(array, Properties(allocated=number)),
            lambda: Struct("union", "u", size, tuple(member() for _ in range(rng.randrange(5)))),
            lambda: Struct("struct", None, None, (member(),)),
            lambda: Enum("e", size, (("a", number), ("b", 1)), is_signed=rng.random() < 0.5),
            lambda: Typedef(rng.choice(NAMES), reference),
            lambda: Qualified("const", reference),
            lambda: Function(reference, (other(), later)),
            lambda: Unspecified("nullptr_t", size),
        ]
    )()


@pytest.mark.parametrize("seed", range(30))
def test_random_types(seed: int) -> None:
    rng = random.Random(seed)
    known: list[Type] = []
    for _ in range(60):
        known.append(random_type(rng, known))

    def read(address: int, space: int, size_bytes: int) -> bytes:
        if rng.random() < 0.1:
            raise Unavailable("nothing there")
        return rng.randbytes(size_bytes)

    for kind in known:
        size = rng.choice([0, 1, 8, 13, 64, 200, 512])
        undefined, unavailable = (rng.choice([0, 0, rng.getrandbits(size)]) for _ in range(2))
        bits = Bits(rng.getrandbits(size), size, undefined, unavailable)
        options = FormatOptions(
            rng.choice([None, *"xduotacfzsr"]), rng.random() < 0.5, characters=2_000
        )
        endian = rng.choice(["little", "big"])
        assert len(type_name(kind)) < 100_000
        try:
            text = format_value(bits, kind, options, endian=endian, read_memory=read)
        except DwarfGpuError:
            continue
        assert len(text) <= 2_003
