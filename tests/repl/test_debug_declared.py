"""What entries declare: an alignment, a variable that no file defines, and bad operations."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import Shape, state_in

NAME, TYPE = (dw.AT_NAME, dw.FORM_STRING), (dw.AT_TYPE, dw.FORM_REF4)
SIZE, ALIGNMENT = (dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_ALIGNMENT, dw.FORM_DATA1)
RANGE = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4))
PLACED = (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1)
DECLARED = ((dw.AT_EXTERNAL, dw.FORM_FLAG), (dw.AT_DECLARATION, dw.FORM_FLAG))
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (NAME, (dw.AT_LANGUAGE, dw.FORM_DATA1), *RANGE), True),
    Shape(dw.TAG_BASE_TYPE, (NAME, (dw.AT_ENCODING, dw.FORM_DATA1), SIZE)),
    Shape(dw.TAG_TYPEDEF, (NAME, TYPE, ALIGNMENT)),
    Shape(dw.TAG_TYPEDEF, (NAME, TYPE)),
    Shape(dw.TAG_STRUCTURE_TYPE, (NAME, SIZE), True),
    Shape(dw.TAG_MEMBER, (NAME, TYPE, PLACED)),
    Shape(dw.TAG_MEMBER, (NAME, TYPE, PLACED, ALIGNMENT)),
    Shape(dw.TAG_MEMBER, (NAME, TYPE, *DECLARED)),
    Shape(dw.TAG_NAMESPACE, (NAME,), True),
    Shape(dw.TAG_VARIABLE, (NAME, TYPE, *DECLARED)),
    Shape(dw.TAG_SUBPROGRAM, (NAME, *RANGE), True),
    Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
]
CODE = struct.pack("<QI", 0x1000, 16)
HEADER_BYTES = 12


def entries() -> bytes:
    """Types as clang describes them, which gives no alignment to a structure with an aligned
    member."""
    out = b"\1a.cc\0\x1a" + CODE
    at: dict[str, bytes] = {}

    def add(name: str, entry: bytes) -> None:
        nonlocal out
        at[name] = struct.pack("<I", HEADER_BYTES + len(out))
        out += entry

    add("int", b"\2int\0\5\4")
    add("wide", b"\3wide\0" + at["int"] + b"\x10")
    add("narrow", b"\3narrow\0" + at["int"] + b"\2")
    add("same", b"\4same\0" + at["wide"])
    add("M", b"\5M\0\x20" + b"\6a\0" + at["int"] + b"\0")
    out += b"\7b\0" + at["int"] + b"\x10\x10" + b"\x08made\0" + at["int"] + b"\1\1" + b"\0"
    add("N", b"\5N\0\x20" + b"\6w\0" + at["same"] + b"\0" + b"\0")
    add("ns", b"\x09ns\0" + b"\x0agone\0" + at["int"] + b"\1\1" + b"\0")
    add("f", b"\x0bf\0" + CODE)
    (base,) = struct.unpack("<I", at["int"])
    # DW_OP_lit3; DW_OP_convert int; DW_OP_lit1; DW_OP_plus; DW_OP_stack_value
    add("sum", b"\x0csum\0" + at["int"] + bytes([6, 0x33, 0xA8, base, 0x31, 0x22, 0x9F]))
    return out + b"\0\0"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return state_in(tmp_path, entries(), SHAPES)


@pytest.mark.parametrize(
    ("type_name", "expected"),
    [
        ("int", 4),
        ("wide", 16),
        ("narrow", 2),
        ("same", 16),
        ("const same", 16),
        ("wide[2]", 16),
        ("wide*", 8),
        ("M", 16),
        ("M[3]", 16),
        ("N", 16),
    ],
)
def test_an_alignment_is_the_one_of_the_file(state: Path, type_name: str, expected: int) -> None:
    """DWARF 5 2.24: DW_AT_alignment of a type or a data member; else that of its parts."""
    done = run("debug", "-q", "--batch", "--state", state, "-ex", f"p alignof({type_name})")
    assert done.out == f"$1 = {expected}\n"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("M::made", "$1 = <optimized out>"),
        ("alignof(sum)", "A syntax error in expression, near `sum)'."),
    ],
)
def test_gdbs_words(state: Path, expression: str, expected: str) -> None:
    done = run("debug", "-q", "--batch", "--state", state, "-ex", f"p {expression}")
    assert expected in (done.out + done.err).splitlines()


def test_a_variable_that_is_only_declared_is_named_with_its_scope(state: Path) -> None:
    done = run("debug", "-q", "--batch", "--state", state, "-ex", "p ns::gone")
    assert done.err.startswith('Missing ELF symbol "ns::gone": it is only declared'), done


@pytest.mark.parametrize("command", ["p sum", "p sum + 1", "output sum", "x/x sum"])
def test_an_ill_formed_operation_begins_the_line(state: Path, command: str) -> None:
    """DWARF 5 2.5.1.4: the operands of plus have the same type."""
    done = run("debug", "-q", "--batch", "--state", state, "-ex", command)
    assert done.err.splitlines()[0] == (
        "DW_OP_plus at offset 0x4: addition of int and generic: both operands must have the same "
        "type"
    )


def test_info_scope_names_inlined_calls_with_their_class(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """As GDB 13: `Symbol Sum::twice(int) const is a function at address …, length 1.`"""
    source = tmp_path / "a.cc"
    source.write_text(
        "struct Sum {\n"
        "  int n;\n"
        "  __attribute__((always_inline)) int twice(int m) const { return n + 2 * m; }\n"
        "};\n"
        "int of(const Sum &sum, int m) { return sum.twice(m); }\n"
        "int main() { return of(Sum{1}, 2); }\n"
    )
    program = tmp_path / "a.out"
    command = [tool("g++"), "-g", "-O2", "-o", str(program), str(source)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    out = run("debug", "--batch", program, "-ex", "info scope of").out
    if ", length 1." not in out:
        pytest.skip("this compiler inlines nothing at the beginning of the function")
    assert "Symbol Sum::twice(int) const is a function at address 0x" in out
