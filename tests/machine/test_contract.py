"""What is true of every Target, of all backends that run here; inside GDB: tests/gdb."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from dwarfgpu.machine.code_object_memory import LoadedSegment, TargetWithCodeObjects
from dwarfgpu.machine.core.core_target import CoreTarget
from dwarfgpu.machine.core.memory import CoreMemory, Range, core_ranges
from dwarfgpu.machine.core.notes import CoreThread
from dwarfgpu.machine.state.bulk_state import BulkState
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import Target
from dwarfgpu.objfile.elf import ObjectFile
from tests.machine.contract import ARCH, DEFAULT, FACTS, RAX, TEXT, WORD, Fact, Known
from tests.machine.cores import Load, core


def given() -> StateTarget:
    target = StateTarget(ARCH)
    target.add_wave(1)
    return target


def of_state() -> Target:
    target = given()
    target.set_register(1, RAX, WORD)
    target.set_memory(DEFAULT, 0x1000, TEXT)
    return target


def of_image() -> Target:
    """The machine has half of the memory; a segment has all of it, with other contents."""
    target = given()
    target.set_register(1, RAX, WORD)
    target.set_memory(DEFAULT, 0x1004, TEXT[4:])
    data = TEXT[:4] + b"----"
    segment = LoadedSegment(0x1000, 8, False, lambda offset, size: data[offset : offset + size])
    return TargetWithCodeObjects(target, (segment,), has_started=True)


def of_state_file() -> Target:
    """What `of_state` has, as a document."""
    document = {
        "schema": "dwarfgpu-state-1",
        "architecture": ARCH.name,
        "waves": [{"id": 1, "registers": {RAX.name: {"bytes": WORD.hex()}}}],
        "memory": [{"address": 0x1000, "bytes": TEXT.hex()}],
    }
    with TemporaryDirectory() as folder:
        path = Path(folder) / "state.json"
        path.write_text(json.dumps(document), "utf-8")
        return load_state(path).target


def of_bulk() -> Target:
    target = of_state()
    assert isinstance(target, StateTarget)
    return BulkState(target)


def in_core(*loads: Load, mapped: tuple[Range, ...] = ()) -> CoreTarget:
    data = core_ranges(ObjectFile("core", core([], loads)))
    threads = {1: CoreThread(77, 11, {"rax": WORD})}
    return CoreTarget(threads, CoreMemory(data, mapped), given())


def of_core() -> Target:
    """Memory in two segments that touch."""
    return in_core(Load(0x1000, TEXT[:3]), Load(0x1003, TEXT[3:], 0x100))


def of_mapped_file() -> Target:
    """Half of the memory is left out of the core, and is read from the file that was mapped."""
    start = core([]) + TEXT
    start = start.ljust(-(-len(start) // 4096) * 4096 - 8, b"\0") + TEXT  # up to the end of a page
    file = ObjectFile("library", start)
    mapped = Range(0x0FF8, 0x1008, file, len(start) - 16)
    return in_core(Load(0x1004, TEXT[4:]), mapped=(mapped,))


Made = Callable[[], Target]
BACKENDS: list[Made] = [
    of_state, of_state_file, of_bulk, of_image, of_core, of_mapped_file,
]  # fmt: skip
READ_ONLY = {of_image: "written_memory_is_read_again_and_what_is_beside_it_stays"}
"""Images are of files: memory of no machine cannot be written."""


@pytest.mark.parametrize("check", FACTS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("made", BACKENDS, ids=lambda made: made.__name__)
def test_contract(made: Made, check: Fact) -> None:
    if READ_ONLY.get(made) == check.__name__:
        pytest.skip("memory of a file is not written")
    check(Known(made()))
