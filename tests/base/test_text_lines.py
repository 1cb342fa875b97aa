"""Lines of texts of any size: the same as by splitting, with little memory and little reading."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.base import text_lines
from dwarfgpu.base.text_lines import MAX_LINE_BYTES, TextLines
from dwarfgpu.errors import UsageError


def split(data: bytes) -> list[str]:
    return [line.decode() for line in data.splitlines()]


@pytest.mark.parametrize("seed", range(30))
def test_lines_as_by_splitting(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    monkeypatch.setattr(text_lines, "BLOCK_BYTES", random.choice([1, 2, 3, 7, 64]))
    weights = (1, 1, random.choice([1, 9]), random.choice([0, 1, 9]))
    data = bytes(random.choices(b"ab\n\r", weights, k=random.randrange(80)))
    expected = split(data)
    lines = TextLines.of_bytes(data)
    for index in random.sample(range(len(expected)), len(expected)):
        assert lines[index] == expected[index]
    assert len(lines) == len(expected)
    assert list(TextLines.of_bytes(data)) == lines[:] == expected
    for index in (-1, len(expected)):
        with pytest.raises(IndexError):
            lines[index]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a\r\nb\x0cc\r\n", ["a", "b\x0cc"]),
        (b"a\rb\n\rc\r", ["a", "b", "", "c"]),
        (b"\xff\n", ["\\xff"]),
        (b"\xe2\x80\xa8x", ["\u2028x"]),
    ],
)
def test_ends_of_lines(data: bytes, expected: list[str]) -> None:
    assert list(TextLines.of_bytes(data)) == expected


def test_long_lines_are_cut() -> None:
    lines = TextLines.of_bytes(b"a" * (3 * MAX_LINE_BYTES) + b"\nb\n")
    assert lines[0] == "a" * MAX_LINE_BYTES + " ..."
    assert lines[1] == "b"


def test_little_of_a_file_is_read_for_its_first_lines(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"first\nsecond\n")
    os.truncate(path, text_lines.MAX_BYTES)
    lines = TextLines.of_file(path)
    read = 0
    blocks = lines._text.blocks

    class Counted:
        version = lines._text.version

        def blocks(self, first: int) -> object:
            nonlocal read
            for block in blocks(first):
                read += len(block)
                yield block

    lines._text = Counted()  # type: ignore[assignment]
    assert [lines[0], lines[1]] == ["first", "second"]
    assert read <= 2 * text_lines.BLOCK_BYTES
    assert len(lines) == 3
    assert read <= text_lines.MAX_BYTES + 2 * text_lines.BLOCK_BYTES


def test_files_that_are_too_large_or_missing(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.touch()
    os.truncate(path, text_lines.MAX_BYTES + 1)
    with pytest.raises(UsageError, match="more than 256 MiB"):
        TextLines.of_file(path)[0]
    with pytest.raises(UsageError, match="No such file"):
        TextLines.of_file(tmp_path / "none")[0]


def test_a_file_that_changes(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\n" * 40_000)
    lines = TextLines.of_file(path)
    assert lines[39_999] == "a"
    path.write_bytes(b"b\n")
    assert list(lines) == ["b"]
    with pytest.raises(IndexError):
        lines[39_999]
    path.unlink()
    with pytest.raises(UsageError):
        lines[0]


def test_lines_of_a_range_are_of_one_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is looked at once for all of them."""
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\nc\nd\n")
    lines = TextLines.of_file(path)
    versions = 0
    version = text_lines._File.version

    def counted(self: text_lines._File) -> object:
        nonlocal versions
        versions += 1
        return version(self)

    monkeypatch.setattr(text_lines._File, "version", counted)
    assert lines[1:3] == ["b", "c"]
    assert versions == 1
    path.write_bytes(b"x\ny\n")
    assert lines[1:3] == ["y"]


def test_a_recent_check_of_a_file_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\n")
    lines = TextLines.of_file(path)
    assert not lines.is_unchanged()  # it was not read
    assert list(lines) == ["a", "b"]
    versions: list[object] = []
    version = text_lines._File.version

    def counted(self: text_lines._File) -> object:
        versions.append(version(self))
        return versions[-1]

    monkeypatch.setattr(text_lines._File, "version", counted)
    assert lines.is_unchanged()
    assert len(lines) == 2 and len(versions) == 1
    assert len(lines) == 2 and len(versions) == 2
    path.write_bytes(b"x\n")
    assert not lines.is_unchanged()
    assert list(lines) == ["x"]
    path.unlink()
    assert not lines.is_unchanged()


def test_lines_shown_again_are_those_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\nc\n")
    lines = TextLines.of_file(path)
    assert lines[:2] == lines[:2] == ["a", "b"]
    assert lines[1:] == ["b", "c"]
    assert len(lines) == 3 and lines.counted(range(1, 3)) == ("b", "c")
    path.write_bytes(b"x\ny\nzz\n")
    assert lines[1:] == ["y", "zz"]
    lines[1:].append("more")
    assert lines[1:] == ["y", "zz"]
