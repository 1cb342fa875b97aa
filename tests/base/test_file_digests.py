"""Files are read once for their digests, whatever their names, and not without a bound."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from dwarfgpu.base import file_digests
from dwarfgpu.base.file_digests import FileDigests
from dwarfgpu.base.readable_files import digest_of


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are read, in order."""
    names: list[str] = []

    def reading(path: str | Path) -> str | None:
        names.append(Path(path).name)
        return digest_of(path)

    monkeypatch.setattr(file_digests, "digest_of", reading)
    return names


def test_a_file_of_many_names_is_read_once(tmp_path: Path, read: list[str]) -> None:
    file, digests = tmp_path / "file", FileDigests()
    file.write_bytes(b"abc")
    names = [file, *(tmp_path / f"link{number}" for number in range(8))]
    for number, name in enumerate(names[1:]):
        (os.link if number % 2 else os.symlink)(file, name)
    names.append(tmp_path / ".." / tmp_path.name / "file")
    assert {digests.of(name) for name in names} == {sha256(b"abc").hexdigest()}
    assert read == ["file"]
    file.write_bytes(b"other")
    assert digests.of(file) == sha256(b"other").hexdigest()


def test_no_more_bytes_are_read_than_the_bound(
    tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_digests, "MOST_BYTES", 20)
    sizes = {"a": 8, "b": 16, "c": 8, "d": 8}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(name.encode() * size)
    digests = FileDigests()
    known = [digests.of(tmp_path / name) is not None for name in (*sizes, *sizes, "missing", "\0")]
    assert known == [True, False, True, False] * 2 + [False] * 2
    assert (read, digests.beyond) == (["a", "c"], 2)
