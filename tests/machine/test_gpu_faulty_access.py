"""The lanes at which a wave of a core failed: from the instruction and the registers alone.

The bytes of the instructions are those of LLVM's assembler.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from dwarfgpu.arch.amdgpu import LOCAL, amdgpu
from dwarfgpu.arch.model import Apertures
from dwarfgpu.isa.addressing import addressing_of
from dwarfgpu.isa.decode import Decoder, decoder
from dwarfgpu.isa.wait_counters import finished_counters
from dwarfgpu.machine.core.gpu.faulty_access import FaultyAccess, faulty_access
from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
from dwarfgpu.machine.core.gpu.process_image import process_core
from dwarfgpu.machine.core.gpu.state_image import image_of_state
from dwarfgpu.machine.core.gpu.waves import GpuWaves
from dwarfgpu.machine.core.memory import CoreMemory, core_ranges
from dwarfgpu.machine.core.write import LoadedRange, core_parts
from dwarfgpu.machine.sparse_memory import UNMAPPED
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.topology import Agent, Dispatch, Machine, Queue, Wave, Workgroup
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.elf import ObjectFile

PC = 0x7F00_0000_1000
BUFFER = 0x7E00_0000_0000
"""256 bytes: dwords of 64 lanes."""
NOP = "000080bf"
GPU_ALONE = "its writer left it out"


def failed(
    processor: str,
    code: str,
    registers: dict[str, Any],
    *,
    lanes: int = 64,
    at: int = 0,
    reasons: tuple[str, ...] = ("memory_violation",),
    unmapped: str = UNMAPPED,
    omitted: int | None = None,
    group_bytes: int | None = None,
) -> FaultyAccess | None:
    """What is known of a wave at byte `at` of code. A register of a list has a value a lane, pairs
    of VGPRs have addresses. `omitted`: an address of memory that the core describes alone;
    `group_bytes`: the LDS that the dispatch asks for, of the 512 bytes that are allocated."""
    arch = amdgpu(processor, lanes)
    machine = Machine(lanes, workgroups={1: Workgroup(1, 1)})
    if group_bytes is not None:
        size = lanes, 1, 1
        dispatch = Dispatch(
            1, 1, 0, grid=size, workgroup=size, group_bytes=group_bytes, private_bytes=64
        )
        group = Workgroup(1, 1, (0, 0, 0), size, 512)
        machine = Machine(lanes, {1: Agent(1)}, {1: Queue(1, 1)}, {1: dispatch}, {1: group})
    target = StateTarget(arch, machine=machine)
    target.add_wave(1, 1)
    target.place_wave(Wave(1, 1, 0, reasons))
    target.wave_apertures[1] = Apertures(
        scratch_base=0x7D00_0000_0000, scratch_bytes=64 * lanes, local_bytes=512
    )
    target.set_memory(Memory(arch.address_space(LOCAL), 1), 0, bytes(512))
    for name, value in {"exec": (1 << lanes) - 1, "v40": [0] * lanes, **registers}.items():
        values = value if isinstance(value, list) else [value]
        first = int(name[1:]) if name[1:].isdigit() else None
        parts = 2 if max(values) >> 32 and first is not None else 1
        for part in range(parts):
            register = arch.register_named(name if first is None else f"{name[0]}{first + part}")
            assert register is not None
            size = register.size_bits // 8 // len(values)
            mask = (1 << 8 * size) - 1
            data = b"".join(
                (value >> 32 * part & mask).to_bytes(size, "little") for value in values
            )
            target.set_register(1, register, data)
    space = Memory(arch.address_space(0))
    target.set_memory(space, BUFFER, bytes(256))
    target.set_memory(space, 0x7D00_0000_0000, bytes(64 * lanes))
    state, ranges = process_core(image_of_state(target, {1: PC + at}).image)
    if omitted is not None:
        ranges.append(LoadedRange(omitted, b"", 256))
    dump = ObjectFile("c", b"".join(core_parts([], ranges)))
    memory = CoreMemory(core_ranges(dump), unmapped=unmapped)
    gpu = GpuTarget(GpuWaves(state, memory), memory)
    pc = gpu.gpu.pc(gpu.wave(1))
    assert pc == PC + at
    return faulty_access(gpu, memory, 1, pc, reasons, lambda _: (PC, bytes.fromhex(code)))


def lanes_of(access: FaultyAccess | None) -> list[int | None]:
    assert access is not None
    return [item.lane for item in access.lanes]


def pointers(count: int, step: int = 4, base: int = BUFFER) -> list[int]:
    return [base + step * lane for lane in range(count)]


LOAD = "0080 50dc 0200 7f02".replace(" ", "")
"""global_load_dword v2, v[2:3], off"""


@pytest.mark.parametrize(
    ("processor", "size", "code", "registers", "lanes", "first"),
    [
        # global_load_dword v1, v[2:3], off offset:16: behind the end of the buffer
        ("gfx942", 64, "108050dc02007f01", {"v2": pointers(64)}, [60, 61, 62, 63],
         f"{BUFFER + 256:#x}"),
        # global_load_dwordx4 v[4:7], v2, s[4:5]: 16 bytes of each lane
        ("gfx942", 64, "00805cdc02000404", {"s4": BUFFER, "v2": [4 * n for n in range(64)]},
         [61, 62, 63], f"{BUFFER + 244:#x}"),
        # flat_store_dwordx2 v[2:3], v[4:5]: to LDS, of 512 bytes
        ("gfx942", 64, "000074dc02040000", {"v2": pointers(64, 8, (1 << 48) + 16)}, [62, 63],
         f"{(1 << 48) + 512:#x}"),
        # scratch_load_dword v1, off, s33 offset:8: 64 bytes a lane
        ("gfx942", 64, "084050dc00002101", {"s33": 56}, list(range(64)), "private_lane#0x40"),
        # scratch_store_dword v2, v3, off
        ("gfx942", 64, "006070dc02037f00", {"v2": list(range(64))}, [61, 62, 63],
         "private_lane#0x3d"),
        # ds_read2_b32 v[4:5], v2 offset1:255
        ("gfx942", 64, "00ff6ed802000004", {"v2": [0] * 64}, list(range(64)), "local#0x3fc"),
        # ds_write_b64 v2, v[4:5] offset:8
        ("gfx942", 64, "08009ad802040000", {"v2": [8 * n for n in range(64)]}, [63],
         "local#0x200"),
        # buffer_load_dword v1, v2, s[4:7], s8 offen offset:4, in a range of 1000 bytes
        ("gfx942", 64, "041050e002010108",
         {"s4": BUFFER, "s6": 1000, "s7": 0, "s8": 0, "v2": [16 * n for n in range(64)]},
         list(range(16, 63)), f"{BUFFER + 260:#x}"),
        # s_load_dwordx2 s[8:9], s[4:5], 0x10: of the wave
        ("gfx942", 64, "020206c010000000", {"s4": BUFFER + 248}, [None], f"{BUFFER + 264:#x}"),
        # global_atomic_add v2, v4, s[4:5]
        ("gfx942", 64, "008008dd02040400", {"s4": BUFFER, "v2": [8 * n for n in range(64)]},
         list(range(32, 64)), f"{BUFFER + 256:#x}"),
        # global_load_b32 v1, v[2:3], off offset:-16
        ("gfx1100", 32, "f01f52dc02007c01", {"v2": pointers(32)}, [0, 1, 2, 3],
         f"{BUFFER - 16:#x}"),
        # ds_load_2addr_stride64_b32 v[4:5], v2 offset0:1 offset1:2
        ("gfx1100", 32, "0102e0d802000004", {"v2": list(range(32))}, list(range(32)),
         "local#0x200"),
        # scratch_load_b32 v1, v2, s3 offset:4
        ("gfx1100", 32, "040051dc02008301", {"s3": 44, "v2": list(range(32))},
         list(range(13, 32)), "private_lane#0x3d"),
        # buffer_load_b64 v[4:5], v[2:3], s[4:7], 0 idxen offen: 20 records of 16 bytes
        ("gfx1100", 32, "000054e00204c180",
         {"s4": BUFFER | 16 << 48, "s6": 20, "s7": 0, "v2": list(range(32)), "v3": [0] * 32},
         [16, 17, 18, 19], f"{BUFFER + 256:#x}"),
        # s_load_b64 s[8:9], s[4:5], s6 offset:0x8
        ("gfx1100", 32, "020204f40800000c", {"s4": BUFFER, "s6": 248}, [None],
         f"{BUFFER + 256:#x}"),
        # global_load_b32 v1, v2, s[4:5] offset:-8388608
        ("gfx1201", 32, "040005ee0100000002000080",
         {"s4": BUFFER + 0x800000, "v2": [16 * n for n in range(32)]}, list(range(16, 32)),
         f"{BUFFER + 256:#x}"),
        # s_load_b32 s8, s[4:5], -0x10
        ("gfx1201", 32, "020200f4f0fffff8", {"s4": BUFFER}, [None], f"{BUFFER - 16:#x}"),
        # buffer_load_b32 v4, v2, s[4:7], null offen offset:4096
        ("gfx1201", 32, "7c0005c40408804002001000",
         {"s4": BUFFER - 4096, "s6": 9000, "s7": 3 << 28, "v2": [16 * n for n in range(32)]},
         list(range(16, 32)), f"{BUFFER + 256:#x}"),
        # s_buffer_load_dword s8, s[4:7], 0x10: out of the range of a buffer is 0
        ("gfx942", 64, "020222c010000000", {"s4": BUFFER + 244, "s6": 20, "s7": 0}, [None],
         f"{BUFFER + 260:#x}"),
        ("gfx942", 64, "020222c010000000", {"s4": BUFFER + 244, "s6": 16, "s7": 0}, [], ""),
        # global_load_dword v4, v[2:3], off offset:-2048
        ("gfx1030", 32, "008830dc02007d04", {"v2": pointers(32, 16, BUFFER + 2048)},
         list(range(16, 32)), f"{BUFFER + 256:#x}"),
        # flat_load_dword v4, v[2:3] offset:8
        ("gfx1030", 32, "080030dc02007d04", {"v2": pointers(32, 8)}, [31], f"{BUFFER + 256:#x}"),
    ],
)  # fmt: skip
def test_the_lanes_whose_addresses_the_core_contradicts(
    processor: str,
    size: int,
    code: str,
    registers: dict[str, Any],
    lanes: list[int | None],
    first: str,
) -> None:
    access = failed(processor, code, registers, lanes=size)
    assert lanes_of(access) == lanes
    assert access is not None
    if first:
        assert access.lanes[0].address == first
        assert access.pc == PC and not access.note


GRANULE = "a GPU allows it, because it has allocated 512 bytes; a simulation does not"
DS_WRITE = "00001ad802040000"
"""ds_write_b32 v2, v4"""


@pytest.mark.parametrize(
    ("step", "lanes", "first", "note"),
    [
        (4, range(0), "", ""),
        # beyond the 256 bytes of the dispatch, within the 512 bytes of the allocation
        (8, range(32, 64), "local#0x100", GRANULE),
        # lanes that leave the allocation, too: hardware stops such a wave
        (16, range(16, 64), "local#0x100", ""),
    ],
)
def test_lds_ends_where_that_of_the_dispatch_does(
    step: int, lanes: range, first: str, note: str
) -> None:
    addresses = [step * lane for lane in range(64)]
    access = failed("gfx942", DS_WRITE, {"v2": addresses, "v4": 0}, group_bytes=256)
    assert lanes_of(access) == list(lanes)
    assert access is not None
    if lanes:
        why = f"local address {first.partition('#')[2]} is beyond the 256 bytes of the workgroup"
        assert (access.lanes[0].address, access.lanes[0].why) == (first, why)
        assert access.note == note
    # flat_store_dword v[2:3], v4: the same
    generic = [(1 << 48) + address for address in addresses]
    access = failed("gfx942", "000070dc02040000", {"v2": generic, "v4": 0}, group_bytes=256)
    assert lanes_of(access) == list(lanes)
    assert access is not None and (not lanes or access.note == note)


def test_an_access_that_hardware_allows_comes_after_the_others() -> None:
    # ds_write_b32 v2, v4, then global_load_dword v1, v[6:7], off offset:16, which is not mapped
    code = DS_WRITE + "108050dc06007f01"
    registers = {"v2": [8 * lane for lane in range(64)], "v4": 0, "v6": pointers(64)}
    access = failed("gfx942", code, registers, at=8, group_bytes=256)
    assert lanes_of(access) == [60, 61, 62, 63]
    assert access is not None and access.pc == PC + 8 and not access.note
    # global_load_dword v2, v[2:3], off; ds_write_b32 v4, v6: both may have failed
    code = LOAD + "00001ad804060000"
    registers = {"v4": [8 * lane for lane in range(64)], "v6": 0, "v2": [0] * 64}
    access = failed("gfx942", code, registers, at=8, group_bytes=256)
    assert lanes_of(access) == list(range(32, 64))
    assert access is not None
    assert access.note.startswith(f"{GRANULE}; it may be another access: v2 was written after it")


def test_inactive_lanes_access_nothing() -> None:
    access = failed("gfx942", "108050dc02007f01", {"v2": pointers(64), "exec": 0xA << 58})
    assert lanes_of(access) == [61]


def test_other_reasons_have_no_access() -> None:
    assert failed("gfx942", LOAD, {"v2": pointers(64)}, reasons=("assert_trap",)) is None


def test_the_instruction_before_the_pc() -> None:
    """A violation arrives late: the wave has gone on."""
    # flat_load_dword v4, v[2:3]; v_add_u32_e32 v9, v9, v9; s_waitcnt vmcnt(0)
    code = "000050dc02000004" + "09131268" + "700f8cbf"
    for at in (8, 12, 16):
        access = failed("gfx942", code + NOP, {"v2": pointers(64, 8)}, at=at)
        assert lanes_of(access) == list(range(32, 64))
        assert access is not None and access.pc == PC


def test_the_first_access_that_cannot_succeed_failed() -> None:
    # flat_load_dword v4, v[2:3], then global_load_dword v1, v[2:3], off offset:16
    code = "000050dc02000004" + "108050dc02007f01"
    access = failed("gfx942", code, {"v2": pointers(64, 8)}, at=8)
    assert access is not None and access.pc == PC
    of_second = failed("gfx942", code, {"v2": pointers(64)}, at=8)
    assert of_second is not None and of_second.pc == PC + 8


@pytest.mark.parametrize(
    ("code", "at", "note"),
    [
        # global_load_dword v2, v[2:3], off: the result goes over the address
        (LOAD + NOP, 8, "v2 was written after it"),
        # flat_load_dword v4, v[2:3]; v_mov_b32_e32 v2, 0
        ("000050dc02000004" + "8002047e" + NOP, 12, "v2 was written after it"),
        # flat_load_dword v4, v[2:3]; s_mov_b64 exec, s[4:5]
        ("000050dc02000004" + "0401febe" + NOP, 12, "exec was written after it"),
    ],
)
def test_what_was_overwritten_is_not_guessed(code: str, at: int, note: str) -> None:
    access = failed("gfx942", code, {"v2": pointers(64, 8), "s4": 1}, at=at)
    assert access is not None and not access.lanes
    assert note in access.note and f"at {PC:#x}" in access.note


def test_a_branch_ends_what_was_before() -> None:
    # flat_load_dword v4, v[2:3]; s_cbranch_scc0 to the instruction after it; s_nop
    load = "000050dc02000004"
    for branch in ("000084bf", "010082bf"):
        access = failed("gfx942", load + branch + NOP + NOP, {"v2": pointers(64, 8)}, at=12)
        assert access is not None and not access.lanes
        assert access.note == f"no instruction at {PC + 12:#x}, or before it, accesses memory"
    # s_nop is the target of the branch behind it: the wave may come from there
    access = failed("gfx942", load + NOP + "feff84bf", {"v2": pointers(64, 8)}, at=8)
    assert access is not None and not access.lanes


def test_a_later_access_that_fails_leaves_a_doubt() -> None:
    # global_load_dword v2, v[2:3], off; global_load_dword v1, v[4:5], off offset:16 would be next
    code = LOAD + "108050dc04007f01"
    access = failed("gfx942", code, {"v4": pointers(64), "v2": [0] * 64}, at=8)
    assert lanes_of(access) == [60, 61, 62, 63]
    assert access is not None and access.note.startswith(
        "it may be another access: v2 was written after it: global_load_dword v2, v[2:3], off at"
    )


def test_an_access_that_was_waited_for_leaves_no_doubt() -> None:
    # global_load_dword v2, v[2:3], off; s_waitcnt vmcnt(0); global_load_dword v1, v[4:5], off …
    code = LOAD + "700f8cbf" + "108050dc04007f01"
    access = failed("gfx942", code, {"v4": pointers(64), "v2": [0] * 64}, at=12)
    assert lanes_of(access) == [60, 61, 62, 63]
    assert access is not None and not access.note


@pytest.mark.parametrize(
    ("processor", "code", "counters"),
    [
        ("gfx942", "700f8cbf", {"vm"}),
        ("gfx942", "7fc08cbf", {"lgkm"}),
        ("gfx942", "70408cbf", {"lgkm"}),  # vmcnt(16) lgkmcnt(0)
        ("gfx942", "00008cbf", {"vm", "exp", "lgkm"}),
        ("gfx1030", "0000fdbb", {"vs"}),
        ("gfx1100", "f70389bf", {"vm"}),
        ("gfx1100", "07fc89bf", {"lgkm"}),
        ("gfx1100", "00007cbc", {"vs"}),
        ("gfx1201", "0000c0bf", {"load"}),
        ("gfx1201", "0000c8bf", {"load", "ds"}),
        ("gfx1201", "0100c9bf", {"store"}),
        ("gfx1201", "0000c7bf", {"km"}),
        ("gfx942", NOP, set()),
        ("gfx1100", "000088bf", set()),  # s_waitcnt_depctr
        ("gfx1100", "00008bbf", set()),  # s_wait_event
    ],
)
def test_what_a_wave_has_waited_for(processor: str, code: str, counters: set[str]) -> None:
    instruction = decoder(processor).decode(bytes.fromhex(code))
    assert instruction is not None
    assert finished_counters(instruction) == counters


def test_memory_that_the_core_leaves_out_is_mapped() -> None:
    access = failed("gfx942", LOAD, {"v2": pointers(64, 8)}, omitted=BUFFER + 256)
    assert access is not None and not access.lanes
    assert access.note.startswith(
        "the core file has all memory that is accessed by global_load_dword"
    )


def test_a_core_of_gpus_alone_may_lack_memory_of_the_host() -> None:
    """Where no address is in the core, that says nothing about any lane; null is not memory."""
    elsewhere = pointers(64, 8, 0x7000_0000_0000)
    access = failed("gfx942", LOAD, {"v2": elsewhere}, unmapped=GPU_ALONE)
    assert access is not None and not access.lanes
    assert "the core file has no address of global_load_dword v2, v[2:3], off" in access.note
    assert lanes_of(failed("gfx942", LOAD, {"v2": elsewhere})) == list(range(64))
    elsewhere[5] = 16
    access = failed("gfx942", LOAD, {"v2": elsewhere}, unmapped=GPU_ALONE)
    assert lanes_of(access) == [5]
    assert access is not None and access.lanes[0].why == "it is in the page of null"


def test_misaligned_addresses() -> None:
    misaligned = pointers(64)
    misaligned[7] += 2
    access = failed("gfx942", LOAD, {"v2": misaligned}, reasons=("address_error",))
    assert lanes_of(access) == [7]
    assert access is not None and access.lanes[0].why == "it is not a multiple of 4"
    assert lanes_of(failed("gfx942", LOAD, {"v2": misaligned})) == []


def test_no_instruction() -> None:
    access = failed("gfx942", "ffffffff", {})
    assert access is not None
    assert access.note == f"{PC:#x} is not an instruction in the core file"


def test_an_instruction_that_the_table_lacks() -> None:
    access = failed("gfx950", "0000ffd200000000", {})
    assert access is not None
    assert access.note == (
        f"the instruction at {PC:#x} is unknown to dwarfgpu, whose table of gfx950 is incomplete"
    )


def test_sizes_of_all_memory_instructions() -> None:
    """Every instruction that has an address has a size of 1 to 64 bytes."""
    for name in ("gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201"):
        seen = 0
        for encoding in decoder(name).encodings:
            made = decoder(name).decode(encoding.value.to_bytes(24, "little"))
            if made is None:
                continue
            addressing = addressing_of(made)
            if addressing is None:
                continue
            seen += 1
            assert 1 <= addressing.size_bytes <= 64, made.text
            assert addressing.size_bytes % addressing.element_bytes == 0, made.text
        assert seen > 100


def test_a_place_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many waves failed there."""
    code, calls = LOAD + NOP * 40, []
    decode = Decoder.instructions

    def counted(self: Decoder, data: bytes, address: int = 0) -> Any:
        calls.append(address)
        return decode(self, data, address)

    monkeypatch.setattr(Decoder, "instructions", counted)
    for _ in range(3):
        assert lanes_of(failed("gfx942", code, {"v2": pointers(64, 8)})) == list(range(32, 64))
    assert len(calls) == 1


@pytest.mark.parametrize("processor", ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"])
def test_any_code_has_an_answer(processor: str) -> None:
    """By chance: instructions with any registers, which a wave may not have."""
    random = Random(processor)
    encodings = decoder(processor).encodings
    lanes = 64 if processor.startswith("gfx9") else 32
    for number in range(12):
        words = []
        for _ in range(60):
            encoding = random.choice(encodings)
            word = encoding.value | random.getrandbits(128) & ~encoding.mask
            words.append((word & (1 << 8 * encoding.format.size) - 1).to_bytes(16, "little")[:8])
        code = b"".join(words).hex()
        access = failed(processor, code, {"v2": pointers(lanes)}, lanes=lanes, at=4 * number)
        assert access is not None and (access.lanes or access.note)
