"""Source text of one command: a file is gone through once, whatever its names, and not without a
bound; what is beyond is shown as where a file is missing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dwarfgpu.base import text_lines
from dwarfgpu.base.leb128 import encode_sleb
from dwarfgpu.base.limits import FileLimits
from dwarfgpu.base.text_lines import BLOCK_BYTES, MAX_LINE_BYTES
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.line_lookup import LineLookup, SourceLine
from dwarfgpu.service.code import source_text
from dwarfgpu.service.code.source_text import SourceText
from tests.cli.command import run
from tools.bombs.sections import END_SEQUENCE, SET_ADDRESS, line_program, listed

LAST = 100_000
"""A line of `TEXT`."""
TEXT = b"text\n" * LAST


def program(folder: Path, names: list[bytes], line: int = LAST, embedded: bytes = b"") -> Path:
    """A program whose instructions are from one line of several files, in turn."""
    rows = b"\3" + encode_sleb(line - 1)
    rows += b"".join(b"\4" + bytes((number,)) + b"\1\2\1" for number in range(len(names)))
    columns = ((2, 0x0B), (0x2001, 0x08)) if embedded else ((2, 0x0B),)
    files = [name + b"\0\0" + (embedded + b"\0" if embedded else b"") for name in names]
    table = listed([os.fsencode(folder) + b"\0"]) + listed(files, *columns)
    path = folder / "program"
    path.write_bytes(line_program(table, SET_ADDRESS + rows + END_SEQUENCE)["bomb"])
    return path


def source_lines(path: Path, count: int) -> list[SourceLine]:
    lookup = LineLookup(CodeObject.open(path).scopes)
    lines = [lookup.line_of(0x1000 + number) for number in range(count)]
    assert None not in lines
    return [line for line in lines if line is not None]


def spellings(count: int) -> list[bytes]:
    return [b"d/../" * number + b"f.c" for number in range(count)]


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the blocks that are read."""
    sizes: list[int] = []
    read = text_lines._File.blocks

    def counted(self: text_lines._File, first: int) -> Iterator[bytes]:
        for block in read(self, first):
            sizes.append(len(block))
            yield block

    monkeypatch.setattr(text_lines._File, "blocks", counted)
    return sizes


def test_a_file_of_many_names_is_gone_through_once(tmp_path: Path, blocks: list[int]) -> None:
    """In turn, and more of them than blocks are kept."""
    (tmp_path / "d").mkdir()
    (tmp_path / "f.c").write_bytes(TEXT)
    count = source_text._KEPT_BLOCKS + 10
    lines = source_lines(program(tmp_path, spellings(count)), count)
    texts = SourceText()
    for _ in range(3):
        assert {texts.line(line) for line in lines} == {"text"}
    assert sum(blocks) <= len(TEXT) + 2 * BLOCK_BYTES
    assert texts.notes == []


def test_files_in_turn_are_gone_through_once(tmp_path: Path, blocks: list[int]) -> None:
    """Only the block of a line is read again."""
    count = source_text._KEPT_BLOCKS + 10
    names = [b"f%d.c" % number for number in range(count)]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_bytes(TEXT)
    lines = source_lines(program(tmp_path, names), count)
    texts = SourceText()
    for _ in range(3):
        assert {texts.line(line) for line in lines} == {"text"}
    assert sum(blocks) <= count * (len(TEXT) + 8 * BLOCK_BYTES)
    assert sum(bool(lines._block[1]) for lines in texts._with_block) <= source_text._KEPT_BLOCKS


@pytest.mark.parametrize("embedded", [b"", TEXT])
def test_what_is_beyond_the_bound_is_missing(
    embedded: bytes, tmp_path: Path, blocks: list[int]
) -> None:
    names = [b"f%d.c" % number for number in range(5)]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_bytes(TEXT)
    lines = source_lines(program(tmp_path, names, embedded=embedded), 5)
    most = (2 if not embedded else 4) * len(TEXT) + 100
    texts = SourceText(FileLimits(source_bytes=most))
    shown = [texts.line(line) for line in (*lines, *lines)]
    assert shown == ["text", "text", None, None, None] * 2
    assert sum(blocks) <= most + 20 * BLOCK_BYTES
    [note] = texts.notes
    assert note.startswith("source lines may be missing: ")
    assert f"more than {most} bytes of source text to go through (--max-source-bytes)" in note


def test_long_lines_count_more(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "f.c").write_bytes(b"a" * (2 * MAX_LINE_BYTES))
    lines = source_lines(program(tmp_path, spellings(4), line=1), 4)
    most = 2 * MAX_LINE_BYTES + 2 * text_lines._SHOWN_AS * MAX_LINE_BYTES
    texts = SourceText(FileLimits(source_bytes=most))
    lengths = [0 if text is None else len(text) for text in map(texts.line, lines)]
    assert lengths == [MAX_LINE_BYTES + 4] * 2 + [0] * 2


@pytest.mark.parametrize(
    ("command", "shown", "missing"),
    [
        (["disas"], "f0.c:100000: text", "f4.c:100000\n"),
        (["debug", "--batch", "-ex", "disassemble /s 0x1000,+5"], "100000\ttext", "f4.c\n"),
    ],
)
def test_commands_say_once_why_lines_are_missing(
    command: list[str], shown: str, missing: str, tmp_path: Path
) -> None:
    names = [b"f%d.c" % number for number in range(5)]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_bytes(TEXT)
    path = program(tmp_path, names)
    done = run(command[0], path, *command[1:], "--max-source-bytes", 2 * len(TEXT) + 100)
    if "Capstone" in done.err:
        pytest.skip("Capstone is not installed")
    assert shown in done.out and missing in done.out
    assert done.err.count("(--max-source-bytes)") == 1
    assert run(command[0], path, *command[1:]).err.count("--max-source-bytes") == 0


def test_the_first_line_of_a_large_file(tmp_path: Path, blocks: list[int]) -> None:
    """`disassemble /s` reads no more than its beginning."""
    (tmp_path / "f.c").write_bytes(b"one\n")
    os.truncate(tmp_path / "f.c", 200 << 20)
    path = program(tmp_path, [b"f.c"], line=1)
    done = run("debug", path, "--batch", "-ex", "disassemble /s 0x1000,+1")
    assert "1\tone" in done.out or "Capstone" in done.err
    assert sum(blocks) <= 4 * BLOCK_BYTES
