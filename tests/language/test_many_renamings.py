"""Renamings of Ada that name other renamings, by hand: the work that they take is bounded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import printed_in_order
from tests.dwarf.builder import Content, Shape, file_of
from tests.language.made_units import BASE_TYPE, HEADER_BYTES, NAME, RANGE, UNIT, VARIABLE
from tests.work import calls_of

_ARRAY = Shape(dw.TAG_ARRAY_TYPE, ((dw.AT_TYPE, dw.FORM_REF4),), True)
_INDEXES = Shape(
    dw.TAG_SUBRANGE_TYPE,
    ((dw.AT_LOWER_BOUND, dw.FORM_DATA1), (dw.AT_UPPER_BOUND, dw.FORM_DATA1)),
)
_SUBPROGRAM = Shape(dw.TAG_SUBPROGRAM, (NAME, *RANGE), True)
_ADA, _DATA = 0x0D, 0x8000
MEMORY = ("--mem", f"{_DATA:#x}={'01000000' * 8}")


def _program(folder: Path, *renamings: str) -> Path:
    """Write a program with an integer `n` of 1, an array `arr` and variables of these names in a
    subprogram."""
    code = (0x1000).to_bytes(8, "little") + b"\x40\0\0\0"
    entries = b"\1a\0" + bytes((_ADA,)) + code
    integer = (HEADER_BYTES + len(entries)).to_bytes(4, "little")
    entries += b"\2integer\0\5\4"
    array = (HEADER_BYTES + len(entries)).to_bytes(4, "little")
    entries += b"\4" + integer + b"\5\1\4\0"
    entries += b"\6a\0" + code
    where = b"\x09\3" + _DATA.to_bytes(8, "little")  # DW_OP_addr
    for name, type_at in [("n", integer), ("arr", array), *((one, integer) for one in renamings)]:
        entries += b"\3" + name.encode() + b"\0" + type_at + where
    path = folder / "program"
    others = {".text": Content(bytes(0x40), flags=6, address=0x1000)}
    shapes = [UNIT, BASE_TYPE, VARIABLE, _ARRAY, _INDEXES, _SUBPROGRAM]
    path.write_bytes(file_of(entries + b"\0\0", shapes, others, machine=62))
    return path


def _printed(path: Path, command: str) -> str:
    arguments = ("debug", "--batch", path, "--pc", 0x1004, *MEMORY, "-ex", command)
    return printed_in_order(*arguments).partition("\nnote: ")[0].strip()


def _asks(path: Path, command: str) -> Callable[[], object]:
    return lambda: _printed(path, command)


def test_each_may_name_several(tmp_path: Path) -> None:
    names = [f"v{k}___XR_arr___XEXLv{k + 1}XSv{k + 1}XSv{k + 1}" for k in range(18)]
    path = _program(tmp_path, *names, "v18___XR_n___XE")
    assert _printed(path, "print v17") == "$1 = 1"
    assert "leads through more than 1000" in _printed(path, "print v0")


def test_a_long_chain_is_no_circle(tmp_path: Path) -> None:
    chain = [f"v{k}___XR_v{k + 1}___XE" for k in range(60)]
    path = _program(tmp_path, *chain, "v60___XR_n___XE", "a___XR_b___XE", "b___XR_a___XE")
    assert _printed(path, "print v45") == "$1 = 1"
    assert "more than 20 objects that rename one another" in _printed(path, "print v0")
    assert _printed(path, "print a") == "a is renamed by itself"


@pytest.mark.parametrize("command", ["print v", "whatis v"])
def test_subscripts_are_evaluated_once(tmp_path: Path, command: str) -> None:
    work = []
    for count in (2, 20, 40):  # the first reads the program
        path = _program(tmp_path, "v___XR_arr___XE" + "XLnXSn" * count)
        work.append(calls_of(_asks(path, command)))
    assert work[2] < 3 * work[1], work


def test_a_subscript_of_many_digits(tmp_path: Path) -> None:
    path = _program(tmp_path, "v___XR_arr___XEXS" + "9" * 5000)
    assert _printed(path, "print v") == "Numeric constant too large."
