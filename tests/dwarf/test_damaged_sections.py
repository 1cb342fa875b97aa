"""A compressed section that cannot be decompressed is tried once, however often it is asked for.

Inflations are counted, not seconds: the file says nothing of how long one takes.
"""

from __future__ import annotations

import contextlib
import gc
import io
import struct
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.cli.main import main
from dwarfgpu.dwarf.sections import Program, Sections
from dwarfgpu.errors import IllFormed, LimitExceeded, Malformed, PartlyUnavailable, Site
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.objfile import compression, elf_file
from dwarfgpu.objfile.elf import ObjectFile
from tests.dwarf.builder import X86_64, Content, elf
from tools.bombs import damaged
from tools.bombs.measure import arguments_of


@pytest.fixture
def inflations(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each section was decompressed, by its name."""
    counts = Counter[str]()

    def count(name: str, unpack: Callable[[bytes, int, str], bytes]) -> None:
        def counted(data: bytes, size_bytes: int, subject: str) -> bytes:
            counts[subject.partition(" of ")[0]] += 1
            return unpack(data, size_bytes, subject)

        monkeypatch.setattr(elf_file, name, counted)

    count("inflate", compression.inflate)
    count("unpack_zstd", compression.unpack_zstd)
    return counts


@pytest.mark.parametrize("method", [damaged.ZLIB, damaged.ZSTD], ids=["zlib", "zstd"])
@pytest.mark.parametrize("where", damaged.DAMAGES)
@pytest.mark.parametrize("section", damaged.contents(1))
def test_each_section_once(
    section: str,
    where: str,
    method: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    inflations: Counter[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, data in damaged.with_damage(section, where, 40, method).items():
        Path(name).write_bytes(data)
    for command in damaged.COMMANDS:
        inflations.clear()
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(arguments_of(command))
        assert status in (0, 1, 2) and "Traceback" not in out.getvalue() + err.getvalue()
        assert all(count <= 1 for count in inflations.values()), (command, inflations)


def test_the_error_is_the_same_and_keeps_nothing(inflations: Counter[str]) -> None:
    data = damaged.with_damage(".debug_str", "end", 40)["bomb"]
    sections = Sections(file := ObjectFile("a.out", data), Program(file))

    class Witness:
        """Only frames of the callers have it."""

    def ask() -> Malformed:
        witness = Witness()
        with pytest.raises(Malformed) as raised:
            sections.string(".debug_str", 0)
        assert witness is not None
        return raised.value

    first, second = ask(), ask()
    assert str(first) == str(second)
    assert first is not second
    assert "incorrect data check" in str(first)
    first.context = "the caller's"
    assert ask().context is None
    del first, second, ask
    gc.collect()
    assert not [found for found in gc.get_objects() if isinstance(found, Witness)]
    assert inflations == {".debug_str": 1}


def test_sections_that_gnu_tools_compressed(inflations: Counter[str]) -> None:
    whole = damaged.damaged(b"name\0" * 40, "end").data[24:]
    data = elf({".zdebug_str": Content(b"ZLIB" + (200).to_bytes(8, "big") + whole)}, X86_64)
    file = ObjectFile("a.out", data)
    for _ in range(3):
        with pytest.raises(Malformed, match=r"\.zdebug_str of a\.out cannot be decompressed"):
            file.section_data(".debug_str")
    assert inflations == {".zdebug_str": 1}


def test_a_symbol_table_without_its_names(inflations: Counter[str]) -> None:
    """The table itself is whole, and is not decompressed for each question either."""

    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0x1000, 4)
    head = struct.pack("<IIQQ", 1, 0, len(symbols), 1)
    data = elf(
        {
            ".symtab": Content(head + zlib.compress(symbols), 2, 0x800, link=2, entry_bytes=24),
            ".strtab": damaged.damaged(b"\0main\0", "end"),
        },
        X86_64,
    )
    file = ObjectFile("a.out", data)
    for address in range(0x1000, 0x1010):
        with pytest.raises(Malformed, match=r"\.strtab of a\.out cannot be decompressed"):
            file.symbol_before(address)
    assert inflations == {".symtab": 1, ".strtab": 1}


def test_a_table_of_abbreviations_is_not_tried_again() -> None:
    """Each try would take from the budget of the section: the error would become another one."""
    data = elf({".debug_abbrev": b"\1\x11\0" + b"\3\x08" * 40_000}, X86_64)
    sections = Sections(file := ObjectFile("a.out", data), Program(file))

    format = UnitFormat(version=5, offset_size=4, address_size=8, endian="little")
    messages = set()
    for _ in range(8):
        with pytest.raises(Malformed) as raised:
            sections.abbreviations(0, format)
        messages.add(str(raised.value))
    assert len(messages) == 1


def test_a_kept_error_without_attributes_has_no_dictionary() -> None:
    """A file may have hundreds of thousands of them."""
    kept = IllFormed("wrong").anew()
    assert BaseException.__reduce__(kept) == (IllFormed, ("wrong",))
    assert str(kept.anew()) == "wrong"


def test_an_error_anew() -> None:
    first = LimitExceeded("too much", "--max-steps")
    first.context, first.site = "a.out", Site(4, "DW_OP_skip")
    again = first.anew()
    assert (str(again), again.option, again.kind) == (str(first), "--max-steps", "LimitExceeded")
    partly = PartlyUnavailable("some bits are unknown", 3, 0x0F).anew()
    assert (partly.value, partly.known, str(partly)) == (3, 0x0F, "some bits are unknown")
