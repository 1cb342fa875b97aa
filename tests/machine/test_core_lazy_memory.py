"""Memory of a core file below a machine that goes on from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dwarfgpu.errors import Unsupported
from dwarfgpu.machine.core.gpu.lazy_memory import PART_BYTES, CoreSource
from dwarfgpu.machine.core.memory import CoreMemory, Range
from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory
from dwarfgpu.machine.simulated.wave_fault import WaveStop
from dwarfgpu.machine.topology import StopReason
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.file_bytes import map_file
from tests.cli.command import FIXTURES

BASE = 1 << 40
SIZE = 64 << 30


def large(folder: Path) -> CoreMemory:
    """A range of 64 GiB, which a file has as a hole."""
    path = folder / "large.core"
    path.write_bytes((FIXTURES / "run/integers.gfx942.O0.v5.co").read_bytes())
    with path.open("r+b") as file:
        file.truncate((1 << 20) + SIZE)
    return CoreMemory((Range(BASE, BASE + SIZE, ObjectFile(str(path), map_file(path)), 1 << 20),))


def test_it_is_read_where_it_is_accessed(tmp_path: Path) -> None:
    global_memory = GlobalMemory()
    global_memory.source = CoreSource(large(tmp_path))
    middle = BASE + (40 << 30)
    assert global_memory.read(middle, 4) == bytes(4)
    global_memory.write(middle, b"abcd")
    assert global_memory.read(middle - 1, 6) == b"\0abcd\0"
    assert [len(item.contents) for item in global_memory.allocations] == [PART_BYTES, PART_BYTES]
    with pytest.raises(Unsupported, match=f"{SIZE} bytes of memory of a core file"):
        global_memory.source.all()


def test_an_access_in_two_parts_is_not_a_violation(tmp_path: Path) -> None:
    global_memory = GlobalMemory()
    global_memory.source = CoreSource(large(tmp_path))
    addresses = np.array([BASE + PART_BYTES - 2], np.uint64)
    with pytest.raises(WaveStop, match="two parts of memory") as stop:
        global_memory.gather(addresses, np.uint32, 1, None)
    assert stop.value.reason is StopReason.UNAVAILABLE


def test_an_address_outside_the_core_has_a_reason(tmp_path: Path) -> None:
    source = CoreSource(large(tmp_path))
    assert source.allocation_at(GlobalMemory(), BASE - 1) is None
    assert source.why_missing(BASE - 8, 4) == (
        StopReason.MEMORY_VIOLATION,
        "nothing is mapped there",
    )
