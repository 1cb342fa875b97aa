"""Code objects of AMD GPUs whose symbol tables, which have the wave size, cannot be read."""

from __future__ import annotations

import json
import struct
from pathlib import Path

from tests.cli.command import FIXTURES, run


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
