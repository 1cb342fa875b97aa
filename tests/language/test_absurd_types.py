"""Types with damaged or absurd attributes, in expressions of every language: an answer, or one of
our own errors, and little work."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.types.class_parts import Variant, VariantPart
from dwarfgpu.dwarf.types.types import Base, Member
from dwarfgpu.model.object import Bits
from dwarfgpu.service.error_text import out_of_memory
from dwarfgpu.session.variants import variant_members
from tests.cli.command import REPOSITORY
from tests.language import absurd_types
from tests.language.absurd_types import DATA, LANGUAGES, Entry, ask, shell_of, write_program
from tests.repl.repl_shell import output_of
from tests.work import at_most

SEEDS = 2
QUESTIONS = 40
MAX_CALLS = 3_000_000
"""For one command."""
PLACE = b"\x03" + DATA.to_bytes(8, "little")


@pytest.mark.parametrize("name", LANGUAGES)
def test_commands_are_answered_or_refused(name: str) -> None:
    """In a process of its own, which has little memory."""
    numbers = map(str, (0, SEEDS, QUESTIONS, MAX_CALLS))
    asked = [sys.executable, "-m", "tests.language.absurd_types", name, *numbers]
    done = subprocess.run(asked, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_command_without_enough_memory_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(absurd_types, "output_of", lambda *_: str(out_of_memory(MemoryError())))
    with pytest.raises(AssertionError, match="C 0: .*: .*needs more memory"):
        ask(tmp_path, "C", 0, 1, MAX_CALLS)


def outputs(folder: Path, language: str, types: dict[str, Entry], *lines: str) -> list[str]:
    """The last lines of the answers to commands, about variables of types."""
    variables = [
        Entry(dw.TAG_VARIABLE, {dw.AT_NAME: name, dw.AT_TYPE: type_, dw.AT_LOCATION: PLACE})
        for name, type_ in types.items()
    ]
    parts = [*types.values(), *variables]
    path = write_program(folder, LANGUAGES[language], parts)
    shell = shell_of(path, Random(1))
    return [output_of(shell, line).strip().splitlines()[-1] for line in lines]


def base(name: str, encoding: int, size_bytes: int) -> Entry:
    attributes = {dw.AT_NAME: name, dw.AT_ENCODING: encoding, dw.AT_BYTE_SIZE: size_bytes}
    return Entry(dw.TAG_BASE_TYPE, attributes)


SIGNED_FIXED, FLOAT, SIGNED, CHARACTER = 0x0D, 4, 5, 6
NO_SCALE = "Unsupported: arithmetic on the fixed-point type fixed, whose scale is missing"


def test_arithmetic_needs_the_scale_of_a_fixed_point_type(tmp_path: Path) -> None:
    """GDB takes it for 1."""
    lines = ["f=f", "f+1", "f-f", "-f", "f<2.5", "integer(f)", "fixed(1)", "f:=1"]
    types = {"f": base("fixed", SIGNED_FIXED, 8), "w": base("wide", SIGNED_FIXED, 1 << 63)}
    commands = [f"print {line}" for line in lines]
    assert outputs(tmp_path, "Ada", types, *commands) == [NO_SCALE] * len(lines)
    shown, plain = outputs(tmp_path, "Ada", types, "output/x f", "output f")
    assert plain == f"0x{int(shown, 16):016x} <its scale is missing>"
    for line in ("w+1", "wide(1)", "wide'min(1,2)"):
        (said,) = outputs(tmp_path, "Ada", types, f"print {line}")
        assert said == f"Unsupported: arithmetic on {1 << 66} bits, at most 4096"


def test_a_scale_is_above_0(tmp_path: Path) -> None:
    small = Entry(dw.TAG_CONSTANT, {dw.AT_GNU_NUMERATOR: 0, dw.AT_GNU_DENOMINATOR: 3})
    fixed = base("fixed", SIGNED_FIXED, 8)
    fixed.attributes[dw.AT_SMALL] = small
    types = {"small": small, "f": fixed}
    (said,) = outputs(tmp_path, "Ada", types, "print f+1")
    assert said.endswith("has a scale of 0")


def test_characters_of_pascal_are_at_most_those_of_unicode(tmp_path: Path) -> None:
    wide = base("wide", CHARACTER, 2_048)
    pointer = Entry(dw.TAG_POINTER_TYPE, {dw.AT_TYPE: wide, dw.AT_BYTE_SIZE: 8})
    (said,) = outputs(tmp_path, "Pascal", {"w": wide, "p": pointer}, "print p")
    assert said.startswith("$1 = (wide *) 0x")


@pytest.mark.parametrize("stride", [{dw.AT_BYTE_STRIDE: 4}, {dw.AT_BIT_STRIDE: 4}])
def test_inquiries_about_elements_with_fewer_bits(tmp_path: Path, stride: dict[int, int]) -> None:
    """They are about the type, which has all its bits."""
    real = base("real(kind=8)", FLOAT, 8)
    four = Entry(dw.TAG_SUBRANGE_TYPE, {dw.AT_LOWER_BOUND: 1, dw.AT_UPPER_BOUND: 4})
    array = Entry(dw.TAG_ARRAY_TYPE, {dw.AT_TYPE: real, **stride}, four)
    expected = {
        "kind(a)": "8", "kind(a(2))": "8", "digits(a)": "53", "range(a)": "307",
        "epsilon(a)": "2.2204460492503131e-16", "epsilon(a(1))": "2.2204460492503131e-16",
        "huge(a)": "1.7976931348623157e+308", "tiny(a(2))": "2.2250738585072014e-308",
    }  # fmt: skip
    commands = [f"output {text}" for text in expected]
    answered = outputs(tmp_path, "Fortran", {"r": real, "a": array}, *commands)
    assert dict(zip(expected, answered, strict=True)) == expected


def test_sizes_are_bounded_before_numbers_of_them_are_made(tmp_path: Path) -> None:
    """1 << 2**34 alone takes 2 GB."""
    number = base("number", SIGNED, 1 << 31)
    part = Entry(dw.TAG_SUBRANGE_TYPE, {
        dw.AT_NAME: "part", dw.AT_TYPE: number, dw.AT_LOWER_BOUND: 0, dw.AT_UPPER_BOUND: 3,
    })  # fmt: skip
    types = {"n": number, "p": part}
    assert outputs(tmp_path, "Ada", types, "whatis p") == ["type = part"]
    (said,) = outputs(tmp_path, "Ada", types, "print number'first")
    assert said == f"Unsupported: arithmetic on {1 << 34} bits, at most 4096"
    byte = base("byte", SIGNED, 1 << 31)
    byte.attributes[dw.AT_BIT_SIZE] = 8
    (said,) = outputs(tmp_path, "C", {"b": byte}, "print b = 1")
    assert said.startswith("LimitExceeded: ")
    array = Entry(
        dw.TAG_ARRAY_TYPE, {dw.AT_TYPE: number, dw.AT_BIT_STRIDE: 8},
        Entry(dw.TAG_SUBRANGE_TYPE, {dw.AT_COUNT: 2}),
    )  # fmt: skip
    (said,) = outputs(tmp_path, "C", {"n": number, "a": array}, "output/d a")
    assert said == "{" + ", ".join(["<more than 4096 bits of type number>"] * 2) + "}"


HUGE = 1 << 31
TOO_WIDE = f"Unsupported: arithmetic on {8 * HUGE} bits, at most 4096"


def member(name: str, type_: Entry, **attributes: int) -> Entry:
    named = {getattr(dw, f"AT_{key}"): value for key, value in attributes.items()}
    return Entry(dw.TAG_MEMBER, {dw.AT_NAME: name, dw.AT_TYPE: type_, **named})


def test_a_pointer_to_a_member_is_no_wider_than_a_number(tmp_path: Path) -> None:
    number = base("int", SIGNED, 4)
    whole = Entry(dw.TAG_STRUCTURE_TYPE, {dw.AT_NAME: "S", dw.AT_BYTE_SIZE: 8})
    pointer = Entry(dw.TAG_PTR_TO_MEMBER_TYPE, {
        dw.AT_TYPE: number, dw.AT_CONTAINING_TYPE: whole, dw.AT_BYTE_SIZE: HUGE,
    })  # fmt: skip
    types = {"i": number, "s": whole, "pm": pointer}
    lines = ["print pm=0", "whatis pm=0", "print pm==0"]
    assert outputs(tmp_path, "C++", types, *lines) == [TOO_WIDE] * 3


def test_a_bit_field_of_a_type_that_no_machine_has(tmp_path: Path) -> None:
    minus = Entry(dw.TAG_ENUMERATOR, {dw.AT_NAME: "minus", dw.AT_CONST_VALUE: -1})
    kind = Entry(dw.TAG_ENUMERATION_TYPE, {dw.AT_NAME: "E", dw.AT_BYTE_SIZE: HUGE}, minus)
    part = member("c", kind, BIT_SIZE=4, DATA_BIT_OFFSET=0)
    whole = Entry(dw.TAG_STRUCTURE_TYPE, {dw.AT_NAME: "S", dw.AT_BYTE_SIZE: 8}, part)
    lines = ["output s.c", "output/d s.c"]
    tracemalloc.start()
    try:
        said = outputs(tmp_path, "C", {"e": kind, "s": whole}, *lines)
        assert tracemalloc.get_traced_memory()[1] < 1 << 27
    finally:
        tracemalloc.stop()
    assert said == ["<more than 4096 bits of type enum E>"] * 2


def test_a_discriminant_that_is_not_read_whole_chooses_no_variant() -> None:
    """Which makes no number of its size, either."""
    number = Base(BaseType("number", "signed", 8 * HUGE, "little"))
    kinds = (Variant((), ((1, 2),)), Variant((), ()))
    part = VariantPart(Member("d", number, 0), kinds)
    (problem,) = variant_members((part,), lambda _: Bits(1, 4096))
    assert str(problem) == f"the discriminant d has {8 * HUGE} bits, and 4096 were read"


def test_names_of_types_may_have_braces(tmp_path: Path) -> None:
    structure = Entry(dw.TAG_STRUCTURE_TYPE, {dw.AT_NAME: "a{1}", dw.AT_BYTE_SIZE: 8})
    (said,) = outputs(tmp_path, "Fortran", {"a": structure}, "print max(a, 1)")
    assert said == "MAX of type a{1} not supported"


def test_the_type_of_an_assignment_takes_no_elements(tmp_path: Path) -> None:
    number = base("number", SIGNED, 4)
    many = Entry(dw.TAG_SUBRANGE_TYPE, {dw.AT_COUNT: 1 << 59})
    array = Entry(dw.TAG_ARRAY_TYPE, {dw.AT_TYPE: number}, many)
    types = {"n": number, "a": array}
    for line in ("whatis a = -1", "print a = -1"):
        (said,) = outputs(tmp_path, "D", types, line)
        assert said.startswith(f"LimitExceeded: an object of {1 << 61} bytes"), line


def test_a_number_becomes_few_elements_of_a_vector(tmp_path: Path) -> None:
    number = base("number", SIGNED, 4)
    many = Entry(dw.TAG_SUBRANGE_TYPE, {dw.AT_COUNT: 1 << 50})
    vector = Entry(dw.TAG_ARRAY_TYPE, {dw.AT_TYPE: number, dw.AT_GNU_VECTOR: True}, many)
    types = {"n": number, "v": vector}
    (said,) = outputs(tmp_path, "OpenCL", types, "print v = 1")
    assert said.startswith("LimitExceeded: an expression takes more than 16384 elements")


def test_a_vector_of_unknown_length_is_not_assigned(tmp_path: Path) -> None:
    number = base("number", SIGNED, 4)
    unknown = Entry(dw.TAG_SUBRANGE_TYPE, {})
    vector = Entry(dw.TAG_ARRAY_TYPE, {dw.AT_TYPE: number, dw.AT_GNU_VECTOR: True}, unknown)
    (said,) = outputs(tmp_path, "C", {"n": number, "v": vector}, "print v = v")
    assert said == "Assignment of an object of another size."


def test_a_discriminant_may_claim_any_size(tmp_path: Path) -> None:
    number = base("number", SIGNED, (1 << 64) - 1)
    kind = Entry(dw.TAG_MEMBER, {dw.AT_NAME: "kind", dw.AT_TYPE: number})
    variant = Entry(dw.TAG_VARIANT, {dw.AT_DISCR_VALUE: 1})
    part = Entry(dw.TAG_VARIANT_PART, {dw.AT_DISCR: kind}, kind, variant)
    record = Entry(dw.TAG_STRUCTURE_TYPE, {dw.AT_NAME: "t", dw.AT_BYTE_SIZE: 8}, part)
    assert outputs(tmp_path, "Ada", {"n": number, "r": record}, "ptype r") == ["end record"]


def test_halves_of_a_vector_have_few_elements(tmp_path: Path) -> None:
    vector = base("v", SIGNED, 4)
    vector.attributes[dw.AT_LLVM_VECTOR_SIZE] = 1 << 40
    with at_most(MAX_CALLS):
        (said,) = outputs(tmp_path, "OpenCL", {"v": vector}, "print v.even")
    assert said == "Invalid OpenCL vector component accessor even"
