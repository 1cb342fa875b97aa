"""Code objects of AMD GPUs whose symbol tables, which have the wave size, cannot be read."""

from __future__ import annotations

import json
import struct
from pathlib import Path

from dwarfgpu.objfile.elf import open_object
from tests.cli.command import FIXTURES, run
from tests.dwarf.builder import elf


def without_symbols(name: str, folder: Path) -> Path:
    """A copy of a code object whose symbol tables end beyond the file."""
    data = bytearray((FIXTURES / "hip" / name).read_bytes())
    headers, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
    for start in range(headers, headers + 64 * count, 64):
        if struct.unpack_from("<I", data, start + 4)[0] in (2, 11):
            struct.pack_into("<Q", data, start + 32, 1 << 40)
    path = folder / name
    path.write_bytes(data)
    return path


def test_a_processor_of_one_wave_size_needs_no_symbols(tmp_path: Path) -> None:
    path = without_symbols("nest.gfx942.O2.v5.co", tmp_path)
    done = run("eval", "--file", path, "--pc", 0x1690, "--lane", 1, "--reg", "v6=[1,2,3]", "t")
    assert done.out == "t = 2\n"
    assert run("frames", path).notes[0].startswith("no symbols: ")
    for arguments in (("frames", path), ("bt", "--file", path, "--pc", 0x1700)):
        assert run(*arguments).out
    other = run("frames", without_symbols("nest.gfx1100.O2.v5.co", tmp_path))
    assert other.status == 2 and ".symtab at" in other.error


def test_a_state_gives_the_wave_size_if_symbols_do_not(tmp_path: Path) -> None:
    path = without_symbols("nest.gfx1100.O2.v5.co", tmp_path)
    state = tmp_path / "state.json"
    state.write_text(
        json.dumps(
            {
                "schema": "dwarfgpu-state-1",
                "architecture": "gfx1100",
                "wave_size": 32,
                "code_objects": [{"path": path.name}],
                "waves": [{"pc": "0x1650"}],
            }
        )
    )
    assert run("eval", "--state", state, "--lane", 1, "-e", "LLVM_push_lane").out == "1\n"


def _without_names(section: str, folder: Path) -> Path:
    """A copy of a code object with 16 zero bytes over the last names in a string table."""
    path = folder / "unnamed.co"
    data = bytearray((FIXTURES / "asm/locations.gfx942.v5.co").read_bytes())
    path.write_bytes(data)
    table = open_object(path).sections_by_name[section]
    end = table.offset + table.size_bytes
    data[end - 17 : end - 1] = bytes(16)
    path.write_bytes(data)
    return path


def test_names_of_symbols_that_are_lost(tmp_path: Path) -> None:
    """`bt` says it, and so do commands that read symbols for their listing, or a name."""
    path = _without_names(".strtab", tmp_path)
    assert run("frames", path).notes == [f"not all symbols can be read: {_damage(path)}"]
    done = run("disas", path, "no_such_function")
    assert done.error.endswith(f" Not searched: {_damage(path)}")


def _damage(path: Path) -> str:
    damage = open_object(path).symbol_damage
    assert damage is not None
    return f"{damage.kind}: {damage}"


def test_no_frames_where_a_section_has_no_name(tmp_path: Path) -> None:
    path = tmp_path / "none.o"
    path.write_bytes(elf({"": b"text"}, machine=62))
    text = run("frames", path)
    assert (text.out, text.status) == ("no call frame information\n", 1)
    reason = f"{path}: 1 section has no name: the section name string table may be damaged"
    assert text.notes == [f"an entry may be lost: Malformed: {reason}"]
    json_text = run("frames", path, "--json")
    assert json_text.status == 1 and json.loads(json_text.out)["notes"] == text.notes
    path.write_bytes(elf({".comment": b"text"}, machine=62))
    text = run("frames", path)
    assert (text.out, text.status, text.notes) == ("no call frame information\n", 0, [])
