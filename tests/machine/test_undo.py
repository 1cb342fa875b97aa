"""What a write changed is recorded, and taken back, in as much memory and work as it needs."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.forwarding_target import ForwardingTarget
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.undo import RecordedTarget
from dwarfgpu.model.storage import Memory

SIZE = 1 << 20


class Allocated(ForwardingTarget[Any]):
    """Memory from 0 on, known in part."""

    def __init__(self, behind: Any, size_bytes: int) -> None:
        self.behind = behind
        self.contents = bytearray(size_bytes)
        self.known: list[tuple[int, bytes]] = []
        self.forgotten: list[tuple[int, int]] = []

    def known_memory(self, where: Memory, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        return self.known

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        if address + len(data) > len(self.contents):
            raise Unavailable("no memory is there")
        self.contents[address : address + len(data)] = data

    def forget_memory(self, where: Memory, address: int, size_bytes: int) -> None:
        self.forgotten.append((address, size_bytes))


def recorded(tmp_path: Path, size_bytes: int) -> tuple[Allocated, RecordedTarget, Memory]:
    state = tmp_path / "state.json"
    document = {"schema": "dwarfgpu-state-1", "architecture": "gfx942", "memory": [], "waves": [{}]}
    state.write_text(json.dumps(document), "utf-8")
    behind: Any = Allocated(load_state(state).target, size_bytes)
    where = Memory(load_state(state).target.architecture.address_space(0))
    return behind, RecordedTarget(behind, (), True), where


def test_a_refused_write_needs_no_memory(tmp_path: Path) -> None:
    behind, target, where = recorded(tmp_path, 16)
    behind.known = [(0, b"\3" * 16)]
    data = bytes(SIZE)
    tracemalloc.start()
    try:
        with pytest.raises(Unavailable):
            target.write_memory(where, 0, data)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < SIZE // 8
    assert not target.undone_by


def test_a_write_of_unknown_memory_is_taken_back_at_once(tmp_path: Path) -> None:
    behind, target, where = recorded(tmp_path, SIZE)
    behind.known = [(5, b"\3" * 7), (100, b"\4")]
    data = b"\1" * SIZE
    tracemalloc.start()
    try:
        target.write_memory(where, 0, data)
        most = tracemalloc.get_traced_memory()[1]
        [write] = target.undo()
    finally:
        tracemalloc.stop()
    assert most < 4 * SIZE
    assert write.before[4:7] == (None, 3, 3)
    assert behind.forgotten == [(0, 5), (12, 88), (101, SIZE - 101)]
    assert behind.contents[5:12] == b"\3" * 7 and behind.contents[100] == 4


def test_known_memory_is_not_forgotten(tmp_path: Path) -> None:
    behind, target, where = recorded(tmp_path, 8)
    behind.known = [(0, b"\3" * 8), (2, b"\4")]  # later items override earlier ones
    target.write_memory(where, 0, bytes(8))
    target.undo()
    assert behind.contents == b"\3\3\4\3\3\3\3\3" and not behind.forgotten
    target.redo()
    assert behind.contents == bytes(8)
