"""State files: what is read, what is refused and how, hostile files."""

from __future__ import annotations

import json
import os
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwarfgpu.errors import Unavailable, UsageError
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.loaded_state import State
from dwarfgpu.model.storage import Memory
from tests.cli.command import REPOSITORY, STATES, validator

Json = Any
MINIMAL: dict[str, Json] = {
    "schema": "dwarfgpu-state-1",
    "architecture": "gfx942",
    "waves": [{}],
}


def write(folder: Path, document: Json) -> Path:
    path = folder / "state.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
    return path


def load(folder: Path, **members: Json) -> State:
    return load_state(write(folder, {**MINIMAL, **members}))


def loaded(folder: Path, wave: Json, architecture: str = "gfx942") -> State:
    return load(folder, waves=[wave], architecture=architecture)


def register(
    state: State, name: str, offset_bytes: int = 0, size_bytes: int | None = None
) -> bytes:
    result = state.architecture.register_named(name)
    assert result is not None
    return state.target.read_register(0, result, offset_bytes, size_bytes)


def memory(state: State, space: str, address: int, size_bytes: int, **where: int) -> bytes:
    result = state.architecture.address_space_named(space)
    assert result is not None
    return state.target.read_memory(Memory(result, **{"wave": 0, **where}), address, size_bytes)


@pytest.mark.parametrize(
    ("name", "given_as", "expected"),
    [
        ("s4", 1, "01000000"),
        ("s4", "0x10", "10000000"),
        ("s4", "0b11", "03000000"),
        ("s4", "-1", "ffffffff"),
        ("s4", -(2**31), "00000080"),
        ("s4", 2**32 - 1, "ffffffff"),
        ("s4", {"bytes": "0a0b0c0d"}, "0a0b0c0d"),
        ("s4", {"bytes": "0a 0b\n0c 0D"}, "0a0b0c0d"),
        ("exec", "0xffff0000ffff0000", "0000ffff0000ffff"),
        ("v3", list(range(64)), b"".join(n.to_bytes(4, "little") for n in range(64)).hex()),
        ("v3", ["-1"] * 64, "ff" * 256),
        ("v3", {"bytes": "11" * 256}, "11" * 256),
        ("pc", "0x1600", "0016000000000000"),
    ],
)
def test_a_register(tmp_path: Path, name: str, given_as: Json, expected: str) -> None:
    assert register(loaded(tmp_path, {"registers": {name: given_as}}), name).hex() == expected


def test_halves_of_a_register(tmp_path: Path) -> None:
    state = loaded(tmp_path, {"registers": {"VCC_LO": 7, "m0": 1, "exec_hi": -1, "ttmp4": 2}})
    assert register(state, "vcc", 0, 4).hex() == "07000000"
    assert register(state, "exec", 4, 4).hex() == "ffffffff"
    assert register(state, "m0").hex() == "01000000"
    with pytest.raises(Unavailable, match="register vcc of wave 0 is not in the state, bytes 4 to"):
        register(state, "vcc")


def test_bytes_of_halves(tmp_path: Path) -> None:
    halves: dict[str, object] = {
        "vcc_lo": {"bytes": "01020304"},
        "vcc_hi": {"bytes": "05 ?? 07 %0000????"},
        "exec_lo": {"bytes": "????????"},
        "exec_hi": {"bytes": "0a0b0c0d"},
        "flat_scratch_lo": {"bytes": "??00????"},
    }
    state = loaded(tmp_path, {"registers": halves})
    assert register(state, "vcc", 0, 5) == b"\1\2\3\4\5"
    assert register(state, "vcc", 6, 1) == b"\7"
    assert register(state, "exec", 4, 4) == b"\x0a\x0b\x0c\x0d"
    assert register(state, "flat_scratch", 1, 1) == b"\0"
    for name, offset_bytes in (
        ("vcc", 5),
        ("vcc", 7),
        ("exec", 0),
        ("exec", 3),
        ("flat_scratch", 0),
    ):
        with pytest.raises(Unavailable, match="is not in the state"):
            register(state, name, offset_bytes, 1)


@pytest.mark.parametrize("data", ["010203", "0102030405060708", "??"])
def test_bytes_of_halves_are_all_of_them(tmp_path: Path, data: str) -> None:
    message = "registers.vcc_lo.bytes: expected 4 bytes for register vcc_lo"
    with pytest.raises(UsageError, match=message):
        loaded(tmp_path, {"registers": {"vcc_lo": {"bytes": data}}})


@pytest.mark.parametrize("names", [("vcc", "vcc_lo"), ("vcc_lo", "vcc"), ("vcc_lo", "VCC_LO")])
def test_no_byte_of_a_register_twice(tmp_path: Path, names: tuple[str, str]) -> None:
    message = f"waves\\[0\\].registers.{names[1]}: .*{names[1]} is given twice"
    with pytest.raises(UsageError, match=message):
        loaded(tmp_path, {"registers": dict.fromkeys(names, 1)})


def test_what_is_not_given_is_not_known(tmp_path: Path) -> None:
    state = loaded(tmp_path, {"registers": {"v3": [1, None, 3]}})
    assert register(state, "v3", 0, 4) == b"\1\0\0\0"
    assert register(state, "v3", 8, 4) == b"\3\0\0\0"
    for name, offset_bytes, size_bytes in [
        ("v3", 4, 4), ("v3", 0, 12), ("v3", 12, 4), ("v3", 0, None), ("v4", 0, 4), ("exec", 0, 8),
    ]:  # fmt: skip
        with pytest.raises(Unavailable, match="is not in the state"):
            register(state, name, offset_bytes, size_bytes)
    with pytest.raises(Unavailable, match="not in the state"):
        memory(state, "global", 0, 1)


def test_memories_that_show_the_same_are_one_store(tmp_path: Path) -> None:
    entry = {"space": "private_lane", "lane": 3, "address": 0x10, "bytes": "0a0b0c0d0e0f1011"}
    state = loaded(tmp_path, {"memory": [entry]})
    assert memory(state, "private_lane", 0x10, 8, lane=3).hex() == "0a0b0c0d0e0f1011"
    assert memory(state, "private_wave", 0x40C, 4).hex() == "0a0b0c0d"
    assert memory(state, "private_wave", 0x50C, 4).hex() == "0e0f1011"
    assert memory(state, "generic", 0x2_0000_0000_0011, 2, lane=3).hex() == "0b0c"
    with pytest.raises(Unavailable):
        memory(state, "private_lane", 0x10, 4, lane=2)


def test_local_memory_belongs_to_a_workgroup(tmp_path: Path) -> None:
    local = {"space": "local", "address": 0, "bytes": "11"}
    waves = [{"workgroup": 5, "memory": [local]}, {"workgroup": 5}, {"workgroup": 6}, {}]
    state = load(tmp_path, waves=waves)
    assert memory(state, "local", 0, 1, wave=1) == b"\x11"
    for wave in (2, 3):
        with pytest.raises(Unavailable):
            memory(state, "local", 0, 1, wave=wave)


def test_code_objects_are_relative_to_the_file(tmp_path: Path) -> None:
    objects = [{"path": "a/k.co", "load_address": "0x1000"}, {"path": "/k.co"}]
    state = load(tmp_path, code_objects=objects)
    result = [
        (str(code_object.path), code_object.load_address) for code_object in state.code_objects
    ]
    assert result == [(str(tmp_path / "a/k.co"), 0x1000), ("/k.co", 0)]


def test_a_code_object_is_neither_a_circle_of_links_nor_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    os.mkfifo(tmp_path / "pipe")
    for name in ("circle", "pipe"):
        with pytest.raises(UsageError, match=rf"code_objects\[0\].path: expected .*{name}"):
            load(tmp_path, code_objects=[{"path": name}])


def test_a_state_is_not_a_named_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match=r"pipe cannot be read: it is not a regular file"):
        load_state(tmp_path / "pipe")


def test_numbers_of_waves(tmp_path: Path) -> None:
    state = load(tmp_path, waves=[{"id": 7, "pc": "0x10"}, {}, {"id": "0x20", "cfa": 5}])
    assert [(wave.wave, wave.pc, wave.cfa) for wave in state.waves] == [
        (7, 0x10, None), (1, None, None), (32, None, 5),
    ]  # fmt: skip


def test_a_wave_size(tmp_path: Path) -> None:
    assert load(tmp_path, architecture="gfx1100", wave_size=64).architecture.lane_count == 64
    assert load(tmp_path, architecture="gfx1100").architecture.lane_count == 32


def wave(**members: Json) -> dict[str, Json]:
    return {**MINIMAL, "waves": [members]}


LONG = "v" + "9" * 29 + "…" + "9" * 30
"""How a message has a name of 1000 characters."""


def with_register(name: str, value: Json) -> dict[str, Json]:
    return wave(registers={name: value})


def with_memory(**members: Json) -> dict[str, Json]:
    return wave(memory=[members])


def without(name: str) -> dict[str, Json]:
    return {key: value for key, value in MINIMAL.items() if key != name}


LOCAL = {"space": "local", "address": 0, "bytes": "00"}

BROKEN: list[tuple[Json, str]] = [
    ("", "not JSON: Expecting value at line 1 column 1"),
    ("{", "not JSON: "),
    ('{"schema', "not JSON: Unterminated string starting at line 1 column 2"),
    ('{"a": 1,\n "a" 2}', "at line 2 column 6"),
    ("[" * 100_000, "arrays or objects are nested too deep"),
    ("1" * 5_000, "a number has more digits than are read"),
    ("[]", "document: expected an object, not []"),
    ("null", "document: expected an object, not null"),
    ("NaN", "document: expected an object, not NaN"),
    (without("schema"), "document: expected an object with a member 'schema'"),
    (without("architecture"), "document: expected an object with a member 'architecture'"),
    (without("waves"), "document: expected an object with a member 'waves'"),
    ({**MINIMAL, "schema": "dwarfgpu-state-3"},
     'schema: expected one of dwarfgpu-state-1, dwarfgpu-state-2, not "dwarfgpu-state-3"'),
    ({**MINIMAL, "schema": None},
     "schema: expected one of dwarfgpu-state-1, dwarfgpu-state-2, not null"),
    ({**MINIMAL, "architecture": "gfx0"}, "architecture: unknown architecture gfx0"),
    ({**MINIMAL, "architecture": 942}, "architecture: expected a string, not 942"),
    ({**MINIMAL, "architecture": "gfx\n0"}, "architecture: "),
    ({**MINIMAL, "wave_size": 48}, "wave_size: "),
    ({**MINIMAL, "wave_size": 32}, "wave_size: "),
    ({**MINIMAL, "wave_size": 65}, "wave_size: expected an integer of at least 1"),
    ({**MINIMAL, "wave_size": "all"}, 'wave_size: expected an integer, not "all"'),
    ({**MINIMAL, "color": 1}, "document: unknown member 'color'; known: schema, note, "),
    ({**MINIMAL, "waves": {}}, "waves: expected an array, not {}"),
    ({**MINIMAL, "waves": []}, "waves: expected at least one wave, not []"),
    ({**MINIMAL, "waves": [1]}, "waves[0]: expected an object, not 1"),
    ({**MINIMAL, "waves": [{}, {"id": 0}]},
     "waves[1].id: expected a wave id that no other wave has, not 0"),
    ({**MINIMAL, "waves": [{"id": 1}, {}]}, "waves[1]: "),
    (wave(id=-1), "waves[0].id: expected an integer of at least 0 and at most 0xff"),
    (wave(id=2**64), "waves[0].id: expected an integer of at least 0 and at most 0xff"),
    ({**MINIMAL, "note": {"x": 1}}, 'note: expected a string, not {"x": 1}'),
    (wave(id=1.0), "waves[0].id: expected an integer, not 1.0"),
    (wave(id=True), "waves[0].id: expected an integer, not true"),
    (wave(pc="here"), 'waves[0].pc: expected an integer, not "here"'),
    (wave(pc=-1),
     "waves[0].pc: expected an integer of at least 0 and at most 0xffffffffffffffff, not -1"),
    (wave(pc=2**64),
     "waves[0].pc: expected an integer of at least 0 and at most 0xffffffffffffffff, not 184"),
    (wave(cfa="-1"), "waves[0].cfa: expected an integer of at least 0 and at most 0xffff"),
    (wave(workgroup="a"), 'waves[0].workgroup: expected an integer, not "a"'),
    (wave(regs={}), "waves[0]: unknown member 'regs'; known: id, workgroup, "),
    (wave(registers=[]), "waves[0].registers: expected an object, not []"),
    (with_register("v" + "9" * 999, 0),
     f"waves[0].registers.{LONG}: gfx942 has no register {LONG}"),
    (wave(**{"v" + "9" * 999: 0}), f"waves[0]: unknown member '{LONG}'; known: id, "),
    ({**MINIMAL, "architecture": "v" + "9" * 999}, f"architecture: unknown architecture {LONG}"),
    (with_register("q1", 0), "waves[0].registers.q1: gfx942 has no register q1"),
    (with_register("s4", 2**32), "waves[0].registers.s4: expected an integer of at least "
     "-0x80000000 and at most 0xffffffff, not 4294967296"),
    (with_register("s4", None), "waves[0].registers.s4: expected an integer, not null"),
    (with_register("s4", "1e3"), 'waves[0].registers.s4: expected an integer, not "1e3"'),
    (with_register("s4", [1]),
     "waves[0].registers.s4: expected one integer: register s4 has no lanes, not [1]"),
    (with_register("s4", {"hex": "00"}), "waves[0].registers.s4: unknown member 'hex'"),
    (with_register("s4", {"bytes": "0"}),
     'waves[0].registers.s4.bytes: expected bytes in hex, two digits each, not "0"'),
    (with_register("s4", {"bytes": "0011"}),
     'waves[0].registers.s4.bytes: expected 4 bytes for register s4, not "0011"'),
    (with_register("v3", [0] * 65),
     "waves[0].registers.v3: expected at most 64 lanes of register v3, not [0, 0, "),
    (with_register("v3", [0, "x"]), 'waves[0].registers.v3[1]: expected an integer, not "x"'),
    (with_register("v3", [2**32]), "waves[0].registers.v3[0]: expected an integer of at least "),
    (with_register("v3", [[1]]), "waves[0].registers.v3[0]: expected an integer, not [1]"),
    (wave(memory={}), "waves[0].memory: expected an array, not {}"),
    (with_memory(address=0), "waves[0].memory[0]: expected an object with a member 'bytes'"),
    (with_memory(bytes="00"), "waves[0].memory[0]: expected an object with a member 'address'"),
    (with_memory(address=-1, bytes="00"), "waves[0].memory[0].address: expected an integer of at"),
    (with_memory(address=0, bytes=0), "waves[0].memory[0].bytes: expected bytes in hex"),
    (with_memory(address=0, bytes="0g"), "waves[0].memory[0].bytes: expected bytes in hex"),
    (with_memory(**LOCAL, size=1), "waves[0].memory[0]: unknown member 'size'"),
    (with_memory(space="vram", address=0, bytes="00"),
     "waves[0].memory[0].space: expected an address space of gfx942 (global, generic, "),
    (with_memory(space="private_lane", address=0, bytes="00"),
     "waves[0].memory[0]: expected a member 'lane': private_lane memory belongs to a lane"),
    (with_memory(space="private_lane", lane=64, address=0, bytes="00"),
     "waves[0].memory[0].lane: expected an integer of at least 0 and at most 63, not 64"),
    (with_memory(space="region", address=0, bytes="00"), "waves[0].memory[0]: "),
    (with_memory(space="local", address=2**32 - 1, bytes="0000"), "waves[0].memory[0]: "),
    (with_memory(space="local", address=2**70, bytes="00"), "waves[0].memory[0]: "),
    (with_memory(address=2**64 - 1, bytes="0000"), "waves[0].memory[0]: "),
    (wave(memory=[LOCAL, {**LOCAL, "bytes": "01"}]),
     "waves[0].memory[1]: local memory at 0x0 is given twice, with other contents"),
    ({**MINIMAL, "memory": [LOCAL]},
     "memory[0]: expected global memory here; local memory belongs to a wave"),
    ({**MINIMAL, "code_objects": [{}]},
     "code_objects[0]: expected an object with a member 'path'"),
    ({**MINIMAL, "code_objects": [{"path": "a", "load_address": -1}]},
     "code_objects[0].load_address: expected an integer of at least 0 and at most "
     "0xffffffffffffffff, not -1"),
    ({**MINIMAL, "code_objects": [{"path": "a\0b"}]},
     'code_objects[0].path: expected the path of a file, not "a\\u0000b"'),
    ({**MINIMAL, "code_objects": [{"path": "\ud800"}]},
     'code_objects[0].path: expected the path of a file, not "\\ud800"'),
    ({**MINIMAL, "code_objects": [{"path": "a" * 500}]},
     'code_objects[0].path: expected the path of a file, not "aaa'),
    ({**MINIMAL, "code_objects": [{"path": "a" * 5000}]},
     'code_objects[0].path: expected a path of at most 4095 bytes, not "aaa'),
    ({**MINIMAL, "code_objects": [{"path": "."}]},
     'code_objects[0].path: expected the path of a regular file, not "."'),
    ({**MINIMAL, "code_objects": [{"path": "/dev/zero"}]},
     'code_objects[0].path: expected the path of a regular file, not "/dev/zero"'),
    (wave(pc=1, registers={"pc": 2}),
     "waves[0].pc: expected the program location here or among the registers, once, not 1"),
    (wave(pc="\u0663"), "waves[0].pc: expected an integer, not "),
    (wave(pc="1_0"), 'waves[0].pc: expected an integer, not "1_0"'),
    ({**MINIMAL, "code_objects": [{"path": "a", "load_address": 2**128}]},
     "code_objects[0].load_address: expected an integer of at least 0 and at most "),
    ('{"schema": "a", "schema": "b"}', "member 'schema' is given twice"),
    (wave(registers={"s4": 1, "S4": 2}), "waves[0].registers.S4: register s4 is given twice"),
    ({**MINIMAL, "code_objects": [{"path": "a", "at": 1}]},
     "code_objects[0]: unknown member 'at'; known: path, load_address"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "expected"), BROKEN)
def test_a_broken_file_names_the_field_and_what_was_expected(
    tmp_path: Path, document: Json, expected: str
) -> None:
    path = write(tmp_path, document)
    with pytest.raises(UsageError) as caught:
        load_state(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert expected in str(caught.value)
    assert len(str(caught.value)) < 600


def test_an_elf_file_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "kernel.co"
    path.write_bytes(b"\x7fELF\x02\x01\xe0")
    with pytest.raises(UsageError) as caught:
        load_state(path)
    advice = f"give it as a code object (--file {path})"
    assert str(caught.value) == f"{path}: not JSON: it is an ELF file; {advice}"


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    for start in (b"", b"\xef\xbb\xbf", b'{"schema": "'):
        path.write_bytes(start + b"\xe9\xff\0")
        message = f"not JSON: the byte 0xe9 at offset {len(start):#x} is not UTF-8 text; save it"
        with pytest.raises(UsageError, match=message):
            load_state(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero")
def test_a_device_without_end_is_not_read() -> None:
    with pytest.raises(UsageError, match="/dev/zero cannot be read: it is not a regular file"):
        load_state(Path("/dev/zero"))


def test_the_states_of_the_fixtures_follow_the_schema() -> None:
    for path in [*STATES.glob("*.json"), REPOSITORY / "dwarfgpu/data/demo.json"]:
        document = json.loads(path.read_text("utf-8"))
        name = document["schema"].removeprefix("dwarfgpu-").removesuffix("-1")
        validator(name).validate(document)
        load_state(path)


def test_the_examples_of_the_documentation_can_be_read(tmp_path: Path) -> None:
    text = (REPOSITORY / "docs/state-files.md").read_text("utf-8")
    examples = re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        document = json.loads(example.replace("00…  256 bytes", "00" * 256))
        validator("state").validate(document)
        load_state(write(tmp_path, document))


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5),
    st.sampled_from(["0x10", "-1", "local", "private_lane", "generic", "00ff", "gfx942", "v3"]),
)  # fmt: skip
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["space", "lane", "address", "bytes", "id", "pc", "v3", "s4", "memory"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(DOCUMENTS, st.randoms(use_true_random=False))
def test_hostile_files_are_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, value: Json, chance: random.Random
) -> None:
    """Any value in place of any part of a good file: read, or refused with one line."""
    document = json.loads((STATES / "demo.gcc.O0.json").read_text("utf-8"))
    document["waves"][0]["memory"] = [{"address": 0, "bytes": "00"}]
    parts: list[tuple[Json, Json]] = []

    def collect(part: Json) -> None:
        items = part.items() if isinstance(part, dict) else enumerate(part)
        for key, inner in items:
            parts.append((part, key))
            if isinstance(inner, dict | list):
                collect(inner)

    collect(document)
    holder, key = chance.choice(parts)
    holder[key] = value
    path = write(tmp_path_factory.getbasetemp(), document)
    try:
        load_state(path)
    except UsageError as error:
        assert len(str(error).splitlines()) == 1 or "\\" in str(error)
