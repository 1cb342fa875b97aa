"""Cores of AMD GPUs that are cut, shifted, hostile or of another runtime."""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from random import Random

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unavailable, Unsupported
from dwarfgpu.machine.core.gpu import code_objects, waves
from dwarfgpu.machine.core.gpu.code_objects import (
    LINK_MAP,
    R_DEBUG,
    gpu_modules,
    loaded_uris,
    parse_uri,
)
from dwarfgpu.machine.core.gpu.core_state_note import MAX_ENTRIES, CoreState
from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
from dwarfgpu.machine.core.gpu.process_image import ProcessImage, process_core
from dwarfgpu.machine.core.gpu.save_area import HEADER, saved_waves
from dwarfgpu.machine.core.gpu.save_area_layout import LAYOUTS, layout_of
from dwarfgpu.machine.core.gpu.wave_status import hardware_range
from dwarfgpu.machine.core.gpu.waves import GpuWaves
from dwarfgpu.machine.core.load import load_core
from dwarfgpu.machine.core.memory import CoreMemory, Range, core_ranges
from dwarfgpu.machine.core.modules import LoadedFile, Where
from dwarfgpu.machine.core.notes import read_core
from dwarfgpu.machine.core.write import LoadedRange, core_parts, core_state_note
from dwarfgpu.model.storage import Memory
from dwarfgpu.objfile.elf import ObjectFile
from tests.dwarf.builder import read_fixture
from tests.machine.cores import Load, core
from tests.machine.gpu_cores import VERSIONS, Machine
from tests.work import assert_linear, at_most


def machine(level: str = "9.4", r_version: int = 10, seed: int = 1) -> ProcessImage:
    made = Machine(Random(seed), r_version)
    made.add_queue(made.add_agent(level))
    return ProcessImage(tuple(made.agents), tuple(made.queues), (), tuple(made.memory), r_version)


def opened(state: CoreState, ranges: list[LoadedRange]) -> GpuTarget:
    data = b"".join(core_parts([core_state_note(state)], ranges))
    dump = read_core(ObjectFile("core", data))
    assert dump.gpu is not None
    memory = CoreMemory(core_ranges(dump.file))
    return GpuTarget(GpuWaves(dump.gpu, memory), memory)


def without(ranges: list[LoadedRange], address: int) -> list[LoadedRange]:
    """Memory without the range that has an address."""
    return [part for part in ranges if not part.address <= address < part.address + len(part.data)]


def test_a_save_area_that_is_not_there() -> None:
    state, ranges = process_core(machine())
    [queue] = state.queues
    target = opened(state, without(ranges, queue.ctx_save_restore_address))
    assert not target.waves
    assert target.gpu.notes[-1].startswith("queue 1, XCC 0: its waves are not read: the context")
    assert "nothing is mapped there" in target.gpu.notes[-1]


@pytest.mark.parametrize("is_idle", [False, True])
def test_a_save_area_without_a_header_or_a_size(is_idle: bool) -> None:
    """As of a queue that never ran: then it has no packet that is not consumed."""
    image = machine()
    [queue] = image.queues
    read_id = queue.write_id if is_idle else queue.read_id
    image = evolve(image, queues=(evolve(queue, read_id=read_id),))
    state, ranges = process_core(image)
    [entry] = state.queues
    area = entry.ctx_save_restore_address
    [part] = [part for part in ranges if part.address == area]
    zeroed = LoadedRange(area, bytes(HEADER.size) + bytes(part.data[HEADER.size :]))
    target = opened(state, [*without(ranges, area), zeroed])
    why = f"the header of the context save area at {area:#x} is all zeros"
    notes = () if is_idle else (f"queue 1, XCC 0: its waves are not read: {why}",)
    assert not target.waves and tuple(target.gpu.notes) == notes
    without_size = evolve(state, queues=(evolve(entry, ctx_save_restore_area_size=0),))
    target = opened(without_size, ranges)
    why = "the size of its context save area is 0 in the note"
    notes = () if is_idle else (f"queue 1: its waves are not read: {why}",)
    assert not target.waves and tuple(target.gpu.notes) == notes


@pytest.mark.parametrize("shift", [4, 8, 12])
@pytest.mark.parametrize("level", VERSIONS)
def test_data_that_a_pipe_has_shifted_is_recognised(level: str, shift: int) -> None:
    state, ranges = process_core(machine(level))
    area = state.queues[0].ctx_save_restore_address
    moved = [
        LoadedRange(part.address, part.data[shift:] + bytes(shift))
        if part.address <= area < part.address + len(part.data)
        else part
        for part in ranges
    ]
    target = opened(state, moved)
    assert not target.waves
    assert any("is inconsistent" in note or "control stack" in note for note in target.gpu.notes)


def test_registers_that_are_cut_off() -> None:
    state, ranges = process_core(machine())
    area = state.queues[0].ctx_save_restore_address
    [data] = [part for part in ranges if part.address <= area < part.address + len(part.data)]
    first = opened(state, ranges).waves[1].saved.start
    kept = LoadedRange(data.address, data.data[: first - data.address + 8], len(data.data))
    target = opened(state, [kept, *(part for part in ranges if part is not data)])
    arch = target.architecture_of(1)
    v0 = arch.register_named("v0")
    assert v0 is not None
    assert target.read_register(1, v0, 0, 8)
    with pytest.raises(Unavailable, match="v0 of wave 1 .*: the core file leaves it out"):
        target.read_register(1, v0)
    assert target.gpu.pc(target.waves[1]) is None
    assert target.model.waves[1].stop_reasons == ()


def test_hardware_registers_that_were_overwritten_with_zeros() -> None:
    """The wave was at 0 and ran no lane, without a word."""
    state, ranges = process_core(machine())
    begin, size_bytes = hardware_range(opened(state, ranges).waves[1].saved)
    for part in ranges:
        if part.address <= begin < part.address + len(part.data):
            data = bytearray(part.data)
            at = begin - part.address
            data[at : at + size_bytes] = bytes(size_bytes)
            ranges[ranges.index(part)] = LoadedRange(part.address, data)
            break
    target = opened(state, ranges)
    pc = target.architecture_of(1).register_named("pc")
    assert pc is not None
    with pytest.raises(Unavailable, match=f"saved at {begin:#x}, are all zeros"):
        target.read_register(1, pc)
    assert target.gpu.pc(target.waves[1]) is None


def test_vgprs_that_were_given_back() -> None:
    """GFX11 and later: STATUS.NO_VGPRS."""
    state, ranges = process_core(machine("11"))
    wave = opened(state, ranges).waves[1]
    at = wave.saved.start + wave.blocks.hardware_at + 5 * 4
    for part in ranges:
        if part.address <= at < part.address + len(part.data):
            data = bytearray(part.data)
            data[at - part.address + 3] |= 1
            ranges[ranges.index(part)] = LoadedRange(part.address, data)
            break
    target = opened(state, ranges)
    v0 = target.architecture_of(1).register_named("v0")
    assert v0 is not None
    with pytest.raises(Unavailable, match="v0 of wave 1: the wave has deallocated its VGPRs"):
        target.read_register(1, v0)


def test_every_reason_why_something_is_unavailable() -> None:
    state, ranges = process_core(machine("11"))
    target = opened(state, ranges)
    arch = target.architecture_of(1)
    last = arch.register_named("v255")
    assert last is not None
    with pytest.raises(Unavailable, match="v255 of wave 1: it is not allocated: the wave has v0"):
        target.read_register(1, last)
    [queue] = state.queues
    target = opened(state, without(ranges, queue.read_pointer_address))
    assert target.model.dispatch_of(1) is None
    assert target.target_id(1).startswith("AMDGPU Wave 1:1:?:1 (")
    scratch = target.gpu.scratch(target.waves[1])
    assert scratch.base is not None  # FLAT_SCRATCH says it


def test_scratch_without_the_queue_is_named() -> None:
    state, ranges = process_core(machine("9.0"))
    target = opened(state, without(ranges, state.queues[0].read_pointer_address))
    arch = target.architecture_of(1)
    with pytest.raises(Unavailable, match="amd_queue_t at 0x.*, which says where it is, is not in"):
        target.read_memory(Memory(arch.address_space(5), 1, 0), 0, 4)


def test_a_wave_without_scratch_is_reported() -> None:
    image = machine("9.4")
    [queue] = image.queues
    groups = tuple(
        tuple(
            evolve(group, waves=tuple(evolve(wave, has_scratch=False) for wave in group.waves))
            for group in xcc
        )
        for xcc in queue.groups
    )
    target = opened(*process_core(evolve(image, queues=(evolve(queue, groups=groups),))))
    arch = target.architecture_of(1)
    with pytest.raises(Unavailable, match="^wave 1 has no scratch memory: its WAVE word"):
        target.read_memory(Memory(arch.address_space(5), 1, 0), 0, 4)


def test_an_unknown_processor_or_gpu_is_one_note() -> None:
    state, ranges = process_core(machine())
    [agent] = state.agents
    target = opened(evolve(state, agents=(evolve(agent, gfx_target_version=130000),)), ranges)
    assert target.gpu.notes[-1] == (
        "queue 1: its waves are not read: by NT_AMDGPU_CORE_STATE, GPU 1000 is the unknown gfx1300 "
        "(gfx_target_version 130000)"
    )
    target = opened(evolve(state, agents=(evolve(agent, gfx_target_version=70000),)), ranges)
    assert target.gpu.notes[-1] == "queue 1: its waves are not read: the save areas of gfx700"
    target = opened(evolve(state, agents=(evolve(agent, gpu_id=7),)), ranges)
    assert target.gpu.notes[-1] == "queue 1: the note lists no GPU 1000"
    target = opened(evolve(state, agents=(evolve(agent, num_xcc=1 << 31),)), ranges)
    assert "XCCs, more than 64" in target.gpu.notes[-1]
    assert not target.waves


def test_gpus_that_no_code_object_is_for() -> None:
    made = Machine(Random(1))
    for level in ("9.4", "9.0.a", "11"):
        made.add_queue(made.add_agent(level))
    gfx942, gfx1100 = (read_fixture(f"hip/nest.{name}.O2.v5.co") for name in ("gfx942", "gfx1100"))
    generic = bytearray(gfx942)
    generic[48] = 0x51  # gfx9-generic

    def noted(*contents: bytes) -> list[str]:
        files = [LoadedFile("it", ObjectFile("it", data), 0) for data in contents]
        loaded = code_objects.GpuModules((), tuple(files))
        notes = code_objects.contradicted_agents(made.agents, loaded)
        return [note.split(":")[0] for note in notes]

    assert noted(gfx942, gfx1100) == ["GPU 1001"]
    assert noted(bytes(generic), gfx1100) == noted() == []


def test_a_runtime_that_is_not_known() -> None:
    state, ranges = process_core(evolve(machine(), r_version=13))
    target = opened(state, ranges)
    assert (
        target.waves and "version 13 of the runtime's r_debug is unknown" in (target.gpu.notes[0])
    )
    target = opened(state, without(ranges, state.runtime.r_debug))
    assert (
        target.waves
        and "is not in the core file: its version is assumed to be 10" in (target.gpu.notes[0])
    )


def test_a_dispatch_that_the_queue_does_not_have_is_unknown() -> None:
    image = machine()
    [queue] = image.queues
    state, ranges = process_core(evolve(image, queues=(evolve(queue, read_id=9, write_id=9),)))
    target = opened(state, ranges)
    assert target.model.dispatch_of(1) is None and not target.model.dispatches
    assert ":?:1 (" in target.target_id(1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([0, 0, 0x1800], "word 2 of the control stack is a wave without a STATE word before it"),
        ([0, 0, 0x80000000, 0, 0x800], "word 4 of the control stack is a wave of no workgroup"),
        ([0, 0, 0x80000000, 0, 0x1000] * 2, "more than the wave area has left"),
        ([0, 0, 0x80000000, 0, 0x20001000], "leave 4096 bytes of the wave area unused"),
        ([0, 0], "the 0 waves of the control stack leave"),
    ],
)
def test_hostile_control_stacks(words: list[int], message: str) -> None:
    layout = layout_of(110000)
    blocks = saved_waves(layout, [0, 0, 0x80000000, 0, 0x20001000], 0, 1664)[0].blocks
    assert blocks.lds_at == 1664
    with pytest.raises(Malformed, match=message):
        saved_waves(layout, words, 0x1000, 0x1000 + 1664 + (4096 if "4096" in message else 0))


def test_events_are_not_waves() -> None:
    layout = layout_of(110000)
    words = [0, 0, 1 << 30, 0x80000000, 0, 1 << 30 | 5, 0x20001000]
    assert len(saved_waves(layout, words, 0, 1664)) == 1


def test_more_waves_than_allowed() -> None:
    state, ranges = process_core(machine())
    memory = CoreMemory(
        core_ranges(ObjectFile("core", b"".join(core_parts([core_state_note(state)], ranges))))
    )
    with pytest.raises(LimitExceeded, match="more than 1 wave;"):
        GpuWaves(state, memory, most_waves=1)


def test_opening_reads_no_wave(monkeypatch: pytest.MonkeyPatch) -> None:
    """The note, the runtime's version, indices, twice, the ring, and of each XCC a header and a
    control stack."""
    made = Machine(Random(1))
    agent = made.add_agent("9.4", num_xcc=3)
    made.add_queue(agent, 20)
    data, reads = made.made().data, []
    dump = read_core(ObjectFile("core", data))
    assert dump.gpu is not None
    memory = CoreMemory(core_ranges(dump.file))
    read = memory.read
    monkeypatch.setattr(memory, "read", lambda *asked: reads.append(asked) or read(*asked))
    waves = GpuWaves(dump.gpu, memory).waves
    assert len(waves) > 60
    assert len(reads) == 1 + 3 * 2 + 2 * 2 + 2


URIS = [
    ("file:///opt/a%20b.so#offset=0x10&size=020", (b"/opt/a b.so", 16, 16)),
    ("file:///opt/a.so?offset=8", (b"/opt/a.so", 8, None)),
    ("file:///opt/a.so", (b"/opt/a.so", 0, None)),
    ("file:///opt/\udcb5%b5.so", (b"/opt/\xb5\xb5.so", 0, None)),  # a byte that is not UTF-8
    ("memory://47#offset=0x7f00&size=9", (None, 0x7F00, 9)),
]


@pytest.mark.parametrize(("text", "parts"), URIS)
def test_uris(text: str, parts: tuple[bytes | None, int, int | None]) -> None:
    uri = parse_uri(text)
    assert (uri.path, uri.offset, uri.size_bytes) == parts


@pytest.mark.parametrize(
    "text",
    ["http://x", "file:///x#offset=q", "file:///x#offset=1&offset=2", "memory://1#offset=1",
     "file:///x#offset=09", "file:///x#other=1", "", "memory://1"],
)  # fmt: skip
def test_wrong_uris(text: str) -> None:
    with pytest.raises(Malformed):
        parse_uri(text)


def listed(*entries: tuple[int, int, int], state: int = 0, uri: bytes = b"file:///x") -> CoreMemory:
    """A list of (load address, address of the name, next entry), at 0x1000 and every 0x100."""
    data = bytearray(0x1000)
    struct.pack_into("<i4xQQi4xQ", data, 0, 10, 0x1100 if entries else 0, 0, state, 0)
    for index, (load_address, name, after) in enumerate(entries, 1):
        struct.pack_into("<5Q", data, 0x100 * index, load_address, name, 0, after, 0)
    data[0xF00 : 0xF01 + len(uri)] = uri + b"\0"
    core = b"".join(core_parts([], [LoadedRange(0x1000, data)]))
    return CoreMemory(core_ranges(ObjectFile("core", core)))


@pytest.mark.parametrize(
    ("memory", "count", "message"),
    [
        (listed((1, 0x1F00, 0x1200), (2, 0x1F00, 0)), 2, None),
        (listed((1, 0x1F00, 0x1200), (2, 0x1F00, 0x1100)), 2, "is circular: 0x1100 occurs twice"),
        (listed((1, 0x1F00, 0x9000)), 1, "is incomplete: cannot access memory at address 0x9000"),
        (listed((1, 0x9000, 0)), 0, "the URI at 0x9000 is not in the core file"),
        (listed((1, 0x1FFF, 0), state=1), 0, "was being changed (r_state 1)"),
    ],
)
def test_lists_of_code_objects(memory: CoreMemory, count: int, message: str | None) -> None:
    result, notes = loaded_uris(memory, 0x1000)
    assert len(result) == count
    assert (message is None and not notes) or (message is not None and message in notes[0])


def test_random_damage_does_not_crash(tmp_path: Path) -> None:
    """Whatever is damaged, an error of dwarfgpu or a core comes out, and its waves can be asked."""
    random = Random(7)
    path = tmp_path / "core"
    for level in VERSIONS:
        made = Machine(Random(level))
        made.add_queue(made.add_agent(level))
        whole = made.made().data
        for _ in range(12):
            data = bytearray(whole)
            for _ in range(random.randint(1, 6)):
                at = random.randrange(min(len(data), 0x2000))
                data[at] = random.randrange(256)
            path.write_bytes(data[: random.randint(len(data) // 2, len(data))])
            try:
                core = load_core(path)
                for number in core.numbers[:3]:
                    core.pc_of(number)
                    core.target_id(number)
                    core.architecture_of(number)
            except DwarfGpuError:
                continue


def test_levels_are_known() -> None:
    assert set(VERSIONS) == set(LAYOUTS)
    for level, version in VERSIONS.items():
        assert layout_of(version).level == level
    with pytest.raises(Unsupported, match="gfx803"):
        layout_of(80003)


def test_a_note_of_too_many_entries_is_refused() -> None:
    state, ranges = process_core(machine())
    for many in (
        evolve(state, agents=state.agents * (MAX_ENTRIES + 1)),
        evolve(state, queues=state.queues * (MAX_ENTRIES + 1)),
    ):
        data = b"".join(core_parts([core_state_note(many)], ranges))
        dump = read_core(ObjectFile("core", data))
        assert dump.gpu is None
        assert "at most 4096 are read" in str(dump.problems[0])


def test_queues_that_share_a_long_control_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of all of them count."""
    state, ranges = process_core(machine())
    once = opened(state, ranges)
    words = sum(
        HEADER.unpack(once.memory.read(queue.ctx_save_restore_address, HEADER.size))[1] // 4
        for queue in state.queues
    )
    monkeypatch.setattr(waves, "MAX_WORDS", 3 * words)
    target = opened(evolve(state, queues=state.queues * 5), ranges)
    assert len(target.waves) == 3 * len(once.waves)
    assert [note for note in target.gpu.notes if "control stacks of more than" in note] == [
        f"queue {number}, XCC 0: its waves are not read: control stacks of more than "
        f"{3 * words} words in all"
        for number in (4, 5)
    ]


def test_the_notes_of_broken_queues_end(monkeypatch: pytest.MonkeyPatch) -> None:
    state, ranges = process_core(machine())
    monkeypatch.setattr(waves, "MAX_NOTES", 10)
    area = state.queues[0].ctx_save_restore_address
    target = opened(evolve(state, queues=state.queues * 50), without(ranges, area))
    assert target.gpu.notes[-1].endswith("and those after it are not read")
    assert len(target.gpu.notes) < 20


def test_queues_find_their_gpu_at_once() -> None:
    def asked(count: int) -> Callable[[], object]:
        state, ranges = process_core(machine())
        agents = tuple(evolve(state.agents[0], gpu_id=number) for number in range(count))
        queues = (evolve(state.queues[0], gpu_id=count - 1, queue_type=0),) * count
        return lambda: opened(evolve(state, agents=agents, queues=queues), ranges)

    assert_linear(asked, 200)


def test_a_uri_is_read_of_one_range() -> None:
    """Not of every small range behind it."""

    def asked(count: int) -> Callable[[], object]:
        letters = [LoadedRange(0x2000, b"file:///x\0")]
        letters += [LoadedRange(0x200A + at, b"y") for at in range(4_000)]
        entries = [0x10_0000 + R_DEBUG.size + LINK_MAP.size * number for number in range(count)]
        links = zip(entries, [*entries[1:], 0], strict=True)
        data = R_DEBUG.pack(10, entries[0], 0, 0, 0)
        data += b"".join(LINK_MAP.pack(0, 0x2000, 0, after, 0) for _, after in links)
        memory = CoreMemory(core_ranges(ObjectFile("core", b"".join(
            core_parts([], [LoadedRange(0x10_0000, data), *letters])
        ))))  # fmt: skip
        return lambda: loaded_uris(memory, 0x10_0000)

    search = asked(20)
    with at_most(2_000):
        search()


def test_a_file_of_many_uris_is_mapped_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However they write its name: each mapped file is an open one."""
    (tmp_path / "x").write_bytes(b"no ELF file")
    mapped: list[object] = []
    real = code_objects.map_file
    monkeypatch.setattr(code_objects, "map_file", lambda path: (mapped.append(path), real(path))[1])
    memory = listed((1, 0x1F00, 0x1200), (2, 0x1F00, 0x1300), (3, 0x1F00, 0), uri=b"file:////./x")
    modules = gpu_modules(memory, 0x1000, Where(sysroot=str(tmp_path)), {})
    assert (len(modules.missing), len(mapped)) == (3, 1)


def test_where_segments_overlap_the_memory_is_unknown() -> None:
    """One of the contents is wrong, and nothing says which."""
    outer, inner = LoadedRange(0x1000, b"a" * 64), LoadedRange(0x1010, b"b" * 8)
    across = LoadedRange(0x1030, b"c" * 32)
    for parts in permutations((outer, inner, across)):
        data = b"".join(core_parts([], parts))
        memory = CoreMemory(core_ranges(ObjectFile("core", data)))
        assert memory.known(0x1000, 80) == [(0, b"a" * 16), (24, b"a" * 24), (64, b"c" * 16)]
        with pytest.raises(Unavailable, match="0x1030: several segments of the core file have it"):
            memory.read(0x1020, 32)
        program = ObjectFile("mapped", core([], [Load(0, b"m" * 0x100)]))
        mapped = Range(0x1000, 0x1100, program, program.size_bytes - 0x100)
        below = CoreMemory(core_ranges(ObjectFile("core", data)), [mapped])
        assert below.known(0x1010, 8) == []
        assert below.read(0x1060, 4) == b"mmmm"


def test_memory_of_many_segments_is_one_range() -> None:
    """However many begin and end in it."""
    count = 100
    loads = [Load(0x1000 + at, b"x" * 64) for at in range(count)]
    ranges = core_ranges(ObjectFile("core", core([], loads)))
    shared = [(one.start, one.end) for one in ranges if one.why.startswith("more than ")]
    ((start, end),) = shared
    assert start - loads[0].address == loads[-1].address + 64 - end


def test_segments_of_the_same_bytes_agree() -> None:
    """What one leaves out may be in another one, in any order."""
    loads = (Load(0x1000, b"abcdefgh"), Load(0x1002, b"wxyz"), Load(0x0FF8, b"", 64))
    for order in permutations(range(3)):
        data = bytearray(core([], [loads[number] for number in order]))
        row = 64 + 56 * (1 + order.index(1))  # the second has bytes of the first
        struct.pack_into("<Q", data, row + 8, data.index(b"cdef"))
        memory = CoreMemory(core_ranges(ObjectFile("core", bytes(data))))
        assert memory.read(0x1000, 8) == b"abcdefgh"
        for address in (0x0FFF, 0x1008):
            with pytest.raises(Unavailable, match=f"{address:#x}: the core file leaves it out"):
                memory.read(address, 1)


def test_segments_that_overlap_are_compared() -> None:
    """GDB's gcore on QEMU writes a segment for each section, also for .tbss, whose addresses are
    those of the sections after it."""
    sections = (Load(0x1000, b"abcdefgh"), Load(0x1000, b"abc"), Load(0x1002, b"cdeXghij"))
    for order in permutations(sections):
        memory = CoreMemory(core_ranges(ObjectFile("core", core([], order))))
        assert memory.known(0x1000, 16) == [
            (0, b"ab"),
            (2, b"c"),
            (3, b"de"),
            (6, b"gh"),
            (8, b"ij"),
        ]
        assert (memory.read(0x1000, 5), memory.read(0x1006, 4)) == (b"abcde", b"ghij")
        assert bytes(memory.window(0x1003, 2)) == b"de"
        with pytest.raises(Unavailable, match="0x1005: several segments of the core file have it"):
            memory.read(0x1000, 8)


def test_of_many_segments_at_an_address_none_is_read() -> None:
    """Or a byte would cost as many reads as a hostile core has segments."""

    def asked(count: int) -> Callable[[], object]:
        memory = CoreMemory(core_ranges(ObjectFile("core", core([], [Load(0x1000, b"x")] * count))))
        return lambda: memory.known(0x1000, 1)

    assert asked(8)() == [(0, b"x")]
    assert asked(9)() == []
    question = asked(5_000)
    with at_most(50):
        question()


def test_many_segments_that_overlap_are_linear_work() -> None:
    def work(count: int) -> Callable[[], object]:
        loads = [Load(0x1000 + number, b"x" * 4) for number in range(count)]
        loads += [Load(0x1000 + number, b"", 8) for number in range(count)]
        data = core([], [Load(0x800, b"", 1 << 20), *loads])
        return lambda: core_ranges(ObjectFile("core", data))

    assert_linear(work, 1_000)
