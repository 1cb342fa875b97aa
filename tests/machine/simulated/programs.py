"""Random programs: encodings of the tables with random operands, forward branches, and a loop."""

from __future__ import annotations

import random
from functools import cache

import numpy as np

from dwarfgpu.isa.binding import operations_of
from dwarfgpu.isa.decode import Decoder, decoder
from dwarfgpu.isa.instruction import Encoding
from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Program, why_not_simulated
from dwarfgpu.machine.simulated.storage.global_memory import Allocation, GlobalMemory
from dwarfgpu.machine.simulated.storage.wave_memory import WaveMemories
from dwarfgpu.machine.topology import Wave

CODE, MEMORY, SHARED, WAVES = 0x10000, 0x20000, 0x40000, 8
OWN_BYTES = 4096
"""Of memory for each wave."""
_MINUS_ONE = 193
"""The source operand that is the barrier of the workgroup."""
_CONTROL = {"branch", "call", "end", "barrier", "trap", "message", "export"}
_SCALAR_BITS, _VECTOR_BITS = 3, 3
"""Bits of the numbers of registers: s0 to s7, v0 to v7."""
_COUNTER, LDS_ADDRESS, ADDRESS, _SHARED_LDS, _SHARED = 20, 12, 14, 16, 18
"""Registers of the loop and of addresses, which no random instruction writes."""


@cache
def _plain(target: str, wave_size: int) -> list[Encoding]:
    """Encodings that compute, of operations that are simulated."""
    out = []
    for encoding in decoder(target, wave_size).encodings:
        operations = operations_of(encoding)
        if not operations or encoding.format.extra_bytes:
            continue
        if any(item.flags & _CONTROL or item.memory or not item.expression for item in operations):
            continue
        if any(
            place.name in ("pc", "mode", "hwreg") for item in operations for place in item.results
        ):
            continue
        if any(name in encoding.mnemonic for name in ("mfma", "wmma", "movrel", "gpr_idx")):
            continue
        out.append(encoding)
    return out


def placed(encoding: Encoding, values: dict[str, int]) -> int:
    """The bits of an encoding with its fields."""
    form = encoding.format
    word = encoding.value
    for name, value in values.items():
        field = form.fields[form.index[name]]
        for bit, mask, first in field.runs:
            word |= (value >> first & mask) << bit
    return word


def encoded(machine: Decoder, mnemonic: str, /, **values: int) -> bytes:
    """One instruction of the tables, other fields 0."""
    encoding = next(
        item
        for item in machine.encodings
        if item.mnemonic == mnemonic
        and values.keys() <= item.format.index.keys()
        and ("saddr" in item.format.index) <= ("saddr" in values)
        and "IsAtomicRet" not in item.format.flags
    )
    return placed(encoding, values).to_bytes(encoding.format.size, "little")


def _field(rng: random.Random, kind: str, width: int, name: str) -> int:
    if name == "dpp_ctrl":
        return rng.choice((0x1B, 0x4E, 0x111, 0x121, 0x140, 0x141))
    if width >= 9:  # a scalar, a constant or a vector register
        choices = [
            rng.getrandbits(_SCALAR_BITS),
            256 | rng.getrandbits(_VECTOR_BITS),
            rng.choice((106, 126, 128, 129, 193, 240, 242, 255)),
        ]
        return rng.choice(choices)
    if width == 8 and (name.startswith(("ssrc", "src")) and kind[0] not in "va"):
        return rng.choice((rng.getrandbits(_SCALAR_BITS), 106, 126, 129, 193, 255))
    if "modifiers" in name or name in ("clamp", "omod"):
        return rng.getrandbits(width) if rng.random() < 0.15 else 0
    if "dst" in name or "src" in name or name in ("sdst", "vdst"):
        return rng.getrandbits(_SCALAR_BITS)
    return rng.getrandbits(width)


def _random_instruction(rng: random.Random, target: str, wave_size: int) -> bytes:
    machine = decoder(target, wave_size)
    encodings = _plain(target, wave_size)
    while True:
        encoding = rng.choice(encodings)
        form = encoding.format
        values = {
            name: _field(rng, kind.decoder, field.mask.bit_count(), name)
            for name, kind, field in zip(form.names, form.kinds, form.fields, strict=True)
        }
        code = placed(encoding, values).to_bytes(form.size, "little")
        code += rng.choice((b"\0\0\x80\x3f", b"\xff\0\0\0", b"\1\0\0\x80"))  # a literal, if any
        instruction = machine.decode(code)
        if instruction is None or instruction.encoding is not encoding:
            continue
        if "/*Invalid" in instruction.text:  # of a class that the encoding does not allow
            continue
        if why_not_simulated(instruction) is None:
            return code[: instruction.size]


def access(target: str, wave_size: int, kind: str, number: int, offset: int = 0) -> bytes:
    """Load or store a register at addresses that each wave has for itself; add it at others."""
    machine = decoder(target, wave_size)
    is_new = machine.target.generation >= 11
    match kind:
        case "lds load":
            name = "ds_load_b32" if is_new else "ds_read_b32"
            return encoded(machine, name, vdst=number, addr=LDS_ADDRESS, offset=offset)
        case "lds store":
            name = "ds_store_b32" if is_new else "ds_write_b32"
            return encoded(machine, name, data0=number, addr=LDS_ADDRESS, offset=offset)
        case "lds add":
            return encoded(machine, "ds_add_u32", data0=number, addr=_SHARED_LDS, offset=offset)
        case "add":
            name = "global_atomic_add_u32" if is_new else "global_atomic_add"
            return encoded(machine, name, vdata=number, vaddr=_SHARED, offset=offset)
        case "load":
            name = "global_load_b32" if is_new else "global_load_dword"
            return encoded(machine, name, vdst=number, vaddr=ADDRESS, offset=offset)
    name = "global_store_b32" if is_new else "global_store_dword"
    return encoded(machine, name, vdata=number, vaddr=ADDRESS, offset=offset)


def barrier(machine: Decoder) -> bytes:
    """Meet the other waves of the workgroup."""
    if machine.target.generation < 12:
        return encoded(machine, "s_barrier")
    signal = encoded(machine, "s_barrier_signal", src0=_MINUS_ONE)
    return signal + encoded(machine, "s_barrier_wait", simm16=0xFFFF)


def _memory(rng: random.Random, target: str, wave_size: int) -> bytes:
    kind = rng.choice(("lds load", "lds store", "lds add", "load", "store", "add"))
    number = rng.getrandbits(_VECTOR_BITS)
    return access(target, wave_size, kind, number, 4 * rng.randrange(8))


def program(seed: int, target: str, wave_size: int, count: int = 30) -> bytes:
    """A loop of random instructions that ends."""
    rng = random.Random(seed)
    machine = decoder(target, wave_size)
    generation = machine.target.generation
    body: list[bytes] = []
    for _ in range(count):
        chance = rng.random()
        if chance < 0.15:
            body.append(_memory(rng, target, wave_size))
        elif chance < 0.2:
            body.append(barrier(machine))
        else:
            body.append(_random_instruction(rng, target, wave_size))
    for at in sorted(rng.sample(range(count), 3), reverse=True):  # over some of them
        skipped = rng.randrange(1, 5)
        dwords = sum(map(len, body[at : at + skipped])) // 4
        name = rng.choice(("s_cbranch_scc0", "s_cbranch_vccz", "s_cbranch_execz"))
        body.insert(at, encoded(machine, name, simm16=dwords))
    one = 129
    body += [
        encoded(
            machine, "s_sub_co_i32" if generation >= 12 else "s_sub_i32",
            sdst=_COUNTER, src0=_COUNTER, src1=one,
        ),
        encoded(machine, "s_cmp_lg_u32", src0=_COUNTER, src1=one - 1),
    ]  # fmt: skip
    back = sum(map(len, body)) // 4 + 1
    body.append(encoded(machine, "s_cbranch_scc1", simm16=-back & 0xFFFF))
    return b"".join([*body, encoded(machine, "s_endpgm")])


def machine_of(code: bytes, seed: int, target: str, wave_size: int) -> RunningMachine:
    """Waves in two workgroups before a program, with random registers."""
    numbers = np.random.default_rng(seed)
    global_memory = GlobalMemory()
    global_memory.add("code", CODE, code, is_writable=False)
    global_memory.add("shared memory", SHARED, bytes(OWN_BYTES))
    own = global_memory.add("memory", MEMORY, bytes(WAVES * OWN_BYTES))
    own.data[:] = numbers.integers(0, 256, own.data.shape, np.uint8)
    running = RunningMachine(global_memory, Program(global_memory, target, wave_size), wave_size)
    local = [Allocation(f"LDS {group}", 0, bytes((WAVES + 1) * 512), True) for group in range(2)]
    for number in range(WAVES):
        group = number // (WAVES // 2)
        wave = SimulatedWave(
            Wave(number + 1, group + 1, number),
            wave_size,
            256,
            256,
            global_memory,
            memories=WaveMemories(local[group]),
            pc=CODE,
        )
        wave.set_mode(0xF0)
        wave.set_exec(int(numbers.integers(1, 1 << 63)) | 1)
        wave.s[:8] = [int(item) for item in numbers.integers(0, 1 << 32, 8)]
        wave.s[_COUNTER] = int(numbers.integers(1, 4))
        wave.vectors[:8] = numbers.integers(0, 1 << 32, (8, wave_size), np.uint32)
        wave.f[3][:] = numbers.uniform(-8, 8, wave_size)
        lane = np.arange(wave_size, dtype=np.uint32)
        wave.v[LDS_ADDRESS][:] = 512 * number + 4 * lane
        wave.v[_SHARED_LDS][:] = 512 * WAVES + 4 * lane
        wave.v[_SHARED][:] = SHARED + 4 * lane
        wave.v[ADDRESS][:] = MEMORY + OWN_BYTES * number + 4 * lane
        running.waves.append(wave)
    return running
