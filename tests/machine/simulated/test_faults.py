"""What a fault names: address, lanes, buffer, distance from it; and which accesses are faults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dwarfgpu.machine.simulated.debugger.stopped_waves import signal_halt
from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory
from dwarfgpu.machine.simulated.wave_fault import WaveStop
from dwarfgpu.machine.topology import StopReason
from tests.machine.simulated import vectors

LOAD = "000052dc00007c08"  # global_load_b32 v8, v[0:1], off
STORE = "00006adc00027c00"  # global_store_b32 v[0:1], v2, off
ADD = "0000d6dc00027c00"  # global_atomic_add_u32 v[0:1], v2, off
LDS_LOAD = "0000d8d800000008"  # ds_load_b32 v8, v0
LDS_STORE = "000034d800020000"  # ds_store_b32 v0, v2
LDS_ADD = "000000d800020000"  # ds_add_u32 v0, v2
BUFFER = 0x30000
"""4,096 bytes."""


def stop_of(code: str, addresses: list[int], data: int = 7) -> Any:
    machine = vectors.machine(bytes.fromhex(code), len(addresses))
    [wave] = machine.waves
    wave.v[0][: len(addresses)] = addresses
    wave.v[2][:] = data
    return machine.run() or wave


@pytest.mark.parametrize(
    ("code", "addresses", "lanes", "text"),
    [
        (
            LOAD, [BUFFER, BUFFER + 4096, BUFFER, BUFFER + 4104], (1, 3),
            "lane 1 reads 4 bytes at 0x31000: 0 bytes after the end of buffer, which has 4096 "
            "bytes; 1 more of its lanes fault",
        ),
        (
            STORE, [BUFFER, BUFFER + 4094], (1,),
            "lane 1 writes 4 bytes at 0x30ffe: 2 of them after the end of buffer, which has 4096 "
            "bytes, from offset 4094 on",
        ),
        (STORE, [0x20000, 0x10000], (1,), "lane 1 writes 4 bytes at 0x10000: code is read-only"),
        (
            STORE, [0x10004, 0x10000], (0, 1),
            "lane 0 writes 4 bytes at 0x10004: code is read-only; 1 more of its lanes fault",
        ),
        (LOAD, [0x2FFFC], (0,), "lane 0 reads 4 bytes at 0x2fffc: 4 bytes before buffer"),
        (LOAD, [0x900000], (0,), "lane 0 reads 4 bytes at 0x900000: no memory is there"),
        (
            LDS_LOAD, [0, 0x10000, 0xFFFD], (1, 2),
            "lane 1 reads 4 bytes of LDS at 0x10000: the workgroup has 65536 bytes; 1 more of its "
            "lanes fault",
        ),
        (
            LDS_STORE, [0, 0xFFFD], (1,),
            "lane 1 writes 4 bytes of LDS at 0xfffd: the workgroup has 65536 bytes",
        ),
        (
            LDS_ADD, [0, 0x10000], (1,),
            "lane 1 updates 4 bytes of LDS at 0x10000: the workgroup has 65536 bytes",
        ),
        (
            ADD, [BUFFER, BUFFER + 4096], (1,),
            "lane 1 updates 4 bytes at 0x31000: 0 bytes after the end of buffer, which has 4096 "
            "bytes",
        ),
        (ADD, [BUFFER, 0x10000], (1,), "lane 1 updates 4 bytes at 0x10000: code is read-only"),
    ],
)  # fmt: skip
def test_violations(code: str, addresses: list[int], lanes: tuple[int, ...], text: str) -> None:
    stopped = stop_of(code, addresses)
    assert stopped.reason is StopReason.MEMORY_VIOLATION
    assert (stopped.text, stopped.lanes, stopped.wave.pc) == (text, lanes, 0x10000)
    data = stopped.wave.global_memory.read(BUFFER, 4096)
    assert not any(data), "something was written"


def test_loads_and_stores_may_be_misaligned() -> None:
    wave = stop_of(STORE, [BUFFER + 1, BUFFER + 7], 0x04030201)
    assert wave.global_memory.read(BUFFER, 12).hex() == "000102030400000102030400"
    assert stop_of(LDS_LOAD, [3]).is_ended


@pytest.mark.parametrize(
    ("code", "base", "text"),
    [
        (ADD, BUFFER, "lane 1 updates 4 bytes at 0x30006: misaligned"),
        (LDS_ADD, 0, "lane 1 updates 4 bytes of LDS at 0x6: misaligned"),
    ],
)
def test_atomic_operations_may_not(code: str, base: int, text: str) -> None:
    stopped = stop_of(code, [base, base + 6])
    assert (stopped.reason, stopped.lanes) == (StopReason.ADDRESS_ERROR, (1,))
    assert stopped.text == f"{text}, an atomic operation needs a multiple of 4"
    stopped = stop_of(code, [base, base + 6, base + 1])
    more = "; 1 more of its lanes fault"
    assert stopped.text == f"{text}, an atomic operation needs a multiple of 4{more}"


def test_bytes_that_are_not_an_instruction() -> None:
    stopped = stop_of("ffffffff", [0])
    assert stopped.reason is StopReason.ILLEGAL_INSTRUCTION
    assert stopped.text == "0xffffffff at 0x10000 is not a known instruction of gfx1100"


def test_an_instruction_that_the_table_of_a_processor_lacks() -> None:
    """Those of gfx950, GFX11 and GFX12 are incomplete. Words of no encoding are illegal, and so are
    words of GFX11 and GFX12 that no compiler knows."""
    stopped = vectors.machine(bytes.fromhex("0000ffd200000000"), 64, "gfx950", 64).run()
    assert stopped is not None and stopped.reason is StopReason.NOT_SIMULATED
    assert stopped.text == (
        "not simulated: 0xd2ff0000 at 0x10000 is unknown to dwarfgpu, whose table of gfx950 is "
        "incomplete"
    )
    for target, code, text in (
        ("gfx1151", "040552cb010706ff", "0xcb520504"),  # v_dual_dot2acc_f32_bf16
        ("gfx1201", "835380be", "0xbe805383"),  # s_alloc_vgpr
        ("gfx1100", "85cd127e", "0x7e12cd85"),  # v_swap_b16
    ):
        stopped = vectors.machine(bytes.fromhex(code), 32, target, 32).run()
        assert stopped is not None and stopped.reason is StopReason.NOT_SIMULATED
        assert stopped.text == (
            f"not simulated: {text} at 0x10000 is unknown to dwarfgpu, whose table of {target} is "
            "incomplete"
        )
    for target, wave_size, word in (
        ("gfx950", 64, "ffffffff"), ("gfx950", 64, "000000c4"),
        ("gfx1100", 32, "0000ffd700000000"), ("gfx1100", 32, "835380be"),
        ("gfx1201", 32, "0000ffd700000000"),
    ):  # fmt: skip
        stopped = vectors.machine(bytes.fromhex(word), wave_size, target, wave_size).run()
        assert stopped is not None and stopped.reason is StopReason.ILLEGAL_INSTRUCTION
    stopped = vectors.machine(bytes.fromhex("0000ffd200000000"), 64, "gfx942", 64).run()
    assert stopped is not None and stopped.reason is StopReason.ILLEGAL_INSTRUCTION


def test_the_instruction_that_is_illegal() -> None:
    """v_illegal, a dword of zeros on GFX10 and later: a wave that jumps into padding gets there."""
    stopped = stop_of("00000000", [0])
    assert (stopped.reason, stopped.text) == (
        StopReason.ILLEGAL_INSTRUCTION,
        "v_illegal at 0x10000",
    )


def test_private_memory_of_a_lane() -> None:
    """scratch_load_b32 v8, v0, off: a lane has 4,096 bytes."""
    stopped = stop_of("000051dc0000fc08", [4092, 4093, 0])
    assert (stopped.reason, stopped.lanes) == (StopReason.MEMORY_VIOLATION, (1,))
    assert stopped.text == (
        "lane 1 reads 4 bytes of private memory at 0xffd: a lane has 4096 bytes"
    )
    assert not np.any(stopped.wave.v[8])
    stopped = stop_of("000051dc0000fc08", [4092, 4093, 4095, 0, 4096])
    assert stopped.lanes == (1, 2, 4)
    assert stopped.text.endswith(" at 0xffd: a lane has 4096 bytes; 2 more of its lanes fault")


def test_more_scratch_is_advised_where_it_would_be_enough() -> None:
    """gfx942 has at most 8191 KiB of scratch for 64 lanes."""
    wave = vectors.machine(bytes.fromhex("000051dc0000fc08"), 1).waves[0]
    wave.most_private_bytes = 131_056
    for address, is_enough in ((4096, True), (131_052, True), (131_056, False), (-4, False)):
        with pytest.raises(WaveStop) as stopped:
            wave.scratch_load(address, np.uint32, 1, None)
        assert ("--scratch BYTES gives more" in stopped.value.text) is is_enough


@pytest.mark.parametrize(
    ("address", "why"),
    [
        (0x1100, "0 bytes after the end of a, which has 256 bytes"),
        (0x18FC, "2044 bytes after the end of a, which has 256 bytes"),
        (0x1900, "2048 bytes after the end of a, which has 256 bytes"),
        (0x1904, "2044 bytes before b"),
        (0x20FC, "4 bytes before b"),
        (0x31FC, "4092 bytes after the end of b, which has 256 bytes"),
        (0x3200, "4096 bytes after the end of b, which has 256 bytes"),
        (0x3204, "no memory is there"),
        (0x4000, "4096 bytes before c"),
        (0x0FFF, "1 byte before a"),
    ],
)
def test_the_nearest_buffer_is_named(address: int, why: str) -> None:
    memory = GlobalMemory()
    for name, start in (("a", 0x1000), ("b", 0x2100), ("c", 0x5000)):
        memory.add(name, start, bytes(256))
    assert memory.describe(address, 4, "reads") == why


@pytest.mark.parametrize(
    ("pc", "why"),
    [
        (BUFFER + 4096, "0 bytes after the end of buffer, which has 4096 bytes"),
        (BUFFER - 4, "4 bytes before buffer"),
        (0x900000, "no memory is there"),
    ],
)
def test_a_jump_to_where_no_code_is(pc: int, why: str) -> None:
    """As of a read: a wave that gets into a buffer, whose zeros are instructions of some GPUs, and
    out of it, is near the buffer."""
    machine = vectors.machine(bytes.fromhex(LOAD), 1)
    machine.waves[0].pc = pc
    stopped = machine.run()
    assert stopped is not None and stopped.reason is StopReason.MEMORY_VIOLATION
    assert stopped.text == f"no code at {pc:#x}: {why}"


@pytest.mark.parametrize(("active", "lanes"), [(0b1010, (1, 3)), (0, ()), (0xFFFFFFFF, ())])
def test_a_trap_in_a_branch_names_its_lanes(active: int, lanes: tuple[int, ...]) -> None:
    """`s_trap 2` is of the whole wave where all of its lanes are active."""
    machine = vectors.machine(bytes.fromhex("020090bf"), 32)
    [wave] = machine.waves
    wave.exec = active
    stopped = machine.run()
    assert stopped is not None
    assert (stopped.reason, stopped.lanes) == (StopReason.ASSERT_TRAP, lanes)


@pytest.mark.parametrize(
    ("reason", "signal", "why"),
    [
        (StopReason.MEMORY_VIOLATION, "SIGSEGV", "MEMORY_VIOLATION, what happened"),
        (StopReason.UNAVAILABLE, "SIGTRAP", "UNAVAILABLE, what happened"),
        (StopReason.WAITING, None, "what happened"),
    ],
)
def test_a_debugger_has_reason_text_and_lanes_apart(
    reason: StopReason, signal: str | None, why: str
) -> None:
    """Users see them together; a wave that waits has done nothing wrong, and has no signal."""
    halt = signal_halt(1, reason, "what happened", (36, 63))
    assert (halt.signal, halt.stop_reason, halt.text) == (signal, reason.value, "what happened")
    assert (halt.lanes, halt.why) == ((36, 63), why)


CUT = [
    ("gfx90a", 64, "ff0086be", ""),  # s_mov_b32 s6, a literal
    ("gfx90a", 64, "008050dc", ""),  # global_load_dword
    ("gfx1100", 32, "000052dc", ""),  # global_load_b32
    ("gfx1201", 32, "000005ee", "00000000"),  # global_load_b32, of 12 bytes
    ("gfx1100", 32, "000055d6", "ff020a04"),  # VOP3 with a literal
]


def stopped_in_buffer(
    processor: str,
    size: int,
    code: bytes,
    offset: int,
    *,
    is_rest_known: bool = True,
    with_next: bool = False,
) -> Any:
    """What stops a wave that executes code in a buffer, with another one behind it or not."""
    machine = vectors.machine(b"", 1, processor, size)
    buffer = machine.global_memory.at(BUFFER)
    assert buffer is not None
    inside = slice(offset, offset + len(code))
    buffer.data[inside] = np.frombuffer(code, np.uint8)
    if not is_rest_known:
        buffer.written = np.zeros(len(buffer.data), np.uint8)
        buffer.written[inside] = 0xFF
    if with_next:
        machine.global_memory.add("next", buffer.end, bytes(8))
    machine.waves[0].pc = BUFFER + offset
    stopped = machine.run()
    assert stopped is not None
    return stopped


@pytest.mark.parametrize(("processor", "size", "beginning", "more"), CUT)
def test_an_instruction_that_memory_cuts(
    processor: str, size: int, beginning: str, more: str
) -> None:
    """Its first bytes are the last of a buffer: no instruction is illegal for what it lacks."""
    code = bytes.fromhex(beginning + more)
    offset = 4096 - len(code)
    instruction = f"the instruction at {BUFFER + offset:#x}"
    stopped = stopped_in_buffer(processor, size, code, offset)
    why = "0 bytes after the end of buffer, which has 4096 bytes"
    assert stopped.reason is StopReason.MEMORY_VIOLATION
    assert stopped.text == f"{instruction} has no code at {BUFFER + 4096:#x}: {why}"
    stopped = stopped_in_buffer(processor, size, code, offset, with_next=True)
    assert stopped.reason is StopReason.NOT_SIMULATED
    assert stopped.text == f"not simulated: {instruction} continues in next"


@pytest.mark.parametrize(("processor", "size", "beginning", "more"), CUT)
def test_an_instruction_with_unknown_bytes(
    processor: str, size: int, beginning: str, more: str
) -> None:
    code = bytes.fromhex(beginning + more)
    stopped = stopped_in_buffer(processor, size, code, 0, is_rest_known=False)
    assert stopped.reason is StopReason.UNAVAILABLE
    assert stopped.text == f"the code at {BUFFER + len(code):#x} is not known"
