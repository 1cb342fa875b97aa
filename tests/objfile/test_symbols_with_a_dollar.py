"""Symbols whose names begin with a dollar: marks of code, and names like others."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import run
from tests.dwarf.builder import Content, elf


@pytest.mark.parametrize(
    ("machine", "name", "is_mark"),
    [
        (183, "$x", True),  # EM_AARCH64
        (183, "$d.1", True),
        (183, "$t", False),
        (183, "$p", True),
        (183, "$xrv64i", False),
        (40, "$t", True),  # EM_ARM
        (40, "$x", False),
        (243, "$xrv64i2p1_m2p0", True),  # EM_RISCV
        (243, "$a", False),
        (62, "$x", False),
    ],
)
def test_marks_are_those_of_the_machine(machine: int, name: str, is_mark: bool) -> None:
    """BFD's special symbols."""
    table = bytes(24) + struct.pack("<IBBHQQ", 1, 0x10, 0, 1, 0x1000, 0)
    sections: dict[str, bytes | Content] = {
        ".text": Content(bytes(16), flags=6, address=0x1000),
        ".symtab": Content(table, type=2, link=3, entry_bytes=24),
        ".strtab": Content(b"\0" + name.encode() + b"\0", type=3),
    }
    file = ObjectFile("made", elf(sections, machine=machine))
    [_, symbol] = file.symbols
    assert symbol.is_mark == is_mark
    assert bool(file.symbols_named(name, with_untyped=True)) == (not is_mark)
    assert (file.label_before(0x1004) is None) == is_mark


@pytest.mark.parametrize("command", ["p $a", "p $a == 1", "output $a", "p plain"])
def test_data_of_unknown_type_with_a_dollar(tmp_path: Path, command: str) -> None:
    """As data with other names, and as in GDB."""
    table = bytes(24)
    for name_at in (1, 4):
        table += struct.pack("<IBBHQQ", name_at, 0x11, 0, 1, 0x2000, 4)
    sections: dict[str, bytes | Content] = {
        ".data": Content(bytes(16), flags=3, address=0x2000),
        ".symtab": Content(table, type=2, link=3, entry_bytes=24),
        ".strtab": Content(b"\0$a\0plain\0", type=3),
    }
    (tmp_path / "a").write_bytes(elf(sections, machine=62))
    done = run("debug", tmp_path / "a", "--batch", "-ex", command)
    name = "plain" if "plain" in command else "$a"
    assert f"'{name}' has unknown type; cast it to its declared type" in done.err
