"""Descriptors of Fortran that are in pieces: gfortran -O2 keeps them in no memory.

The bounds are read with DW_OP_push_object_address, DW_OP_plus_uconst and DW_OP_deref.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.dwarf.builder import X86_64, Shape, abbreviations, elf, unit
from tests.repl.side_by_side import answers, build, with_core

HEADER_BYTES = 12
ADDRESS = 0x1000
REF4, DATA1, STRING, EXPRLOC = 0x13, 0x0B, 0x08, 0x18
SHAPES = (
    Shape(0x11, ((0x03, STRING), (0x13, DATA1)), has_children=True),
    Shape(0x24, ((0x03, STRING), (0x0B, DATA1), (0x3E, DATA1))),
    Shape(0x01, ((0x49, REF4), (0x50, EXPRLOC)), has_children=True),
    Shape(0x21, ((0x22, EXPRLOC), (0x2F, EXPRLOC))),
    Shape(0x34, ((0x03, STRING), (0x49, REF4), (0x02, EXPRLOC))),
    Shape(0x01, ((0x49, REF4), (0x50, EXPRLOC), (0x4F, EXPRLOC)), has_children=True),
    Shape(0x34, ((0x03, STRING), (0x49, REF4))),
    Shape(0x13, ((0x03, STRING), (0x0B, DATA1)), has_children=True),
    Shape(0x0D, ((0x03, STRING), (0x49, REF4), (0x38, DATA1))),
)


def block(*operations: int) -> bytes:
    return bytes((len(operations), *operations))


def field(offset: int) -> bytes:
    return block(0x97, 0x23, offset, 0x06)


def described(*values: int | bytes | None) -> bytes:
    """Pieces of 8 bytes: numbers, operations, and None for nothing."""
    operations = b""
    for value in values:
        if isinstance(value, int):
            value = b"\x0e" + value.to_bytes(8, "little") + b"\x9f"
        operations += value or b""
        operations += b"\x93\x08"
    return bytes((len(operations),)) + operations


def variable(name: bytes, kind: int, place: bytes) -> bytes:
    return b"\x05" + name + b"\0" + kind.to_bytes(4, "little") + place


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`known(2:4)`, and `lost`, whose upper bound is nowhere; `short` ends before its bounds."""
    entries = b"\x01made.f90\0\x0e"  # DW_LANG_Fortran90 is 8, DW_LANG_Fortran95 14
    number = HEADER_BYTES + len(entries)
    entries += b"\x02integer(kind=4)\0\x04\x05"
    kind = HEADER_BYTES + len(entries)
    entries += b"\x03" + number.to_bytes(4, "little") + block(0x97, 0x06)
    entries += b"\x04" + field(8) + field(16) + b"\0"
    entries += variable(b"known", kind, described(ADDRESS, 2, 4))
    entries += variable(b"lost", kind, described(ADDRESS, 2, None))
    entries += variable(b"short", kind, described(ADDRESS)) + b"\0"
    sections = {".debug_info": unit(entries), ".debug_abbrev": abbreviations(*SHAPES)}
    path = tmp_path_factory.mktemp("pieces") / "made"
    path.write_bytes(elf(sections, X86_64, 0))
    return path


MEMORY = ("--mem", f"default#{ADDRESS:#x}=" + "".join(f"{n:02x}000000" for n in range(5, 8)))


def test_fields_in_pieces_are_read(program: Path) -> None:
    for text, value in (("known", "(5, 6, 7)"), ("known(4)", "7"), ("sizeof(known)", "12")):
        assert run("eval", program, *MEMORY, text).out == f"{text} = {value}\n"


@pytest.mark.parametrize("name", ["lost", "short"])
def test_fields_in_no_piece_are_optimized_out(program: Path, name: str) -> None:
    done = run("eval", program, *MEMORY, name)
    why = "bits 0 to 63 of 64 are undefined: undefined storage"
    assert done.err == f"dwarfgpu: {name}: <optimized out> ({why})\n"


def test_the_letter_has_no_number_for_a_location_in_pieces(program: Path) -> None:
    done = run("eval", "--strict", program, *MEMORY, "known")
    assert "a value is required, not a location description" in done.out + done.err


@pytest.fixture(scope="module")
def pointers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pointers of Fortran to a part of `base`: `known(2:3)`, `lost` without bounds, also in `pair`;
    `odd`, whose lower bound is an implicit pointer; `removed(2:3)`, to what has no location."""
    entries = b"\x01made.f90\0\x0e"
    number = HEADER_BYTES + len(entries)
    entries += b"\x02integer(kind=4)\0\x04\x05"
    base = HEADER_BYTES + len(entries)
    entries += variable(b"base", number, block(0x9E, 12, *range(12)))
    kind = HEADER_BYTES + len(entries)
    entries += b"\x06" + number.to_bytes(4, "little") + block(0x97, 0x06)
    entries += block(0x97, 0x06, 0x30, 0x2E) + b"\x04" + field(8) + field(16) + b"\0"
    pointer = b"\xa0" + base.to_bytes(4, "little") + b"\x04"  # to the second number
    gone = HEADER_BYTES + len(entries)
    entries += b"\x07gone\0" + number.to_bytes(4, "little")
    record = HEADER_BYTES + len(entries)
    entries += b"\x08pair\0\x20\x09n\0" + number.to_bytes(4, "little") + b"\0"
    entries += b"\x09part\0" + kind.to_bytes(4, "little") + b"\x08\0"
    entries += variable(b"known", kind, described(pointer, 2, 3))
    entries += variable(b"lost", kind, described(pointer, None, None))
    entries += variable(b"odd", kind, described(pointer, pointer, 3))
    entries += variable(b"pair", record, described(7, pointer, None, None))
    removed = b"\xa0" + gone.to_bytes(4, "little") + b"\0"
    entries += variable(b"removed", kind, described(removed, 2, 3)) + b"\0"
    sections = {".debug_info": unit(entries), ".debug_abbrev": abbreviations(*SHAPES)}
    path = tmp_path_factory.mktemp("pointers") / "made"
    path.write_bytes(elf(sections, X86_64, 0))
    return path


def test_an_implicit_pointer_to_the_data_is_not_null(pointers: Path) -> None:
    for text, value in (
        ("known", "(117835012, 185207048)"),
        ("known(3)", "185207048"),
        ("associated(known)", ".TRUE."),
        ("sizeof(known)", "8"),
    ):
        assert run("eval", pointers, text).out == f"{text} = {value}\n"
    done = run("eval", pointers, "lost")
    why = "bits 0 to 63 of 64 are undefined: undefined storage"
    assert done.err == f"dwarfgpu: lost: <optimized out> ({why})\n"
    said = run("debug", pointers, "--batch", "-ex", "ptype lost", "-ex", "whatis known").out
    assert said == "type = integer(kind=4) (:)\ntype = integer(kind=4) (2:3)\n"


def test_a_pointer_to_a_removed_object_is_optimized_out(pointers: Path) -> None:
    done = run("eval", pointers, "removed")
    assert done.err.startswith("dwarfgpu: removed: <optimized out> (the DIE at ")
    said = run("debug", pointers, "--batch", "-ex", "ptype removed").out
    assert said == "type = integer(kind=4) (:)\n"


def test_a_lost_pointer_in_a_structure_is_optimized_out(pointers: Path) -> None:
    done = run("eval", pointers, "pair")
    assert (done.out, done.status) == ("pair = ( n = 7, part = <optimized out> )\n", 1)


def test_the_letter_compares_no_implicit_pointer(pointers: Path) -> None:
    done = run("eval", "--strict", pointers, "known")
    assert "DW_AT_associated" in done.err and "an implicit pointer value has no number" in done.err


def test_a_bound_that_is_an_implicit_pointer_has_no_number(pointers: Path) -> None:
    done = run("eval", pointers, "odd")
    assert "DW_AT_lower_bound: the field at byte 8 is an implicit pointer" in done.err


FORTRAN = """\
module m
  implicit none
contains
  subroutine stop_here(n)
    integer, intent(in) :: n
    if (n > 1) call abort()
  end subroutine
  subroutine work(t, lo, hi)
    real, target :: t(40)
    integer, intent(in) :: lo, hi
    real, pointer :: section(:)
    section => t(lo:hi:2)
    call stop_here(lo)
    section(1) = 5
    section(ubound(section, 1)) = 6
    print *, section(1), sum(section), lbound(section)
  end subroutine
end module
program p
  use m
  real, target :: t(40)
  t = 1
  call work(t, 2, command_argument_count() + 8)
end program
"""


def test_pointers_of_gfortran(tool: Callable[[str], str], tmp_path: Path) -> None:
    options = ["-g", "-O1", "-fno-inline"]
    build(tmp_path, {"a.f90": FORTRAN}, [[tool("gfortran"), *options, "-o", "a", "a.f90"]])
    files = with_core(tool, tmp_path)
    said = answers(None, files, ["frame function m::work", "info locals"])
    assert "section = <optimized out>" in said[1]
