"""What AMD's debugger library (rocm-dbgapi 0.77) answers about cores of AMD GPUs, question by
question, against `dwarfgpu.machine.core.gpu`.

The cores and answers are beside the repository, in ../shared/cores; without them nothing is tested.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from dwarfgpu.arch.model import Architecture
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
from dwarfgpu.machine.core.gpu.waves import GpuWaves
from dwarfgpu.machine.core.memory import CoreMemory, core_ranges
from dwarfgpu.machine.core.notes import read_core
from dwarfgpu.machine.topology import STOP_REASONS
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.elf import ObjectFile

FOLDER: Final = Path(__file__).resolve().parents[3] / "shared" / "cores"
NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.json"))
REWRITTEN: Final = {"ttmp4", "ttmp6", "ttmp7", "ttmp10", "ttmp11"}
"""What the library changes when it attaches."""
DROPPED: Final = ("xnack_mask", "gfx1030")
"""Later versions of the library do not have it any more, nor have dwarfgpu's registers."""
NULL_OF_PRIVATE: Final = (0xFFFFFFFF, "private_lane", "generic")
"""A null is of no bytes for the library; here it is one address (docs/spec-notes.md)."""
NULL_OF_GENERIC: Final = (0, "generic", "local")
"""An error for the library; here null becomes null (docs/spec-notes.md)."""

pytestmark = pytest.mark.skipif(not NAMES, reason="needs ../shared/cores")


@cache
def opened(name: str) -> tuple[GpuTarget, dict[str, Any]]:
    data = gzip.decompress((FOLDER / f"{name}.core.gz").read_bytes())
    answers = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    dump = read_core(ObjectFile(name, data))
    assert dump.gpu is not None and not dump.problems
    memory = CoreMemory(core_ranges(dump.file))
    return GpuTarget(GpuWaves(dump.gpu, memory), memory), answers


def waves(name: str) -> list[tuple[int, dict[str, Any]]]:
    """The waves by number, with their answers: the library lists the last one first."""
    _, answers = opened(name)
    return list(enumerate(reversed(answers["waves"]), 1))


def where(arch: Architecture, space: str, wave: int, lane: int) -> Memory:
    result = arch.address_space_named(space)
    assert result is not None
    return Memory(result, wave, None if lane < 0 else lane)


@pytest.mark.parametrize("name", NAMES)
def test_waves(name: str) -> None:
    target, answers = opened(name)
    assert not target.gpu.notes
    assert list(target.waves) == list(range(1, len(answers["waves"]) + 1))
    assert target.gpu.r_version == answers["r_version"]
    for number, asked in waves(name):
        wave = target.waves[number]
        assert wave.architecture.name == answers["target"]
        assert wave.blocks.lanes == asked["lanes"] == answers["wave_size"]
        words, ids = target.gpu.hardware(wave), target.gpu.ids(wave)
        assert target.gpu.pc(wave) == asked["pc"]
        assert words.exec_mask == asked["exec"]
        assert ids.position == tuple(asked["workgroup"])
        assert ids.wave_in_group == asked["wave_in_workgroup"]
        reasons = sum(1 << STOP_REASONS.index(stop_reason) for stop_reason in words.stop_reasons())
        assert reasons == asked["stop_reason_bits"]
        assert target.model.waves[number].stop_reasons == words.stop_reasons()


@pytest.mark.parametrize("name", NAMES)
def test_registers(name: str) -> None:
    target, answers = opened(name)
    count = 0
    for number, asked in waves(name):
        arch = target.architecture_of(number)
        for register_name, told in asked["registers"].items():
            register = arch.register_named(register_name)
            if register is None:
                assert (register_name, answers["target"]) == DROPPED
                continue
            assert register.size_bits == told["size"] * 8
            if told["dwarf"] is not None:  # none has a slot of SGPRs that VCC and others alias
                assert register.number == told["dwarf"]
            if register_name not in REWRITTEN:
                assert target.read_register(number, register).hex() == told["hex"], register_name
                count += 1
        every = (*arch.registers.values(), *arch.other_registers)
        for register in every:
            if register.name in (*asked["registers"], "pc_32", "exec_hi", "vcc_hi"):
                continue
            with pytest.raises(Unavailable, match=register.name):
                target.read_register(number, register)
    assert count > 80


@pytest.mark.parametrize("name", NAMES)
def test_memory(name: str) -> None:
    target, _ = opened(name)
    for number, asked in waves(name):
        for read in asked["reads"]:
            place = where(target.architecture_of(number), read["space"], number, read["lane"])
            address, size, fromhex = read["address"], read["size"], bytes.fromhex(read["hex"] or "")
            if len(fromhex) == size:
                assert target.read_memory(place, address, size) == fromhex, read
                continue
            with pytest.raises(Unavailable):
                target.read_memory(place, address, size)
            known = target.known_memory(place, address, size)
            assert b"".join(data for _, data in known) == fromhex, read


@pytest.mark.parametrize("name", NAMES)
def test_conversions(name: str) -> None:
    target, _ = opened(name)
    for number, asked in waves(name):
        arch, apertures = target.architecture_of(number), target.apertures_of(number)
        for conversion in asked["conversions"]:
            spaces = [arch.address_space_named(conversion[key]) for key in ("from", "to")]
            source, to = (space.number for space in spaces if space is not None)
            result, address = conversion["result"], conversion["address"]
            asked_for = address, conversion["from"], conversion["to"]
            if asked_for == NULL_OF_PRIVATE:
                result = [0, 1]
            elif asked_for == NULL_OF_GENERIC:
                result = [0xFFFFFFFF, 1]
            try:
                convert = arch.convert(address, source, to, conversion["lane"], apertures)
            except DwarfGpuError:
                assert result is None, conversion
            else:
                assert list(convert) == result, conversion
