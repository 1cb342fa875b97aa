"""State files made to exhaust: each costs as much as it has entries, and a fill no memory."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from dwarfgpu.base.json_reader import Field
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.npy import Npy, npy_bytes
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError
from dwarfgpu.machine.sparse_memory import SparseMemory
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.load_contents import regular_file
from dwarfgpu.machine.state.loaded_state import State
from dwarfgpu.model.storage import Memory
from tests.work import at_most

MEBIBYTE = 1 << 20


def loaded(
    folder: Path,
    memory: list[object],
    of_wave: list[object] | None = None,
    registers: object = None,
    limits: FileLimits = DEFAULT_FILE_LIMITS,
) -> State:
    document = {
        "schema": "dwarfgpu-state-2",
        "architecture": "gfx942",
        "memory": memory,
        "waves": [{"registers": registers or {}, "memory": of_wave or []}],
    }
    path = folder / "s.json"
    path.write_text(json.dumps(document))
    return load_state(path, limits)


def fill(address: int, size_bytes: int, byte: int = 1, **more: object) -> object:
    return {"address": address, "size": size_bytes, "fill": byte, **more}


@pytest.mark.parametrize(
    "memory",
    [
        [fill(0, 1 << 30)],
        [fill(number * MEBIBYTE, MEBIBYTE, number % 200) for number in range(1000)],
        [fill(number * MEBIBYTE, MEBIBYTE, number % 200) for number in range(1000)[::-1]],
        [fill(2 * number * MEBIBYTE, MEBIBYTE) for number in range(1000)],
    ],
    ids=["one of a gigabyte", "neighbours", "neighbours from the end", "apart"],
)
def test_fills_take_no_memory(tmp_path: Path, memory: list[object]) -> None:
    tracemalloc.start()
    try:
        state = loaded(tmp_path, memory)
        where = Memory(state.architecture.address_space(0))
        assert len(state.target.read_memory(where, 3, 100)) == 100
        assert tracemalloc.get_traced_memory()[1] < 8 * MEBIBYTE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("wave_count", [0, 1, 100])
@pytest.mark.parametrize("step", [1, -1])
def test_many_fills_are_linear_work(tmp_path: Path, step: int, wave_count: int) -> None:
    """They are added in the order of their addresses, so that none is put before others, also where
    waves share the memory."""
    memory = [fill(0x1000 * number, 16) for number in range(10_000)][::step]
    each = len(memory) // wave_count if wave_count else 0
    waves = [{"memory": memory[each * n : each * (n + 1)]} for n in range(wave_count)]
    document = {
        "schema": "dwarfgpu-state-2",
        "architecture": "gfx942",
        "memory": [] if waves else memory,
        "waves": waves or [{}],
    }
    path = tmp_path / "s.json"
    path.write_text(json.dumps(document))
    added: list[int] = []
    with at_most(10_000 * 250), pytest.MonkeyPatch.context() as patch:
        add = SparseMemory.add
        patch.setattr(
            SparseMemory, "add", lambda *arguments: (added.append(arguments[1]), add(*arguments))[1]
        )
        state = load_state(path)
    assert added == sorted(added)
    [(_, _, store)] = state.target.memories()
    assert len(store.runs()) == 10_000


def test_more_than_a_gigabyte_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"memory\[1\].size: expected at most 1073741824 bytes"):
        loaded(tmp_path, [fill(0, 1 << 30), fill(1 << 40, 1)])


def test_a_fill_of_the_memory_of_a_lane_is_bounded(tmp_path: Path) -> None:
    """It is in many places: an element of each lane's scratch lies after those of the others."""
    with at_most(20_000_000), pytest.raises(DwarfGpuError, match="in more than 262144 places"):
        loaded(tmp_path, [], [fill(0, 1 << 28, space="private_lane", lane=3)])


@pytest.mark.parametrize("schema", ["dwarfgpu-state-1", "dwarfgpu-state-2"])
def test_elements_of_the_memory_of_lanes_are_counted(tmp_path: Path, schema: str) -> None:
    """Each is kept until those of all lanes are read."""
    ranges = [
        {"space": "private_lane", "lane": lane, "address": 0, "bytes": "00" * 400}
        for lane in range(64)
    ]
    path = tmp_path / "s.json"
    document = {"schema": schema, "architecture": "gfx942", "waves": [{"memory": ranges}]}
    path.write_text(json.dumps(document))
    needed_bytes = 64 * (640 + 100 * 256)
    limits = FileLimits(state_bytes=needed_bytes)
    [(name, _, store)] = load_state(path, limits).target.memories()
    assert (name, store.read(0, 64 * 400)) == ("private_wave", bytes(64 * 400))
    with pytest.raises(LimitExceeded, match="ranges of memory take more than") as raised:
        load_state(path, FileLimits(state_bytes=needed_bytes - 1))
    assert raised.value.option == "--max-state-bytes"
    assert "each element of the memory of a lane counts 256" in raised.value.message
    assert "private_wave" in raised.value.message
    with at_most(30_000), pytest.raises(LimitExceeded):
        load_state(path, FileLimits(state_bytes=needed_bytes // 8))


@pytest.mark.parametrize("is_reversed", [False, True])
def test_the_memory_of_lanes_in_any_order(tmp_path: Path, *, is_reversed: bool) -> None:
    """What follows each other becomes one range: none is inserted before those of others."""
    waves = []
    for wave in range(4):
        ranges = [
            {"space": "private_lane", "lane": lane, "address": 0, "bytes": f"{lane:08x}" * 256}
            for lane in range(64)
        ]
        scratch = {"address": 0x10000 + wave * 0x10000, "size": 0x10000}
        waves.append({"id": wave, "scratch": scratch, "memory": ranges[:: 1 - 2 * is_reversed]})
    path = tmp_path / "s.json"
    path.write_text(json.dumps({
        "schema": "dwarfgpu-state-2", "architecture": "gfx942",
        "waves": waves[:: 1 - 2 * is_reversed],
    }))  # fmt: skip
    [(name, _, store)] = load_state(path).target.memories()
    [(start, data)] = store.runs()
    every_lane = b"".join(lane.to_bytes(4, "big") for lane in range(64))
    assert (name, start, data) == ("", 0x10000, every_lane * 4 * 256)


@pytest.mark.parametrize(
    ("range_", "wrong"),
    [
        ({"space": "private_lane", "lane": 1, "address": 4, "bytes": "0000000001000000"}, 2),
        ({"space": "private_wave", "address": 256 + 4, "bytes": "01"}, 1),
    ],
)
def test_the_memory_of_lanes_contradicts_as_other_memory_does(
    tmp_path: Path, range_: dict[str, object], wrong: int
) -> None:
    ranges = [
        {"space": "private_lane", "lane": lane, "address": 0, "bytes": "00" * 16}
        for lane in range(2)
    ]
    path = tmp_path / "s.json"
    path.write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "gfx942",
        "waves": [{"memory": [*ranges, range_]}],
    }))  # fmt: skip
    with pytest.raises(UsageError, match="private_wave memory at .* is given twice") as raised:
        load_state(path)
    assert f"waves[0].memory[{wrong}]: " in raised.value.message


def test_a_fill_contradicts_as_bytes_do(tmp_path: Path) -> None:
    given = {"address": 4, "bytes": "01010102"}
    with pytest.raises(UsageError, match="global memory at 0x4 is given twice"):
        loaded(tmp_path, [fill(0, 100), given])
    assert loaded(tmp_path, [fill(0, 100), {**given, "bytes": "01010101"}, fill(2, 100)])


def test_more_waves_than_are_read(tmp_path: Path) -> None:
    path = tmp_path / "waves.json"
    start = '{"schema": "dwarfgpu-state-1", "architecture": "gfx1100", "waves": '
    path.write_text(start + json.dumps([{}] * (DEFAULT_FILE_LIMITS.waves + 1)) + "}")
    with (
        at_most(10 * DEFAULT_FILE_LIMITS.waves),
        pytest.raises(LimitExceeded, match="65537 waves, at most 65536"),
    ):
        load_state(path)
    path.write_text(start + json.dumps([{}] * 3) + "}")
    assert len(load_state(path, FileLimits(waves=3)).waves) == 3
    with pytest.raises(LimitExceeded):
        load_state(path, FileLimits(waves=2))


def test_arrays_are_counted_as_often_as_they_are_named(tmp_path: Path) -> None:
    array = npy_bytes(Npy("|u1", (MEBIBYTE,), bytes(MEBIBYTE)))
    (tmp_path / "a.npy").write_bytes(array)
    memory = [{"address": 2 * MEBIBYTE * number, "npy": "a.npy"} for number in range(1_000)]
    tracemalloc.start()
    try:
        with pytest.raises(LimitExceeded, match="take more than 268435456 bytes of memory"):
            loaded(tmp_path, memory)
        assert tracemalloc.get_traced_memory()[1] < 300 * MEBIBYTE
    finally:
        tracemalloc.stop()
    needed = FileLimits(state_bytes=4 * MEBIBYTE + 3 * 640 + 128)
    assert loaded(tmp_path, memory[:3], limits=needed)
    with pytest.raises(LimitExceeded, match="--max-state-bytes"):
        loaded(tmp_path, memory[:4], limits=needed)


def test_ranges_of_memory_are_counted(tmp_path: Path) -> None:
    """Each takes hundreds of bytes besides its own."""
    memory = [{"address": 2 * number, "bytes": "00"} for number in range(1_000)]
    limits = FileLimits(state_bytes=100_000)
    most_ranges = 100_000 // 640
    assert loaded(tmp_path, memory[:most_ranges], limits=limits)
    with (
        at_most(200 * most_ranges + 200_000),
        pytest.raises(
            LimitExceeded, match="ranges of memory take more than 100000 bytes"
        ) as raised,
    ):
        loaded(tmp_path, memory, limits=limits)
    assert raised.value.option == "--max-state-bytes"


def test_registers_are_counted_with_their_bytes(tmp_path: Path) -> None:
    registers = {f"v{number}": [1] for number in range(100)}
    assert loaded(tmp_path, [], registers=registers, limits=FileLimits(state_bytes=76_800))
    with pytest.raises(LimitExceeded, match="--max-state-bytes"):
        loaded(tmp_path, [], registers=registers, limits=FileLimits(state_bytes=76_799))


def test_lists_of_lanes_are_read_whole(tmp_path: Path) -> None:
    """The work is that of some registers, not of all their lanes."""
    registers = {f"v{number}": list(range(64)) for number in range(250)}
    registers["v1"][5] = None
    registers["v2"][3] = "0x11"
    loaded(tmp_path, [], registers=registers)  # what is done once
    with at_most(250 * 190):
        state = loaded(tmp_path, [], registers=registers)
    read = state.target.waves[0]
    assert bytes(read["v0"].data) == b"".join(n.to_bytes(4, "little") for n in range(64))
    assert read["v1"].known == bytearray(b"\xff" * 20 + bytes(4) + b"\xff" * 232)
    assert read["v2"].data[12:16] == b"\x11\0\0\0"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_byte_order_mark_is_ignored(tmp_path: Path, encoding: str) -> None:
    """RFC 8259, 8.1; the shell of Windows writes one."""
    document = {"schema": "dwarfgpu-state-2", "architecture": "gfx942", "waves": [{"id": 7}]}
    path = tmp_path / "s.json"
    path.write_text(json.dumps(document), encoding=encoding)
    assert [wave.id for wave in load_state(path).waves] == [7]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_text_of_another_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "s.json"
    path.write_text("{}", encoding=encoding)
    with pytest.raises(UsageError, match="s.json: not JSON: it is not UTF-8 text; save it as"):
        load_state(path)


@pytest.mark.parametrize(
    "members",
    [
        {"architecture": "a\nb"},
        {"code_objects": [{"path": "a\nb/\r\0"}]},
        {"memory": [{"address": 0, "npy": "a\nb\r"}]},
        {"waves": [{"registers": {"a\nb": 0}}]},
        {"a\nb": 0},
    ],
)
def test_names_of_a_state_end_no_line_of_an_error(
    tmp_path: Path, members: dict[str, object]
) -> None:
    document = {"schema": "dwarfgpu-state-2", "architecture": "gfx942", "waves": [{}]}
    path = tmp_path / "s.json"
    path.write_text(json.dumps(document | members))
    with pytest.raises(DwarfGpuError) as caught:
        load_state(path)
    assert not set("\r\n") & set(str(caught.value))
    assert str(caught.value).count(str(path)) == 1


def test_too_many_code_objects_are_refused(tmp_path: Path) -> None:
    """Each would be opened before the first question."""
    limits = FileLimits(code_objects=2)
    file = tmp_path / "state.json"
    (tmp_path / "k.co").touch()
    document = {"schema": "dwarfgpu-state-1", "architecture": "gfx942", "waves": [{}]}
    for count in 2, 3:
        listed = [{"path": "k.co"}] * count
        file.write_text(json.dumps({**document, "code_objects": listed}))
        if count == 2:
            assert len(load_state(file, limits).code_objects) == 2
        else:
            message = r"3 code objects, at most 2 are read \(--max-code-objects\)"
            with pytest.raises(LimitExceeded, match=message):
                load_state(file, limits)


@pytest.mark.parametrize(
    ("members", "named"),
    [
        ({"code_objects": [{"path": "a/" * 20_000}]}, r"code_objects\[0\].path"),
        ({"memory": [{"address": 0, "npy": "a/../" * 20_000}]}, r"memory\[0\].npy"),
    ],
)
def test_long_paths_are_not_taken_apart(
    tmp_path: Path, members: dict[str, object], named: str
) -> None:
    loaded(tmp_path, [])  # what is done once
    document = {"schema": "dwarfgpu-state-2", "architecture": "gfx942", "waves": [{}]}
    path = tmp_path / "s.json"
    path.write_text(json.dumps(document | members))
    with (
        at_most(10_000),
        pytest.raises(UsageError, match=f"{named}: expected a path of at most 4095 bytes, not "),
    ):
        load_state(path)


def test_only_paths_with_two_dots_are_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of their parts is looked up."""
    resolved: list[Path] = []
    resolve = Path.resolve
    monkeypatch.setattr(Path, "resolve", lambda path: (resolved.append(path), resolve(path))[1])
    for name in "a/" * 500 + "k.co", "a/../k.co":
        document = Field("s.json", "", {"path": name})
        assert regular_file(document["path"], tmp_path).name == "k.co"
    assert resolved == [tmp_path / "a/../k.co"]
