"""`info queue N packets`, `info signal ADDRESS` and the types of the HSA runtime at the prompt."""

from __future__ import annotations

import json
from pathlib import Path
from struct import pack
from typing import Any

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.core.gpu.code_objects import LoadedUri
from dwarfgpu.machine.core.gpu.process_image import dispatch_packet, process_core
from dwarfgpu.machine.core.gpu.state_image import image_of_state
from dwarfgpu.machine.core.write import core_parts, core_state_note
from dwarfgpu.machine.hsa_structures import STRUCTURES
from dwarfgpu.machine.state.load import load_state
from tests.cli.command import STATES, Done, run, validate

STATE = STATES / "dispatch.gfx1100.json"
SIGNAL, DOORBELL, KERNEL = 0x7E00_0000_2040, 0x7E00_0000_2000, 0x7F00_0000_0EC0


def debugged(*commands: str, machine: tuple[object, ...] = ("--state", STATE)) -> Done:
    given = [word for command in commands for word in ("-ex", command)]
    return run("debug", *machine, "--batch", "-nx", "-q", *given)


def answers(command: str, machine: tuple[object, ...]) -> dict[str, Any]:
    done = run("debug", *machine, "--batch", "--interpreter", "json", "-ex", command)
    result: dict[str, Any] = json.loads(done.lines[-1])
    validate(result)
    return result


def core(folder: Path, packets: list[bytes], read: int = 0, write: int | None = None) -> Path:
    """The waves of the dispatch, and a queue with packets."""
    state, path = load_state(STATE), folder / "packets.core"
    objects = [
        CodeObject.open(code_object.path, code_object.load_address)
        for code_object in state.code_objects
    ]
    uris = [
        LoadedUri(f"file://{code_object.file.path}", code_object.load_address)
        for code_object in objects
    ]
    loaded = [
        (loaded_segment.address, loaded_segment.read(0, loaded_segment.size_bytes))
        for code_object in objects
        for loaded_segment in code_object.loaded_segments()
        if not loaded_segment.is_writable
    ]
    image = image_of_state(state.target, {}, uris, loaded).image
    [queue] = image.queues
    queue = evolve(queue, packets=tuple(packets), read_id=read, write_id=write)
    note, ranges = process_core(evolve(image, queues=(queue,)))
    path.write_bytes(b"".join(core_parts([core_state_note(note)], ranges)))
    return path


def barrier(kind: int, *signals: int) -> bytes:
    return pack("<HHI5QQQ", kind | 1 << 8, 0, 0, *signals, *[0] * (5 - len(signals)), 0, 0)


PACKETS = [
    dispatch_packet((256, 1, 1), (64, 1, 1), kernel_object=KERNEL, kernarg_address=0x10,
                    completion_signal=SIGNAL),
    pack("<HHIQ4QQQ", 4, 7, 0, 0x1000, 1, 2, 3, 4, 0, 0),
    barrier(3, SIGNAL, 0x10),
    barrier(5),
    pack("<HB61x", 0, 2),
    pack("<H62x", 1),
    pack("<H62x", 77),
]  # fmt: skip


def test_every_kind_of_packet(tmp_path: Path) -> None:
    lines = debugged("info queue 1 packets", machine=("--core", core(tmp_path, PACKETS))).lines
    first = next(at for at, line in enumerate(lines) if line.split()[:2] == ["PKID", "Type"])
    result = [line[2:].split(maxsplit=1)[1] for line in lines[first + 1 :]]
    assert "kernel dispatch As|Rs 1        diverge, grid [256,1,1], workgroup [64,1,1]" in result[0]
    assert result[0].endswith("arguments 0x10, signals 0x7e0000002040 (value 1)")
    assert result[1].startswith("agent dispatch") and "function 7, arguments 0x1, 0x2" in result[1]
    assert result[1].endswith("result at 0x1000")
    assert result[2].startswith("barrier-AND     B")
    assert result[2].endswith("waits for 0x7e0000002040 (value 1), 0x10 (value ?)")
    assert result[3].startswith("barrier-OR") and result[3].endswith("waits for no signal")
    assert result[4].startswith("vendor specific") and result[4].endswith("format 2")
    assert result[5].startswith("invalid") and result[6].startswith("type 77")


def test_packets_as_data(tmp_path: Path) -> None:
    packets = answers("info queue 1 packets", ("--core", core(tmp_path, PACKETS)))["packets"]
    assert isinstance(packets, list) and [packet["packet"] for packet in packets] == [*range(7)]
    assert packets[0]["kernel"] == "diverge" and packets[0]["dispatch"] == 1
    assert packets[2]["signals"] == [f"{SIGNAL:#x}", "0x10"]
    assert [packet["bytes"] for packet in packets] == [packet.hex() for packet in PACKETS]
    machine = ("--core", core(tmp_path, PACKETS, 5, 5))
    assert answers("info queue 1 packets", machine)["packets"] == []


def test_a_packet_that_cannot_be_read(tmp_path: Path) -> None:
    record = json.loads(STATE.read_text())
    del record["code_objects"], record["memory"]
    for wave in record["waves"]:
        wave["registers"] = {}
    record["queues"][0]["address"] = 0x10_0000
    (tmp_path / "state.json").write_text(json.dumps(record))
    [packet] = answers("info queue packets", ("--state", tmp_path / "state.json"))["packets"]
    assert "type" not in packet and "not in the state" in packet["error"]


def test_only_packets_that_are_not_completed(tmp_path: Path) -> None:
    ring = [pack("<H62x", 1)] * 64
    machine = ("--core", core(tmp_path, ring, 62, 67))
    lines = debugged("info queue 1 packets", machine=machine).lines[-5:]
    assert [line[2:].split()[0] for line in lines] == ["62", "63", "64", "65", "66"]
    machine = ("--core", core(tmp_path, ring, 5, 5))
    assert debugged("info queue 1 packets", machine=machine).lines[-1] == (
        "All packets of queue 1 are completed."
    )


@pytest.mark.parametrize(("read", "write", "count"), [(0, 1 << 60, 64), (9, 3, 0)])
def test_hostile_indexes(tmp_path: Path, read: int, write: int, count: int) -> None:
    ring = [pack("<H62x", 1)] * 64
    done = debugged("info queue 1 packets", machine=("--core", core(tmp_path, ring, read, write)))
    assert f"queue 1 is inconsistent: 64 packets in its ring, read index {read}" in done.err
    assert sum(" invalid " in line for line in done.lines) == count


def test_info_queues_shows_doorbell_and_scratch() -> None:
    [line] = debugged("info queues").lines[-1:]
    assert line.split()[-4:] == [
        "4096", "0x00007e0000001000", "0x00007e0000002000", "0x00007d0000000000",
    ]  # fmt: skip


def test_signals() -> None:
    assert debugged(f"info signal {SIGNAL:#x}").lines[-2:] == [
        f"signal {SIGNAL:#x}: AMD_SIGNAL_KIND_USER", "  value      1",
    ]  # fmt: skip
    assert debugged(f"info signal {DOORBELL:#x}").lines[-3:] == [
        f"signal {DOORBELL:#x}: AMD_SIGNAL_KIND_DOORBELL",
        "  doorbell   <unavailable>",
        "  queue      0x7e0000000000",
    ]
    assert "not in the state" in debugged("info signal 0x123456").err
    assert debugged("info signal 11").lines[-1].startswith("SIGSEGV")
    record = answers(f"info signal {SIGNAL:#x}", ("--state", STATE))["amd-signals"]
    assert isinstance(record, list) and record[0]["value"] == 1


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (
            f"*(amd_signal_t *) {SIGNAL:#x}",
            "{kind = AMD_SIGNAL_KIND_USER, {value = 1, hardware_doorbell_ptr = 0x1}, "
            "event_mailbox_ptr = 0x0, event_id = 0, start_ts = <unavailable>, "
            "end_ts = <unavailable>, queue_ptr = 0x0}",
        ),
        (f"((struct amd_signal_t *) {SIGNAL:#x})->value", "1"),
        ("((amd_queue_t *) 0x7e0000000000)->hsa_queue.doorbell_signal->kind",
         "AMD_SIGNAL_KIND_DOORBELL"),
        ("((hsa_kernel_dispatch_packet_t *) 0x7e0000001000)->grid_size_x", "100"),
    ],
)  # fmt: skip
def test_types_of_the_runtime(expression: str, text: str) -> None:
    assert debugged(f"print {expression}").lines[-1] == f"$1 = {text}"


@pytest.mark.parametrize("name", STRUCTURES)
def test_every_structure_has_its_size(name: str) -> None:
    structure = STRUCTURES[name]
    assert debugged(f"print sizeof({name})").lines[-1] == f"$1 = {structure.size_bytes}"
    ends = [
        member.offset_bytes + member.size_bytes * (member.count or 1)
        for member in structure.members
    ]
    assert max(ends) <= structure.size_bytes


def test_a_program_without_gpus_has_no_such_types() -> None:
    core_file = STATES.parent / "core" / "crash.x86_64.O0.core"
    done = debugged("print sizeof(amd_signal_t)", machine=("--core", core_file))
    assert 'No symbol "amd_signal_t" in current context.' in done.err
