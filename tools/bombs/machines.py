"""Bombs of core files, of save areas of AMD GPUs, and of state files with their arrays."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from random import Random
from typing import Final

from dwarfgpu.base.npy import Npy, npy_bytes
from dwarfgpu.base.records import evolve
from dwarfgpu.machine.core.gpu.code_objects import LINK_MAP, R_DEBUG
from dwarfgpu.machine.core.gpu.core_state_note import CoreState, Queue, Runtime
from dwarfgpu.machine.core.gpu.process_image import ProcessImage, agent_of, process_core
from dwarfgpu.machine.core.gpu.save_area import HEADER
from dwarfgpu.machine.core.write import LoadedRange, core_parts, core_state_note
from tests.machine.cores import Load, auxiliary, core, mapped_files, note, status
from tests.machine.gpu_cores import Machine
from tools.bombs.measure import ROOT
from tools.bombs.model import Bomb, Files

GFX942 = 90402
HERE = 0x10000
"""Where the memory of most bombs is."""
DEMO = (ROOT / "dwarfgpu/data/demo.co").read_bytes()
ONE_THREAD = status(1, bytes(27 * 8))


def notes(count: int) -> Files:
    return {"bomb": core([ONE_THREAD, *[note("X", 1, b"")] * count])}


def threads(count: int) -> Files:
    return {"bomb": core([ONE_THREAD] * count)}


def threads_with_vectors(count: int) -> Files:
    """Threads with all registers of AVX-512, as many bytes as a kernel writes for each."""
    area = bytearray(2696)
    for at in (464, 512):  # XCR0 and XSTATE_BV
        struct.pack_into("<Q", area, at, 0x2E7)
    floats, vectors = note("CORE", 2, bytes(512)), note("LINUX", 0x202, bytes(area))
    return {"bomb": core([ONE_THREAD, floats, vectors] * count)}


def registers_again(count: int) -> Files:
    """Floating-point registers of one thread."""
    return {"bomb": core([ONE_THREAD, *[note("CORE", 2, bytes(512))] * count])}


def files_mapped(count: int) -> Files:
    """Files that do not exist."""
    rows = ((4096 * number, 4096 * number + 4096, 0, f"/none{number}") for number in range(count))
    return {"bomb": core([ONE_THREAD, mapped_files(*rows), auxiliary(entry=0)])}


def files_mapped_from_folders(count: int) -> Files:
    """Files that do not exist, with names that lead through the root folder again and again."""
    begin = "/none/../" + "a/../" * 30
    rows = ((4096 * number, 4096 * number + 4096, 0, f"{begin}{number}") for number in range(count))
    return {"bomb": core([ONE_THREAD, mapped_files(*rows), auxiliary(entry=0)])}


def one_header_mapped(count: int) -> Files:
    """One file, from its beginning on each time; its header, with many segments, is in memory at
    each of them."""
    page = bytearray(core([], [Load(0, b"")] * 70))[:4096].ljust(4096, b"\0")
    page[16] = 3  # ET_DYN
    starts = [(1 << 32) + 8192 * number for number in range(count)]
    notes = [ONE_THREAD, mapped_files(*((at, at + 4096, 0, "bomb") for at in starts))]
    data = bytearray(core(notes, [Load(at, b"", 4096) for at in starts]))
    [begin] = struct.unpack_from("<Q", data, 32)
    for number in range(count):
        at = begin + 56 * (number + 1)
        struct.pack_into("<Q", data, at + 8, len(data))
        struct.pack_into("<Q", data, at + 32, 4096)
    return {"bomb": bytes(data + page)}


def one_file_mapped(count: int) -> Files:
    """One file, from its beginning on each time; its header is in memory, with many segments."""
    header = bytearray(core([], [Load(0, b"")] * 70))
    header[16] = 3  # ET_DYN
    page = bytes(header[:4096]).ljust(4096, b"\0")
    rows = ((4096 * number, 4096 * number + 4096, 0, "bomb") for number in range(count))
    memory = Load(0, page, 4096 * count)
    return {"bomb": core([ONE_THREAD, mapped_files(*rows), auxiliary(entry=0)], [memory])}


def segments(count: int) -> Files:
    """Segments of one byte, with a gap behind each."""
    return {"bomb": core([ONE_THREAD], [Load(HERE + 2 * number, b"x") for number in range(count)])}


def overlapping_segments(count: int) -> Files:
    """Segments that each lie inside the one before."""
    loads = [Load(HERE + number, b"", 2 * (count - number)) for number in range(count)]
    return {"bomb": core([ONE_THREAD], loads)}


def linked_libraries(count: int) -> Files:
    """A list of libraries in which each has a name of a page, in segments of one byte."""
    headers = struct.pack("<IIQQQQQQ", 2, 6, 0, 0x100 + HERE, 0, 256, 256, 8)
    dynamic = struct.pack("<4Q", 21, HERE + 0x200, 0, 0)
    first = HERE + 0x1000
    entries = b"".join(
        struct.pack("<4Q", 0, HERE + 0x300, number, first + 32 * (number + 1))
        for number in range(count)
    )
    memory = headers.ljust(0x100, b"\0") + dynamic.ljust(0x100, b"\0")
    memory += struct.pack("<QQ", 1, first).ljust(0x100, b"\0") + b"/" + b"n" * 4000 + b"\0"
    loads = [Load(HERE, memory.ljust(0x1000 + 0x1000, b"\0")[:0x1000] + entries + bytes(32))]
    vector = auxiliary(entry=0, phdr=HERE, phnum=1)
    rows = ((1 << 32, (1 << 32) + 4096, 0, "/none"),)
    return {"bomb": core([ONE_THREAD, mapped_files(*rows), vector], loads)}


def looping_stack(count: int) -> Files:
    """Frames by the frame pointer, which leads to itself."""
    registers = bytearray(27 * 8)
    stack = HERE + 8 * count
    for index in (4, 19):  # rbp, rsp
        struct.pack_into("<Q", registers, 8 * index, HERE)
    memory = struct.pack("<QQ", HERE, HERE).ljust(stack - HERE, b"\0")
    return {"bomb": core([status(1, bytes(registers))], [Load(HERE, memory)])}


CORE = ("info bomb", "bt --core bomb", "eval --core bomb lit1",
        "debug --core bomb <<< info threads; info files; info proc; bt")  # fmt: skip


# AMD GPUs


def gpu_core(state: CoreState, ranges: Iterable[LoadedRange] = ()) -> Files:
    return {"bomb": b"".join(core_parts([core_state_note(state)], ranges))}


def queue_of(agent: int, area: int, size_bytes: int) -> Queue:
    return Queue(0, 0, 0, 0, area, 1, 1000 + agent, 0, 2, size_bytes)


def agents_and_queues(count: int) -> Files:
    """As many GPUs as queues, which belong to the last one."""
    agents = tuple(agent_of(GFX942, 1000 + number) for number in range(count))
    return gpu_core(CoreState(Runtime(), agents, (queue_of(count - 1, 0, 4096),) * count))


def xccs(count: int) -> Files:
    """A GPU that says that it has as many XCCs."""
    agent = agent_of(GFX942, 1000, num_xcc=count)
    return gpu_core(CoreState(Runtime(), (agent,), (queue_of(0, HERE, 4096),)))


def shared_stacks(count: int) -> Files:
    """Queues that share a control stack of words that say nothing."""
    words = struct.pack("<I", 1 << 30) * _SHARED_WORDS
    size_bytes = 4096 + len(words)
    header = HEADER.pack(*([4096, len(words), size_bytes, 0] + [0] * 16)[: _fields_of_header()])
    area = LoadedRange(HERE, header.ljust(4096, b"\0") + words)
    queues = (queue_of(0, HERE, size_bytes),) * count
    return gpu_core(CoreState(Runtime(), (agent_of(GFX942, 1000),), queues), [area])


_SHARED_WORDS = 1 << 12


def _fields_of_header() -> int:
    return len(HEADER.unpack(bytes(HEADER.size)))


def shared_waves(count: int) -> Files:
    """Queues that share a save area with waves."""
    machine = Machine(Random(1))
    machine.add_queue(machine.add_agent("9.4"), groups_per_xcc=8)
    image = ProcessImage(tuple(machine.agents), tuple(machine.queues), (), tuple(machine.memory))
    state, ranges = process_core(image)
    return gpu_core(evolve(state, queues=state.queues * count), ranges)


def code_object_list(count: int, uri: bytes, circle: bool = False) -> Files:
    """The runtime's list of code objects, all of one URI."""
    first = HERE + R_DEBUG.size
    names = first + LINK_MAP.size * count
    entries = b"".join(
        LINK_MAP.pack(number, names, 0, first + LINK_MAP.size * (number + 1), 0)
        for number in range(count - 1)
    ) + LINK_MAP.pack(count, names, 0, first if circle else 0, 0)
    memory = R_DEBUG.pack(10, first, 0, 0, 0) + entries + uri + b"\0"
    state = CoreState(Runtime(HERE), (agent_of(GFX942, 1000),), ())
    return gpu_core(state, [LoadedRange(HERE, memory)])


def uri_in_pieces(count: int) -> Files:
    """Behind the URI of every code object are thousands of segments of one byte."""
    first = HERE + R_DEBUG.size
    names = 1 << 32
    entries = b"".join(
        LINK_MAP.pack(number, names, 0, first + LINK_MAP.size * (number + 1), 0)
        for number in range(count)
    )
    memory = LoadedRange(HERE, R_DEBUG.pack(10, first, 0, 0, 0) + entries)
    letters = [LoadedRange(names, b"file:///none\0")]
    letters += [LoadedRange(names + 13 + at, b"x") for at in range(4_000)]
    state = CoreState(Runtime(HERE), (agent_of(GFX942, 1000),), ())
    return gpu_core(state, [memory, *letters])


GPU = ("info bomb", "waves --core bomb", "bt --core bomb",
       "debug --core bomb <<< info agents; info queues; info sharedlibrary; bt")  # fmt: skip


# States


def state(**members: object) -> bytes:
    document = {"schema": "dwarfgpu-state-1", "architecture": "gfx942", "waves": [{"pc": 0}]}
    return json.dumps({**document, **members}).encode()


def values(count: int) -> Files:
    return {"bomb": b"[" + b"{}," * count + b"{}]"}


def nested(count: int) -> Files:
    return {"bomb": b"[" * count + b"]" * count}


def waves(count: int) -> Files:
    return {"bomb": state(waves=[{"pc": 0}] * count)}


def fills(count: int) -> Files:
    rows = [{"address": number << 20, "fill": "00", "size": 1 << 20} for number in range(count)]
    return {"bomb": state(schema="dwarfgpu-state-2", memory=rows)}


def bytes_apart(count: int) -> Files:
    return {"bomb": state(memory=[{"address": 2 * n, "bytes": "00"} for n in range(count)])}


def resumed(count: int) -> Files:
    """The same, with a wave that can go on."""
    wave = {"pc": 0x1640, "registers": {"exec": 1, "mode": 0}}
    memory = [{"address": (1 << 32) + 2 * n, "bytes": "00"} for n in range(count)]
    return {"bomb": state(waves=[wave], memory=memory), "k.co": DEMO}


_STOPPED: Final[Mapping[str, object]] = {"pc": 0x1640, "exec": 1, "mode": 0}


def resumed_waves(count: int) -> Files:
    """Waves with one lane of one vector register: a machine makes the whole bank of each."""
    wave = {"registers": {**_STOPPED, "v0": [1]}}
    return {"bomb": state(waves=[wave] * count), "demo.co": DEMO}


def resumed_scratch(count: int) -> Files:
    """Waves that know one byte, at the end of the most scratch of a wave."""
    memory = [{"space": "private_wave", "address": (1 << 23) - 8192, "bytes": "00"}]
    wave = {"registers": _STOPPED, "memory": memory}
    return {"bomb": state(schema="dwarfgpu-state-2", waves=[wave] * count), "demo.co": DEMO}


def resumed_code(count: int) -> Files:
    """A code object at many addresses, whose last segment is writable and has 4 MiB of zeros."""
    code = bytearray(DEMO)
    struct.pack_into("<Q", code, 64 + 4 * 56 + 40, 1 << 22)  # p_memsz of the fifth program header
    rows = [{"path": "k.co", "load_address": number << 24} for number in range(1, count + 1)]
    wave = {"registers": {**_STOPPED, "pc": 0x1001640}}
    return {"bomb": state(waves=[wave], code_objects=rows), "k.co": bytes(code)}


def registers(count: int) -> Files:
    """Waves of a hundred vector registers, with one lane each."""
    wave = {"registers": {f"v{number}": [1] for number in range(100)}}
    return {"bomb": state(waves=[wave] * (count // 100))}


def lanes(count: int) -> Files:
    """Vector registers with all lanes."""
    wave = {"registers": {f"v{number}": list(range(64)) for number in range(100)}}
    return {"bomb": state(waves=[wave] * (count // 6_400))}


def named_arrays(count: int) -> Files:
    """Memory that has the contents of one array, again and again."""
    array = npy_bytes(Npy("|u1", (1 << 20,), bytes(1 << 20)))
    rows = [{"address": number << 21, "npy": "a.npy"} for number in range(count)]
    return {"bomb": state(schema="dwarfgpu-state-2", memory=rows), "a.npy": array}


STATE = ("eval --state bomb lit1", "waves --state bomb", "debug --state bomb <<< info threads; bt")
BOMBS = (
    Bomb("notes", "core file", "{} notes of no content", notes, 100_000, CORE),
    Bomb("threads", "core file", "{} threads", threads, 10_000, CORE, small=30),
    Bomb("vector-threads", "core file", "{} threads with the registers of AVX-512",
         threads_with_vectors, 60_000, ("bt --core bomb", "eval --core bomb lit1"), small=60),
    Bomb("registers", "core file", "{} notes with the registers of one thread", registers_again,
         5_000, CORE, small=60),
    Bomb("mapped-files", "core file", "{} mapped files that do not exist", files_mapped,
         1_000_000, CORE, small=60, says="at most 262144 are read"),
    Bomb("looked-for-files", "core file", "{} mapped files with names of 160 bytes",
         files_mapped_from_folders, 262_000, ("info bomb", "bt --core bomb",
         "bt --core bomb --sysroot /"), small=60, says="are not used: more files were mapped"),
    Bomb("one-header", "core file", "an ELF file in memory {} times", one_header_mapped, 50_000,
         CORE, small=60),
    Bomb("one-mapped-file", "core file", "a file mapped {} times from its beginning",
         one_file_mapped, 20_000, CORE, small=60),
    Bomb("segments", "core file", "{} segments of one byte", segments, 262_000, CORE),
    Bomb("more-segments", "core file", "{} segments of one byte, more than are read", segments,
         300_000, CORE, says="--max-segments"),
    Bomb("nested-segments", "core file", "{} segments inside one another", overlapping_segments,
         262_000, CORE),
    Bomb("libraries", "core file", "{} libraries with names of 4000 bytes", linked_libraries,
         9_000, CORE, small=60),
    Bomb("stack", "core file", "a frame that is its own caller, on a stack of {} words",
         looping_stack, 100_000, CORE),
    Bomb("agents", "core of a GPU", "{} GPUs and as many queues", agents_and_queues, 20_000, GPU,
         small=60, says="at most 4096 are read"),
    Bomb("xccs", "core of a GPU", "a GPU of {} XCCs", xccs, 0xFFFFFFFF, GPU),
    Bomb("control-stacks", "core of a GPU", "{} queues with one control stack of 4096 words",
         shared_stacks, 4_000, GPU, small=8, says="control stacks of more than"),
    Bomb("shared-waves", "core of a GPU", "{} queues with one save area", shared_waves, 4_000,
         ("info bomb", "waves --core bomb", "bt --core bomb", "debug --core bomb <<< bt"), small=4),
    Bomb("code-objects", "core of a GPU", "{} code objects of one file",
         lambda count: code_object_list(count, b"file://bomb"), 9_000, GPU, small=20,
         says="--max-code-objects"),
    Bomb("code-object-circle", "core of a GPU", "a circle of {} code objects",
         lambda count: code_object_list(count, b"file:///none", circle=True), 4_000, GPU,
         small=20),
    Bomb("uri-pieces", "core of a GPU", "{} code objects with 4000 segments behind their URI",
         uri_in_pieces, 4_000, GPU, small=2),
    Bomb("values", "state file", "{} empty objects", values, 20_000_000, STATE,
         says="more than 2000000 values"),
    Bomb("nested-json", "state file", "{} arrays in one another", nested, 1_000_000, STATE,
         says="nested too deep"),
    Bomb("waves", "state file", "{} waves", waves, 70_000, STATE, says="--max-waves", small=30),
    Bomb("fills", "state file", "{} adjacent fills of 1 MiB", fills, 100_000, STATE, small=100),
    Bomb("wave-registers", "state file", "{} vector registers of one lane", registers, 900_000,
         STATE, small=400, says="--max-state-bytes"),
    Bomb("lanes", "state file", "{} lanes of vector registers", lanes, 1_900_000, STATE,
         small=6_400),
    Bomb("arrays", "state file", "an array of a megabyte in {} places", named_arrays, 10_000,
         STATE, small=4, says="--max-state-bytes"),
    Bomb("bytes", "state file", "{} bytes that are not adjacent", bytes_apart, 200_000, STATE,
         small=100),
    Bomb("resumed", "state file", "{} bytes that are not adjacent, and a wave to resume", resumed,
         400_000, ("run --state bomb k.co", "waves --state bomb"), small=100),
    Bomb("resumed-waves", "state file", "{} waves with one lane of one register", resumed_waves,
         20_000, ("run --state bomb demo.co",), small=30, says="--max-state-bytes"),
    Bomb("resumed-scratch", "state file", "{} waves whose scratch ends with a byte",
         resumed_scratch, 20_000, ("run --state bomb demo.co",), small=4, says="--max-state-bytes"),
    Bomb("resumed-code", "state file", "a code object of 4 MiB of zeros, loaded {} times",
         resumed_code, 2_000, ("run --state bomb",), small=8, says="--max-state-bytes"),
    Bomb("ranges", "state file", "{} ranges of memory of one byte", bytes_apart, 650_000,
         (*STATE, "run --state bomb"), small=100, says="--max-state-bytes"),
)  # fmt: skip
