"""The index of symbols of an archive, which says where members begin."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.objfile.collection.members import members
from tests.dwarf.builder import elf
from tests.objfile.archives import ar_member

OBJECT = elf({".text": b"text"}, machine=62)
HIDDEN = "where none is found"


def _indexed(*offsets: int, name: bytes = b"/") -> bytes:
    """An archive of two objects whose index of symbols names both, and other offsets."""
    parts = [ar_member(b"a.o/", OBJECT), ar_member(b"b.o/", OBJECT)]
    word_bytes, count = (8 if name != b"/" else 4), 2 + len(offsets)
    begin = 8 + 60 + word_bytes * (1 + count)
    numbers = count, begin, begin + len(parts[0]), *offsets
    index = b"".join(number.to_bytes(word_bytes, "big") for number in numbers)
    return b"!<arch>\n" + ar_member(name, index) + b"".join(parts)


def _problems(path: Path, data: bytes) -> list[str]:
    path.write_bytes(data)
    return [str(member.problem) for member in members([str(path)]) if member.problem is not None]


def _longer(data: bytes) -> bytes:
    """The second member is the end of the contents of the first."""
    at = data.index(b"a.o/") + 48
    size_bytes = len(data) - at - 12
    return data[:at] + str(size_bytes).encode().ljust(10) + data[at + 10 :]


@pytest.mark.parametrize("name", [b"/", b"/SYM64/"])
@pytest.mark.parametrize(
    ("damaged", "problem"),
    [
        (lambda data: data, None),
        (lambda data: data.replace(b"b.o/", b"/   "), HIDDEN),
        (lambda data: data.replace(b"b.o/", b"//  "), HIDDEN),
        (lambda data: data.replace(b"b.o/".ljust(16), b"__.SYMDEF".ljust(16)), HIDDEN),
        (lambda data: data[: data.index(b"b.o/")], HIDDEN),
        (_longer, HIDDEN),
        (lambda data: bytes(4).join(data.rsplit(b"\x7fELF", 1)), "begins with zeros"),
    ],
    ids=["sound", "index", "names", "bsd", "cut", "longer", "zeros"],
)
def test_a_member_that_the_index_names_is_lost(
    tmp_path: Path, name: bytes, damaged: Callable[[bytes], bytes], problem: str | None
) -> None:
    """GNU ld refuses such an archive: the objects that are left are not all of it."""
    found = _problems(tmp_path / "l.a", damaged(_indexed(name=name)))
    if problem is None:
        assert found == []
    else:
        assert len(found) == 1 and problem in found[0] and "index of symbols names" in found[0]


def test_an_index_that_was_not_renewed(tmp_path: Path) -> None:
    """Where it leads to no header of a member, nothing shows which of both is wrong."""
    assert _problems(tmp_path / "l.a", _indexed(0, 9, 100)) == []
    cut = _indexed().replace(b"\0\0\0\2", b"\0\1\0\2", 1)
    assert _problems(tmp_path / "cut.a", cut) == []
