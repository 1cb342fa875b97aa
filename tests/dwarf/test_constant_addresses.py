"""DW_AT_const_value with an address, as GDB reads it: relocated like any other address."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Content, Shape, file_of

_ADDRESS = 0x1234


def made(folder: Path, form: int, value: bytes) -> Path:
    """A file whose variable `pointer` has a value of a form; `.debug_addr` has the address, too."""
    named = (dw.AT_NAME, dw.FORM_STRING)
    shapes = (
        Shape(
            dw.TAG_COMPILE_UNIT,
            (
                named,
                (dw.AT_LOW_PC, dw.FORM_ADDR),
                (dw.AT_HIGH_PC, dw.FORM_DATA4),
                (dw.AT_ADDR_BASE, dw.FORM_SEC_OFFSET),
            ),
            True,
        ),
        Shape(dw.TAG_BASE_TYPE, (named, (dw.AT_ENCODING, dw.FORM_DATA1),
                                 (dw.AT_BYTE_SIZE, dw.FORM_DATA1))),
        Shape(dw.TAG_VARIABLE, (named, (dw.AT_TYPE, dw.FORM_REF4), (dw.AT_CONST_VALUE, form))),
        Shape(dw.TAG_POINTER_TYPE, ((dw.AT_TYPE, dw.FORM_REF4), (dw.AT_BYTE_SIZE, dw.FORM_DATA1))),
    )  # fmt: skip
    entries = b"\1unit\0" + struct.pack("<QII", 0x1000, 16, 8)
    base = 12 + len(entries)
    entries += b"\2int\0\5\4"
    pointer = 12 + len(entries)
    entries += b"\4" + struct.pack("<IB", base, 8)
    entries += b"\3pointer\0" + struct.pack("<I", pointer) + value + b"\0"
    sections = {
        ".text": Content(bytes(16), flags=6, address=0x1000),
        ".debug_addr": Content(struct.pack("<IHBBQ", 12, 5, 8, 0, _ADDRESS)),
    }
    path = folder / "constant.so"
    path.write_bytes(file_of(entries, shapes, sections, machine=X86_64))
    return path


@pytest.mark.parametrize(
    ("form", "value"),
    [(dw.FORM_ADDR, struct.pack("<Q", _ADDRESS)), (dw.FORM_ADDRX, b"\0")],
)
@pytest.mark.parametrize("load_address", [0, 0x10000])
def test_it_is_relocated(tmp_path: Path, form: int, value: bytes, load_address: int) -> None:
    path = made(tmp_path, form, value)
    done = run("eval", "--file", path, "--load-address", hex(load_address), "pointer")
    assert done.lines[0] == f"pointer = (int *) {_ADDRESS + load_address:#x}"


def test_gdb_relocates_it(tmp_path: Path, tool: Callable[[str], str]) -> None:
    path = made(tmp_path, dw.FORM_ADDR, struct.pack("<Q", _ADDRESS))
    command = [tool("gdb"), "-nx", "-batch", "-ex", f"add-symbol-file {path} -o 0x10000",
               "-ex", "print pointer"]  # fmt: skip
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert shown.splitlines()[-1] == "$1 = (int *) 0x11234"
