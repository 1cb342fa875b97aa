"""The symbols of a stripped program in `.gnu_debugdata`, compressed by xz (MiniDebugInfo)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.symbol_at_address import symbol_text
from dwarfgpu.dwarf.scope.symbols_by_name import untyped_symbol
from dwarfgpu.errors import LimitExceeded, Malformed
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.mini_debug_info import mini_debug_info
from tests.check.made import findings, verdict_on
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Content, elf

lzma = pytest.importorskip("lzma")
TEXT = Content(b"\xc3" * 32, flags=6, address=0x1000)
NO_TEXT = Content(b"", 8, flags=6, address=0x1000)
FUNCTION = 0x12


def program(packed: bytes) -> ObjectFile:
    return ObjectFile("made", program_bytes(packed))


def program_bytes(packed: bytes) -> bytes:
    return elf({".text": TEXT, ".gnu_debugdata": packed}, X86_64, 0)


def symbols() -> bytes:
    """A file with the symbol `inner` at 0x1010, whose code is in the program only."""
    table = bytes(24) + struct.pack("<IBBHQQ", 1, FUNCTION, 0, 1, 0x1010, 8)
    sections = {
        ".text": NO_TEXT,
        ".symtab": Content(table, 2, link=3, entry_bytes=24),
        ".strtab": Content(b"\0inner\0", 3),
    }
    return elf(sections, X86_64, 0)


def test_functions_have_names() -> None:
    code_object = CodeObject.of(program(lzma.compress(symbols())), 0x10000)
    known = untyped_symbol([code_object], "inner")
    assert known is not None and known.is_code and known.address == 0x11010
    assert symbol_text([code_object], 0x11012) == "inner+2"


def cut(packed: bytes) -> bytes:
    return packed[:-20]


def changed(packed: bytes) -> bytes:
    return packed[:30] + bytes([packed[30] ^ 255]) + packed[31:]


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (cut, "it is cut short"),
        (lambda _: b"hello", "it is not compressed by xz"),
        (changed, "cannot be decompressed: "),
        (lambda packed: b"\x7fELF" + packed, "cannot be decompressed: "),
        (lambda _: lzma.compress(b"no ELF"), "is not an ELF file"),
    ],
)
def test_damaged_symbols_do_no_harm(damaged: Callable[[bytes], bytes], reason: str) -> None:
    file = program(damaged(lzma.compress(symbols())))
    with pytest.raises(Malformed, match=rf"\.gnu_debugdata of made.*{reason}"):
        mini_debug_info(file)
    assert untyped_symbol([CodeObject.of(file, 0)], "inner") is None


def test_damaged_symbols_are_named_where_they_are_asked_for(tmp_path: Path) -> None:
    (path := tmp_path / "made").write_bytes(program_bytes(changed(lzma.compress(symbols()))))
    why = f"Malformed: .gnu_debugdata of {path} cannot be decompressed: Corrupt input data"
    assert run("info", path).out.count(f"problem: {why}\n") == 1
    assert f"note: {why}\n" in run("disas", path).err
    done = run("debug", path, "--batch", "-ex", "info symbol 0x1010", "-ex", "break inner")
    assert done.err.count(f"note: not all symbols can be read: {why}\n") == 1
    assert f'Function "inner" not defined. Not searched: {why}\n' in done.err
    [found] = findings(verdict_on(path.read_bytes()))
    assert (found.rule, found.severity) == ("lost-section", "error")


def test_a_bomb_does_no_harm_to_the_rest(tmp_path: Path) -> None:
    """What needs its symbols says which limit stops them, and how to raise it."""
    (path := tmp_path / "made").write_bytes(program_bytes(lzma.compress(bytes(1 << 21))))
    why = "LimitExceeded: .gnu_debugdata of "
    assert run("frames", path).err == ""
    disassembled = run("disas", path)
    assert f"note: {why}" in disassembled.err and "(--max-inflated-ratio)" in disassembled.err
    assert disassembled.out.count("ret") == 32
    done = run("debug", path, "--batch", "-ex", "info symbol 0x1010", "-ex", "break inner")
    assert done.err.count(f"note: not all symbols can be read: {why}") == 1
    assert f'Function "inner" not defined. Not searched: {why}' in done.err
    verdict = verdict_on(path.read_bytes())
    assert verdict.is_incomplete and not findings(verdict)
    assert "--max-inflated-ratio" in str(verdict.findings.skipped)


def test_symbols_are_not_in_place_of_debugging_information() -> None:
    unit = {".debug_info": b"", ".debug_abbrev": b"\0"}
    data = elf({".gnu_debugdata": lzma.compress(symbols()), **unit}, X86_64, 0)
    assert CodeObject.of(file := ObjectFile("made", data)).info.object is file


def test_a_bomb_is_refused() -> None:
    packed = lzma.compress(bytes(1 << 21))
    with pytest.raises(LimitExceeded, match=r"\.gnu_debugdata of made .*--max-inflated-ratio"):
        mini_debug_info(program(packed))
    data = elf({".gnu_debugdata": packed}, X86_64, 0)
    limits = FileLimits(inflated_bytes=1 << 20, inflated_ratio=1 << 20)
    with pytest.raises(LimitExceeded, match="--max-inflated-bytes"):
        mini_debug_info(ObjectFile("made", data, limits))
