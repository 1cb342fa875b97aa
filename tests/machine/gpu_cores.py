"""Machines of AMD GPUs by chance, and cores of them: what was written is known."""

from __future__ import annotations

from random import Random

from dwarfgpu.arch.amdgpu import amdgpu
from dwarfgpu.arch.processors import processor
from dwarfgpu.base.records import frozen
from dwarfgpu.machine.core.gpu.core_state_note import Agent, CoreState
from dwarfgpu.machine.core.gpu.process_image import (
    ProcessImage,
    QueueImage,
    agent_of,
    dispatch_packet,
    process_core,
    tmpring_size,
)
from dwarfgpu.machine.core.gpu.save_area import SavedWave, blocks_of, saved_register
from dwarfgpu.machine.core.gpu.save_area_layout import SaveLayout, layout_of
from dwarfgpu.machine.core.gpu.save_area_write import GroupImage, WaveImage, state_word
from dwarfgpu.machine.core.gpu.wave_status import WaveIds, status_words
from dwarfgpu.machine.core.write import core_parts, core_state_note
from dwarfgpu.machine.topology import Position

VERSIONS = {
    "9.0": 90006, "9.0.8": 90008, "9.0.a": 90010, "9.4": 90402, "9.5": 90500, "10.1": 100100,
    "10.3": 100300, "11": 110000, "11.5": 110501, "12.0": 120001, "12.5": 120500,
}  # fmt: skip
"""A processor of each GFX level."""
ARCHITECTED = ("9.4", "9.5", "11", "11.5", "12.0", "12.5")
"""Levels whose FLAT_SCRATCH the packet processor sets."""
SCRATCH = 0x7E00_0000_0000
REASONS: tuple[tuple[str, ...] | None, ...] = (
    None, (), ("breakpoint",), ("assert_trap",), ("debug_trap",), ("trap",),
    ("memory_violation",), ("address_error",), ("illegal_instruction",),
    ("fp_divide_by_0", "memory_violation"), ("fp_invalid_operation", "int_divide_by_0"),
    ("watchpoint",),
)  # fmt: skip


@frozen
class Made:
    """A wave that was written, and what is to be read of it."""

    agent: int
    queue: int
    xcc: int
    lanes: int
    pc: int
    exec_mask: int
    reasons: tuple[str, ...]
    position: Position
    wave_in_group: int
    packet: int
    registers: dict[str, bytes]
    lds: bytes
    scratch: tuple[int, bytes]
    """Address, and what is there."""


@frozen
class MadeCore:
    """A core, and its waves in the order of their numbers."""

    data: bytes
    state: CoreState
    waves: list[Made]


def lanes_of(layout: SaveLayout, random: Random) -> int:
    return random.choice((32, 64)) if layout.wave32 is not None else layout.lanes


def state_of(layout: SaveLayout, random: Random) -> int:
    """A STATE word of counts that the layout can hold."""
    lanes = lanes_of(layout, random)
    granule = layout.vgprs.granule
    if lanes == 32 and layout.vgprs.wave32_granule is not None:
        granule = layout.vgprs.wave32_granule
    vgprs = granule * random.randint(1, 3)
    accumulators = 0
    if layout.is_unified:
        accumulators = -vgprs % 8 + 8 * random.randint(0, 2)
    elif layout.accumulators is not None:
        accumulators = vgprs
    return state_word(
        layout,
        lanes,
        vgprs=vgprs,
        accumulators=accumulators,
        shared_vgprs=0 if layout.shared_vgprs is None else 8 * random.randint(0, 2),
        sgprs=16 * random.randint(1, 6),
        lds_bytes=layout.lds.granule * random.choice((0, 1, 3)),
    )


class Machine:
    """A process that is being made."""

    def __init__(self, random: Random, r_version: int = 10) -> None:
        self.random = random
        self.r_version = r_version
        self.agents: list[Agent] = []
        self.queues: list[QueueImage] = []
        self.memory: list[tuple[int, bytes]] = []
        self.waves: list[Made] = []

    def add_agent(self, level: str, num_xcc: int = 1, engines: int = 2) -> int:
        number = len(self.agents)
        self.agents.append(
            agent_of(
                VERSIONS[level], 1000 + number, num_xcc=num_xcc, shader_engines=engines,
                lds_base=(0x10 + number) << 48, scratch_base=(0x20 + number) << 48,
            )
        )  # fmt: skip
        return number

    def add_queue(self, agent: int, groups_per_xcc: int = 2) -> None:
        """A queue of one dispatch, whose workgroups are on every XCC."""
        random, text = self.random, self.agents[agent]
        layout = layout_of(text.gfx_target_version)
        granule = processor(text.processor).scratch_granule_bytes
        engines, slots, granules = text.array_count, 64, random.randint(2, 3)
        is_per_engine = layout.level.split(".")[0] in ("11", "12")
        of_xcc = slots * granules * granule * (engines if is_per_engine else 1)
        base = SCRATCH + (len(self.queues) << 32)
        number = len(self.queues) + 1
        areas = []
        for xcc in range(text.num_xcc):
            groups = []
            used = set()
            for index in range(groups_per_xcc):
                state = state_of(layout, random)
                lds = random.randbytes(blocks_of(layout, state).lds_bytes)
                waves = []
                position = (index, xcc, random.randrange(4))
                for wave in range(random.randint(1, 3)):
                    engine = random.randrange(engines)
                    slot = random.randrange(slots if is_per_engine else slots // engines)
                    while (engine, slot) in used:
                        engine = random.randrange(engines)
                        slot = random.randrange(slots if is_per_engine else slots // engines)
                    used.add((engine, slot))
                    place = slots * engine if is_per_engine else slots // engines * engine
                    address = base + xcc * of_xcc + (place + slot) * granules * granule
                    image, made = self._wave(
                        layout, text, state, engine, slot, address, granules * granule,
                        position, wave, lds,
                    )  # fmt: skip
                    waves.append(image)
                    self.waves.append(
                        Made(agent, number, xcc, **made)  # type: ignore[arg-type]
                    )
                groups.append(GroupImage(tuple(waves), lds))
            areas.append(tuple(groups))
        packet = dispatch_packet((1024, 64, 64), (64, 1, 1), kernel_object=0x1234000)
        self.queues.append(
            QueueImage(
                agent, tuple(areas), (bytes(64), bytes(64), packet), 1, 3,
                tmpring_size(slots, granules), base, of_xcc,
            )
        )  # fmt: skip

    def _wave(
        self, layout: SaveLayout, agent: Agent, state: int, engine: int, slot: int, address: int,
        scratch_bytes: int, position: Position, number: int, lds: bytes,
    ) -> tuple[WaveImage, dict[str, object]]:  # fmt: skip
        random, blocks = self.random, blocks_of(layout, state)
        arch = amdgpu(agent.processor, blocks.lanes)
        pc, mask = random.randrange(1 << 47) & ~3, random.randrange(1 << blocks.lanes)
        reasons = random.choice(REASONS)
        words = status_words(
            layout, pc=pc, ids=WaveIds(2, number, position), stop_reasons=reasons,
            r_version=self.r_version,
        )  # fmt: skip
        registers: dict[str, bytes] = {}
        for register in (*arch.registers.values(), *arch.other_registers):
            bank = register.register_class
            if bank in ("scalar", "vector") or register.name in ("vcc", "m0", "xnack_mask"):
                registers[register.name] = random.randbytes(register.size_bits // 8)
        registers["exec"] = mask.to_bytes(8, "little")
        for name, value in words.registers.items():
            registers[name] = value.to_bytes(8, "little")
        for ttmp, value in words.ttmps.items():
            if ttmp != 12:
                registers[f"ttmp{ttmp}"] = value.to_bytes(4, "little")
        if layout.level in ARCHITECTED:
            name = "scratch_base" if "scratch_base" in layout.hardware else "flat_scratch"
            registers[name] = address.to_bytes(8, "little")
        registers = {
            name: data for name, data in registers.items() if _is_saved(layout, state, name)
        }
        registers = _without_aliases(layout, state, registers)
        data = random.randbytes(scratch_bytes)
        self.memory.append((address, data))
        image = WaveImage(state, registers, engine, slot)
        return image, {
            "lanes": blocks.lanes, "pc": pc, "exec_mask": mask, "reasons": reasons or (),
            "position": position, "wave_in_group": number, "packet": 2, "registers": registers,
            "lds": lds, "scratch": (address, data),
        }  # fmt: skip

    def made(self) -> MadeCore:
        image = ProcessImage(
            tuple(self.agents), tuple(self.queues), (), tuple(self.memory), self.r_version
        )
        state, ranges = process_core(image)
        data = b"".join(core_parts([core_state_note(state)], ranges))
        return MadeCore(data, state, self.waves)


def _is_saved(layout: SaveLayout, state: int, name: str) -> bool:
    return not isinstance(
        saved_register(layout, SavedWave(0, blocks_of(layout, state), 0, 0), name), str
    )


def _without_aliases(
    layout: SaveLayout, state: int, registers: dict[str, bytes]
) -> dict[str, bytes]:
    """SGPRs without those slots that are read by other names."""
    if not layout.aliases_low_sgprs:
        return registers
    end = min(108, blocks_of(layout, state).sgprs)
    aliased = {f"s{number}" for number in range(end - 6, end)}
    return {name: data for name, data in registers.items() if name not in aliased}
