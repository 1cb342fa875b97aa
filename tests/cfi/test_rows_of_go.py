"""Functions of Go save no register for their callers: general registers are lost in the frames
outside of them, but for that of the goroutine."""

from __future__ import annotations

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.leb128 import encode_sleb
from dwarfgpu.cfi.frame_row import default_rule
from dwarfgpu.cfi.rule import SameValueRule, UndefinedRule, ValOffsetRule
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.objfile.elf import ObjectFile
from tests.check.made import cfi_entry
from tests.dwarf.builder import X86_64, Content, elf

RBX, RBP, RSP, R14, CS = 3, 6, 7, 14, 51
START = b"\x0c\x07\x08\x90\x01"


@pytest.mark.parametrize(
    ("note", "augmentation", "is_preserved"),
    [
        (".note.go.buildid", b"", False),
        (".gopclntab", b"", False),
        (".data.rel.ro.gopclntab", b"", False),
        (".note.go.buildid", b"z", True),
        (".note", b"", True),
    ],
    ids=["go", "without a build ID", "position-independent", "cgo", "c"],
)
def test_registers_without_a_rule(note: str, augmentation: bytes, is_preserved: bool) -> None:
    """C code in a program of Go has an augmentation, and keeps its own ABI."""
    factors = b"\x04" + augmentation + b"\0\x08\0\x01" + encode_sleb(-8) + b"\x10"
    length = b"\0" * len(augmentation)
    common = cfi_entry(b"\xff" * 4, factors + length + START)
    places = (0x1000).to_bytes(8, "little") + (16).to_bytes(8, "little")
    data = elf({
        ".text": Content(bytes(16), flags=6, address=0x1000),
        note: Content(b"", 7),
        ".debug_frame": Content(common + cfi_entry(bytes(4), places + length)),
    }, X86_64)  # fmt: skip
    row = CodeObject.of(ObjectFile("made", data)).info.call_frames.row_at(0x1000)
    assert row is not None
    x86_64 = architecture("x86_64")
    expected = SameValueRule() if is_preserved else UndefinedRule()
    assert default_rule(x86_64, RBX, row) == default_rule(x86_64, RBP, row) == expected
    assert default_rule(x86_64, RSP, row) == ValOffsetRule(0)
    assert default_rule(x86_64, R14, row) == default_rule(x86_64, CS, row) == SameValueRule()
