"""Separate debug files, by link and by build ID."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.errors import Malformed
from dwarfgpu.objfile import separate_debug
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.elf_notes import build_id
from dwarfgpu.objfile.separate_debug import (
    DebugLink,
    debug_link,
    find_debug_file,
    has_debug_info,
    why_unusable,
)
from tests.dwarf.builder import Content, elf
from tests.objfile.build import C, note, run
from tests.work import calls_of

Tool = Callable[[str], str]
ID = bytes.fromhex("abcdef0123456789")
ID_NOTE = Content(note(b"GNU", 3, ID), 7)
DEBUG = elf({".debug_info": b"", ".note.gnu.build-id": ID_NOTE}, machine=62)


def _link(name: str, crc: int) -> bytes:
    data = name.encode() + b"\0"
    return data + bytes(-len(data) % 4) + crc.to_bytes(4, "little")


def _stripped(path: Path, sections: dict[str, bytes | Content]) -> ObjectFile:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(elf(sections, machine=62))
    return open_object(path)


@pytest.mark.parametrize("place", ["bin/a.debug", "bin/.debug/a.debug", "root/{}/bin/a.debug"])
def test_by_link(tmp_path: Path, place: str) -> None:
    path = tmp_path / place.format(str(tmp_path).lstrip("/"))
    crc = zlib.crc32(DEBUG)
    file = _stripped(tmp_path / "bin/a", {".gnu_debuglink": _link("a.debug", crc)})
    assert debug_link(file) == DebugLink("a.debug", crc)
    assert find_debug_file(file, [tmp_path / "root"]) is None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(DEBUG + b"!")  # another file of that name
    assert find_debug_file(file, [tmp_path / "root"]) is None
    path.write_bytes(DEBUG)
    result = find_debug_file(file, [tmp_path / "root"])
    assert result is not None and result.path == str(path)


def test_a_link_to_the_debug_file_of_another_build(tmp_path: Path) -> None:
    link, other = _link("a.debug", zlib.crc32(DEBUG)), Content(note(b"GNU", 3, b"else"), 7)
    (tmp_path / "a.debug").write_bytes(DEBUG)
    file = _stripped(tmp_path / "a", {".gnu_debuglink": link, ".note.gnu.build-id": other})
    reasons: list[str] = []
    assert find_debug_file(file, [], reasons) is None
    ids = f"build ID {ID.hex()}, not {b'else'.hex()}"
    assert reasons == [f"{tmp_path}/a.debug is from another build: {ids}"]
    file = _stripped(tmp_path / "b", {".gnu_debuglink": link, ".note.gnu.build-id": ID_NOTE})
    assert find_debug_file(file, []) is not None


def test_a_very_large_file_is_judged_by_its_build_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checksum would take a reading of all of it, and holes take no room."""
    monkeypatch.setattr(separate_debug, "_MAX_SUMMED_BYTES", len(DEBUG))
    monkeypatch.setattr(separate_debug, "_crc", lambda path: 1)
    (tmp_path / "a.debug").write_bytes(DEBUG + b"!")
    link, other = _link("a.debug", 0), Content(note(b"GNU", 3, b"else"), 7)
    file = _stripped(tmp_path / "a", {".gnu_debuglink": link})
    reasons: list[str] = []
    assert find_debug_file(file, [], reasons) is None
    [reason] = reasons
    assert re.search(r"a\.debug has \d+ bytes: a checksum is made of at most", reason)
    file = _stripped(tmp_path / "b", {".gnu_debuglink": link, ".note.gnu.build-id": ID_NOTE})
    assert find_debug_file(file, []) is not None
    file = _stripped(tmp_path / "c", {".gnu_debuglink": link, ".note.gnu.build-id": other})
    reasons.clear()
    assert find_debug_file(file, [], reasons) is None
    [reason] = reasons
    assert "a.debug is from another build" in reason


def test_by_build_id(tmp_path: Path) -> None:
    file = _stripped(tmp_path / "a", {".note.gnu.build-id": ID_NOTE})
    assert build_id(file) == ID
    path = tmp_path / "root/.build-id/ab/cdef0123456789.debug"
    path.parent.mkdir(parents=True)
    path.write_bytes(elf({".note": Content(note(b"GNU", 3, b"else"), 7)}))
    assert find_debug_file(file, [tmp_path / "root"]) is None
    path.write_bytes(DEBUG)
    result = find_debug_file(file, [tmp_path / "none", tmp_path / "root"])
    assert result is not None and result.path == str(path)
    path.write_bytes(b"text")
    assert find_debug_file(file, [tmp_path / "root"]) is None


def test_a_build_id_that_leads_to_the_file_itself(tmp_path: Path) -> None:
    """GDB does not take the file either; the next folder is looked into."""
    file = _stripped(tmp_path / "a", {".note.gnu.build-id": ID_NOTE})
    path = tmp_path / "root/.build-id/ab/cdef0123456789.debug"
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "a")
    assert find_debug_file(file, [tmp_path / "root"]) is None
    second = tmp_path / "second/.build-id/ab/cdef0123456789.debug"
    second.parent.mkdir(parents=True)
    second.write_bytes(DEBUG)
    result = find_debug_file(file, [tmp_path / "root", tmp_path / "second"])
    assert result is not None and result.path == str(second)


def test_a_link_to_itself(tmp_path: Path) -> None:
    file = _stripped(tmp_path / "a", {".gnu_debuglink": _link("a", 0)})
    assert find_debug_file(file, []) is None


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        *(
            (data, "no file name and checksum")
            for data in (bytes(8), b"abc", b"abc\0", b"abc\0\1\2\3")
        ),
        (_link("../a", 1), "has ../a, not the name of a file alone"),
        (_link("..", 1), "has .., not the name of a file alone"),
    ],
)
def test_broken_links(data: bytes, problem: str) -> None:
    with pytest.raises(Malformed, match=problem):
        debug_link(ObjectFile("made", elf({".gnu_debuglink": data})))


def test_few_notes_are_read_for_a_build_id() -> None:
    """Those up to it, and once."""
    others, own = note(b"GNU", 4, b"") * 1_000, note(b"GNU", 3, ID)
    first, last = (
        ObjectFile("made", elf({".note": Content(notes, 7)}))
        for notes in (own + others, others + own)
    )
    assert calls_of(lambda: build_id(first)) < 500
    assert build_id(first) == build_id(last) == ID
    assert calls_of(lambda: build_id(last)) < 10


def test_files_that_name_none() -> None:
    file = ObjectFile("made", elf({}))
    assert (debug_link(file), build_id(file), find_debug_file(file, [])) == (None, None, None)


def test_what_objcopy_makes(tool: Tool, tmp_path: Path) -> None:
    objcopy, source, whole = tool("objcopy"), tmp_path / "a.c", tmp_path / "a.so"
    source.write_text(C)
    run(tool("gcc"), "-g", "-shared", "-fPIC", source, "-o", whole)
    run(objcopy, "--only-keep-debug", whole, tmp_path / "a.debug")
    stripped = tmp_path / "b.so"
    run(objcopy, "--strip-debug", f"--add-gnu-debuglink={tmp_path / 'a.debug'}", whole, stripped)
    file = open_object(stripped)
    assert not has_debug_info(file)
    path = find_debug_file(file, [])
    assert path is not None and path.path == str(tmp_path / "a.debug")
    (unit,) = DebugInfo.of(path).units
    assert unit.name == str(source)


def test_the_c_library_of_debian() -> None:
    path = Path("/lib/x86_64-linux-gnu/libc.so.6")
    if not path.exists() or not Path("/usr/lib/debug/.build-id").exists():
        pytest.skip("libc6-dbg is not installed")
    result = find_debug_file(open_object(path))
    if result is None:
        pytest.skip("libc6-dbg is not installed, or of another version")
    assert has_debug_info(result)


def test_why_files_of_its_names_are_not_used(tmp_path: Path) -> None:
    """GDB warns of each: the debugging information that is missing may be damaged."""
    link = _link("a.debug", zlib.crc32(DEBUG))
    file = _stripped(tmp_path / "a", {".gnu_debuglink": link, ".note.gnu.build-id": ID_NOTE})
    path = tmp_path / "root/.build-id/ab/cdef0123456789.debug"
    path.parent.mkdir(parents=True)
    beside = tmp_path / "a.debug"

    def reasons() -> list[str]:
        unusable: list[str] = []
        assert find_debug_file(file, [tmp_path / "root"], unusable) is None
        return unusable

    assert reasons() == []
    assert why_unusable(file, []) is None
    path.write_bytes(b"text")
    assert reasons() == [f"{path} is not an ELF file"]
    path.write_bytes(DEBUG[:-1])  # its section headers are cut
    assert reasons() == [f"{path}: 4 section headers do not fit into the file"]
    path.write_bytes(elf({".text": b""}))
    assert reasons() == [f"{path} has no build ID"]
    path.write_bytes(elf({".note": Content(note(b"GNU", 3, b"else"), 7)}))
    beside.write_bytes(DEBUG[:40])
    first, second = reasons()
    assert first == f"{path} has the build ID 656c7365"
    assert second.startswith(f"{beside}: ")
    beside.write_bytes(DEBUG + b"!")
    assert reasons()[1].startswith(f"{beside} has the checksum 0x")
    problem = why_unusable(file, [*reasons(), first])
    assert str(problem) == f"the debug file of {file.path} cannot be used: {'; '.join(reasons())}"
    beside.write_bytes(DEBUG)
    assert find_debug_file(file, [tmp_path / "root"]) is not None
