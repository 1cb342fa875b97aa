"""The holes that gold leaves in debugging sections for incremental links."""

from __future__ import annotations

import shutil
import struct
import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.errors import Malformed
from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import run
from tests.dwarf.builder import X86_64, Shape, abbreviations, elf, unit

TABLES = ".gnu_incremental_inputs"


def hole(size_bytes: int, address_size: int = 4, version: int = 4, last: int = 0) -> bytes:
    """What gold writes into a hole."""
    head = struct.pack("<IHIB", size_bytes - 4, version, 0, address_size)
    return (head + bytes(size_bytes - len(head)))[:-1] + bytes((last,))


def info_of(holes: bytes, tables: str = TABLES, section: str = ".debug_info") -> DebugInfo:
    sections = {
        ".debug_info": unit(b"\x01", version=4),
        ".debug_abbrev": abbreviations(Shape(dw.TAG_COMPILE_UNIT)),
        tables: b"\x02",
    }
    sections[section] = sections.get(section, b"") + holes
    return DebugInfo.of(ObjectFile("made", elf(sections, machine=X86_64)))


@pytest.mark.parametrize(
    ("holes", "tables", "count"),
    [
        (hole(40), TABLES, 1),
        (hole(12) + hole(30), TABLES, 1),
        (hole(12) + hole(30), ".comment", 3),
        (hole(40, address_size=8), TABLES, 2),
        (hole(40, version=3), TABLES, 2),
        (hole(40, last=1), TABLES, 2),
    ],
)
def test_holes_are_no_units(holes: bytes, tables: str, count: int) -> None:
    info = info_of(holes, tables)
    assert (len(info.units), info.problems) == (count, ())


def test_a_hole_among_type_units() -> None:
    info = info_of(hole(40), section=".debug_types")
    assert (len(info.units), info.problems) == (1, ())


@pytest.mark.parametrize(("tables", "is_damage"), [(TABLES, False), (".comment", True)])
def test_zeros_after_the_last_string(tables: str, is_damage: bool) -> None:
    """gold leaves room for the strings of later links."""
    contents = {".debug_info": b"", ".debug_str": b"first\0last" + bytes(17), tables: b"\x02"}
    sections = DebugInfo.of(ObjectFile("made", elf(contents, machine=X86_64))).sections
    assert sections.text(0) == "first"
    assert (sections.overwritten(".debug_str") is not None) is is_damage
    with pytest.raises(Malformed) if is_damage else nullcontext():
        assert sections.text(6) == "last"


SOURCE = "int f(int a) { return a; }\nint main(int argc, char **argv) { return f(argc); }\n"


def test_an_incremental_link_of_gold_has_no_findings(tmp_path: Path) -> None:
    """But one: gold leaves an entry of length 0 in `.eh_frame` before those of the program, where
    the search of unwinders ends; exceptions of such a program in C++ abort it."""
    if not (shutil.which("gcc") and shutil.which("ld.gold")):
        pytest.skip("needs gcc and ld.gold")
    (tmp_path / "a.c").write_text(SOURCE)
    words = "gcc -g -fno-lto -fno-use-linker-plugin -no-pie -fuse-ld=gold -Wl,-z,norelro"
    link = [*words.split(), "-Wl,--incremental-full", "a.c", "-o", "a"]
    if subprocess.run(link, cwd=tmp_path, capture_output=True, check=False).returncode:
        pytest.skip("this ld.gold has no incremental links")
    assert TABLES in ObjectFile("a", (tmp_path / "a").read_bytes()).sections_by_name
    done = run("check", "--disable", "early-end", tmp_path / "a")
    assert done.status == 0 and "0 errors, 0 warnings" in done.out, done
