"""How much of an object an expression describes, whatever the context."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.expr import cut_composite
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.cut_composite import composite_parts
from dwarfgpu.expr.decode import CACHE_SIZE, Expression, decode
from dwarfgpu.expr.dialect.dialect import AMD, DIALECTS, Dialect, dialect
from dwarfgpu.expr.static_check import extent as extent_module
from dwarfgpu.expr.static_check.extent import Extent, by_declarations, extent_of
from dwarfgpu.expr.text.assembly import assemble
from tests.work import at_most

ARCH = architecture("gfx942")
MACHINES = [None, ARCH, architecture("x86_64"), architecture("aarch64")]
FORM = UnitFormat()


def extent(text: str) -> Extent:
    return extent_of(assemble(text, arch=ARCH), AMD, FORM)


@pytest.mark.parametrize(
    ("text", "completeness", "undefined", "size_bits"),
    [
        # A.2.5.4: the empty expression, and one that leaves nothing, is the undefined location
        ("", "nothing", (), None),
        ("nop", "nothing", (), None),
        ("lit0; drop", "nothing", (), None),
        ("LLVM_undefined", "nothing", (), None),
        # Whatever the context, there is a place or a value
        ("regx s4", "whole", (), None),
        ("fbreg -20", "whole", (), None),
        ("lit4; stack_value", "whole", (), 64),
        ("implicit_value 2, 1 2", "whole", (), 16),
        ("implicit_value 8, 1 2 3 4 5 6 7 8; lit6; LLVM_offset", "whole", (), 16),
        ("const_type 0x20, 4, 1 0 0 0; stack_value", "whole", (), None),
        ("entry_value(reg5); stack_value", "whole", (), None),
        ("regx v3; LLVM_push_lane; lit4; mul; LLVM_offset", "whole", (), None),
        # A.2.5.4.4.6: a piece on an empty stack, or straight after a piece, is undefined
        ("regx s4; piece 4", "whole", (), 32),
        ("regx s4; piece 4; piece 4", "partly", ((32, 32),), 64),
        ("piece 4; regx s4; piece 4", "partly", ((0, 32),), 64),
        ("piece 4; piece 4; regx s4; piece 4", "partly", ((0, 64),), 96),
        ("piece 1; regx s4; piece 1; piece 1", "partly", ((0, 8), (16, 8)), 24),
        ("piece 4; piece 4", "nothing", ((0, 64),), 64),
        ("LLVM_undefined; piece 4; regx s4; piece 4", "partly", ((0, 32),), 64),
        ("regx s4; bit_piece 3, 1; bit_piece 5, 0", "partly", ((3, 5),), 8),
        ("regx s4; piece 4; piece 4; LLVM_piece_end", "partly", ((32, 32),), 64),
        ("regx s4; piece 4; piece 0", "whole", (), 32),
        # What the composite is used for decides
        ("regx s4; piece 4; piece 4; LLVM_piece_end; lit4; LLVM_offset", "depends", (), None),
        ("regx s4; piece 4; regx s5; piece 4; LLVM_piece_end; lit4; LLVM_offset",
         "whole", (), None),
        # the mask has the undefined lanes
        ("LLVM_undefined; regx v1; lit3; LLVM_select_bit_piece 32, 64", "depends", (), None),
        # Branches: a way to the end on which nothing is left is possible
        ("lit0; lit1; bra 1; nop; stack_value", "whole", (), None),
        ("lit0; lit1; bra 1; drop", "depends", (), None),
        ("lit0; skip 1; drop; stack_value", "whole", (), None),
        ("lit0; lit1; bra 3; piece 4; lit0", "depends", (), None),
        ("call2 5", "depends", (), None),
        # Every evaluation fails
        ("lit4; swap", "broken", (), None),
        ("regx s4; piece 4; dup", "broken", (), None),
    ],
)  # fmt: skip
def test_extent(
    text: str, completeness: str, undefined: tuple[tuple[int, int], ...], size_bits: int | None
) -> None:
    result = extent(text)
    assert (result.completeness, result.undefined, result.size_bits) == (
        completeness, undefined, size_bits,
    )  # fmt: skip
    assert (result.reason is not None) == (completeness in ("depends", "broken"))


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        # eval fails in every context of the machine
        (b"\x90\x8a\x78", "DW_OP_regx at offset 0x0: gfx942 defines no DWARF register 15370"),
        (
            b"\x90\x8a\x78\x93\4",
            "DW_OP_regx at offset 0x0: gfx942 defines no DWARF register 15370",
        ),
        (b"\x92\x8a\x78\0", "DW_OP_bregx at offset 0x0: gfx942 defines no DWARF register 15370"),
        (
            b"\xa5\x8a\x78\x33\x9f",
            "DW_OP_regval_type at offset 0x0: gfx942 defines no DWARF register 15370",
        ),
        (
            b"\x30\x08\xc8\xe9\2",
            "DW_OP_LLVM_form_aspace_address at offset 0x3: gfx942 defines no address space 200",
        ),
        (
            b"\x70\0",
            "DW_OP_breg0 at offset 0x0: register pc_32 of 32 bits is narrower than the 64-bit "
            "addresses of global",
        ),
        # compilers mean the scalar register extended by zeros, and eval reads it so
        (b"\x92\x24\0", None),
        # a call site may give the value on entry without the register
        (b"\xa3\3\x90\x8a\x78\x9f", None),
    ],
)
def test_what_fails_on_the_machine(expression: bytes, reason: str | None) -> None:
    result = extent_of(expression, AMD, FORM, ARCH)
    assert (result.completeness, result.reason) == ("broken" if reason else "whole", reason)
    assert extent_of(expression, AMD, FORM).completeness == "whole"


def test_a_loop_is_not_followed() -> None:
    assert extent_of(b"\x31\x12\x28\xfc\xff", AMD, FORM).completeness == "depends"  # lit1 dup bra


def test_bytes_that_are_not_operations() -> None:
    result = extent_of(b"\x50\xff", AMD, FORM)
    assert result.completeness == "broken"
    assert result.reason is not None and "unknown operation 0xff" in result.reason


def test_what_dwarfgpu_does_not_implement_may_be_there() -> None:
    upstream = dialect("upstream-clang")
    data = assemble("regx v6", upstream, arch=ARCH)
    assert extent_of(data, upstream, FORM) == Extent("whole")


@pytest.mark.parametrize(
    ("text", "object_bits", "completeness", "undefined"),
    [
        ("regx s4; piece 4", 64, "partly", ((32, 32),)),  # what is left out at the end
        ("regx s4; piece 4; piece 4", 32, "whole", ()),  # what is beyond the object
        ("regx s4; piece 4; piece 4", 48, "partly", ((32, 16),)),
        ("regx s4; piece 4; piece 4", 96, "partly", ((32, 64),)),
        ("piece 4; regx s4; piece 4", 32, "nothing", ((0, 32),)),
        ("regx s4; piece 4; piece 4", None, "partly", ((32, 32),)),
        ("implicit_value 2, 1 2", 32, "partly", ((16, 16),)),
        ("implicit_value 2, 1 2", 16, "whole", ()),
        ("implicit_value 2, 1 2", 8, "whole", ()),
        ("implicit_value 2, 1 2", None, "whole", ()),
        ("implicit_value 0", 32, "nothing", ((0, 32),)),
        ("lit1; stack_value", 128, "partly", ((64, 64),)),
        ("regx s4", 64, "whole", ()),  # no composite: its storage has its own size
        ("", 64, "nothing", ()),
    ],
)
def test_extent_of_an_object(
    text: str, object_bits: int | None, completeness: str, undefined: tuple[tuple[int, int], ...]
) -> None:
    result = extent(text).of_object(object_bits)
    assert (result.completeness, result.undefined) == (completeness, undefined)


@pytest.mark.parametrize(("object_bits", "completeness"), [(64, "whole"), (128, "partly")])
def test_an_implicit_pointer_has_the_size_of_an_address(
    object_bits: int, completeness: str
) -> None:
    """Where the machine is known: its default address space has it."""
    data = b"\xa0\x24\0\0\0\0"
    extent = extent_of(data, AMD, FORM, ARCH).of_object(object_bits)
    assert extent.completeness == completeness
    assert extent_of(data, AMD, FORM).of_object(object_bits) == Extent("whole")


def test_long_expressions_take_linear_work() -> None:
    with at_most(10_000_000):
        result = extent_of(b"\x50\x93\x01\x93\x01" * 12_000, AMD, FORM)
    assert len(result.undefined) == 12_000 and result.size_bits == 192_000


def test_the_sum_of_parts_follows_the_declarations() -> None:
    rng = Random(19)
    operations = [
        b"\x50", b"\x6f", b"\x90\x00", b"\x90\x80\x14", b"\x90\xff\x3f",  # reg, regx
        b"\x93\x04", b"\x93\x04", b"\x93\x08", b"\x93\x01", b"\x93\x00",  # piece
        b"\x93\x80\x08", b"\x93\x81\x08", b"\x9d\x03\x01", b"\x9d\x05\x00",  # and bit_piece
        b"\x30", b"\x9f", b"\x12", b"\x16", b"\x13", b"\x96", b"\x70\x04", b"\x92\x80\x14\x04",
        b"\xf0", b"\xe9\x0a", b"\xe9\x05", b"\xe1", b"\x30\x16\x18", b"\x32\x16\x18",
        b"\x31\x28\x01\x00", b"\xff",
    ]  # fmt: skip
    weights = [6] * 14 + [1] * (len(operations) - 14)
    sums = 0
    for number in range(4_000):
        dialect = list(DIALECTS.values())[number % len(DIALECTS)]
        form = UnitFormat(version=2 + number % 4)
        data = b"".join(rng.choices(operations, weights, k=rng.randrange(11)))
        arch = MACHINES[number % 7 % 4]
        by_rule = by_declarations(data, dialect, form, arch)
        assert extent_of(data, dialect, form, arch) == by_rule, (data.hex(), dialect, arch)
        sums += len(composite_parts(dialect, form).cut(data) or ()) > 1
    assert sums > 400


def test_expressions_that_differ_in_a_number_are_judged_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged: list[bytes] = []

    def counted(data: bytes, *reading: Any) -> Extent:
        judged.append(data)
        return by_declarations(data, *reading)

    monkeypatch.setattr(extent_module, "by_declarations", counted)
    form = UnitFormat(version=3, address_size=4)  # no other test has judged any of it
    for number in range(100):
        address = b"\x03" + number.to_bytes(4, "little")
        for data in (address, address + b"\x9f", bytes((0x08, number, 0x9F))):
            assert extent_of(data, AMD, form) == by_declarations(data, AMD, form)
    assert len(judged) == 3
    for data in (b"\x03\0\0\0", b"\x03\0\0\0\1\x06\x96", b"\x08", b"\x08\x05\x93\x04"):
        assert extent_of(data, AMD, form) == by_declarations(data, AMD, form)


def test_expressions_that_differ_in_the_first_register_are_judged_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged: list[bytes] = []

    def counted(data: bytes, *reading: Any) -> Extent:
        judged.append(data)
        return by_declarations(data, *reading)

    monkeypatch.setattr(extent_module, "by_declarations", counted)
    form = UnitFormat(version=5, address_size=4)  # no other test has judged any of it
    rest = b"\x06\x31\x1c\x9f"
    for number in range(1, 32):
        leb = bytes((number,))
        for first in (
            bytes((0x70 + number, 5)),
            b"\x91" + leb,
            b"\x92" + leb + b"\x7f",
            b"\xa1" + leb,
        ):
            assert extent_of(first + rest, AMD, form) == by_declarations(first + rest, AMD, form)
    assert len(judged) == 4


def test_an_expression_is_judged_alike_whatever_its_first_register() -> None:
    rng = Random(20)
    firsts = [
        *(bytes((opcode, 0x14)) for opcode in range(0x50, 0x94)),
        b"\x90\x80\x14", b"\x91\xf0\x7e", b"\x92\x80\x14\x04", b"\x92\x05\x80\x80\x7f",
        b"\xa1\x80\x01", b"\x90" + b"\xff" * 9 + b"\x01", b"\x90\x80", b"\x92\x05", b"\xa1",
    ]  # fmt: skip
    operations = [
        b"\x06", b"\x9f", b"\x93\x04", b"\x12", b"\x13", b"\x16", b"\x22", b"\x1b", b"\x23\x08",
        b"\x30", b"\x94\x04", b"\x94\x10", b"\x28\x01\x00", b"\x2f\x00\x00", b"\x9e\x01\x05",
        b"\xe1", b"\xe9\x08\x01", b"\xf0", b"\x15\x01", b"\xff", b"\x50", b"\x71\x00",
    ]  # fmt: skip
    kinds = set[str]()
    for number in range(6_000):
        dialect = list(DIALECTS.values())[number % len(DIALECTS)]
        form = UnitFormat(version=2 + number % 4)
        data = rng.choice(firsts) + b"".join(rng.choices(operations, k=rng.randrange(6)))
        arch = MACHINES[number % 7 % 4]
        by_rule = by_declarations(data, dialect, form, arch)
        assert extent_of(data, dialect, form, arch) == by_rule, (data.hex(), dialect, arch)
        kinds.add(by_rule.completeness)
    assert len(kinds) >= 4


def test_parts_of_composites_are_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[bytes] = []

    def counted(data: bytes, dialect: Dialect, form: UnitFormat) -> Expression:
        decoded.append(data)
        return decode(data, dialect, form)

    monkeypatch.setattr(cut_composite, "decode", counted)
    known = cut_composite.CompositeParts(AMD, FORM)
    first, second = b"\x50\x93\x04", b"\x90\x80\x14\x93\x04"
    assert known.cut(first + second) == [first, second]
    assert known.cut(second + first * 3 + second) == [second, first, first, first, second]
    assert decoded == [first + second]
    assert known.cut(first + b"\x93\x08" + second) == [first, b"\x93\x08", second]
    assert decoded == [first + second, b"\x93\x08" + second]  # from the first new part on
    assert known.cut(first + b"\x50") is None  # no part of a composite is last


def test_as_many_parts_as_there_are_take_bounded_memory() -> None:
    known = cut_composite.CompositeParts(AMD, FORM)
    data = [bytes((0x90,)) + encode_uleb(n) + b"\x93\x04" for n in range(3 * CACHE_SIZE)]
    assert known.cut(b"".join(data)) == data == known.cut(b"".join(data))
    assert len(known._valid) <= CACHE_SIZE
