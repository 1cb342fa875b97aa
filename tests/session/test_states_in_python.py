"""The library reads the memory of a state as the commands do."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import dwarfgpu as dg
from tests.cli.command import STATES, run
from tests.repl.side_by_side import build

SOURCE = """\
const double table[2] = {0.25, 3};
const char *const name = "odd";
int counter = 7;
int main(void) { return counter + table[0] + name[0]; }
"""


@pytest.fixture(scope="module")
def state_path(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> Path:
    folder = tmp_path_factory.mktemp("state")
    build(folder, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-fno-pie", "-no-pie", "-o", "a", "a.c"]])
    [main] = [s for s in dg.CodeObject.open(folder / "a").file.symbols if s.name == "main"]
    (folder / "state.json").write_text(json.dumps({
        "schema": "dwarfgpu-state-1", "architecture": "x86_64", "code_objects": [{"path": "a"}],
        "waves": [{"pc": main.address}],
    }))  # fmt: skip
    return folder / "state.json"


def opened(path: Path) -> tuple[dg.State, dg.Session]:
    """Do as README.md."""
    state = dg.load_state(path)
    objects = tuple(dg.CodeObject.open(each.path, each.load_address) for each in state.code_objects)
    wave = state.waves[0]
    return state, dg.Session(state.architecture, objects, state.target, wave=wave.id, pc=wave.pc)


def texts(session: dg.Session) -> list[str]:
    return [session.read(session.variable(name)).text for name in ("table", "name", "counter")]


def test_read_only_memory_is_that_of_the_files(state_path: Path) -> None:
    _, session = opened(state_path)
    of_commands = [
        run("eval", "--state", state_path, name).out.split(" = ")[1].rstrip()
        for name in ("table", "name", "counter")
    ]
    assert texts(session) == of_commands
    assert of_commands[0] == "{0.25, 3}" and of_commands[1].endswith('"odd"')
    assert of_commands[2] == "<unavailable>"  # the program may have written it
    assert texts(session.focused(None)) == of_commands


def test_the_state_wins(state_path: Path) -> None:
    state, session = opened(state_path)
    before: Any = copy.deepcopy(session)
    where = dg.Memory(state.architecture.address_space(0))
    table = session.variable("table")
    place = session.read(table).location
    assert place is not None
    address = place.single_locations[0].byte_address
    assert address is not None
    state.target.set_memory(where, address, bytes(8))
    assert session.read(table).value == {"elements": [0.0, 3.0]}
    before.target.set_memory(where, address + 8, bytes(8))  # as of the state itself
    assert before.read(table).value == {"elements": [0.25, 0.0]}
    assert before.target.waves == {0: before.target.waves[0]}
    with pytest.raises(dg.Unavailable, match="it is in a read-only segment of the file"):
        session.context().access.write(place.displaced(64), 64, 0)


def test_the_target_of_a_session_is_used_as_its_state(state_path: Path) -> None:
    state, session = opened(state_path)
    target: Any = session.target
    names = {name for name in dir(state.target) if not name.startswith("_")}
    mine = {name for name in names if not callable(getattr(state.target, name))}
    assert {"machine", "model", "fill", "stop", "waves"} <= mine
    assert all(getattr(target, name) == getattr(state.target, name) for name in mine)
    assert target.machine is state.target.machine
    assert all(callable(getattr(target, name)) for name in names - mine)
    target.fill, target.stop = 7, 3
    assert (state.target.fill, state.target.stop) == (target.fill, target.stop) == (7, 3)
    with pytest.raises(AttributeError):
        target.machine = None  # as of the state itself
    assert texts(session)[0] == "{0.25, 3}"


def test_a_copy_of_the_target_has_the_files(state_path: Path) -> None:
    state, session = opened(state_path)
    copied = copy.deepcopy(session.target)
    assert copied is not None
    after = dg.Session(state.architecture, session.code_objects, copied, wave=session.wave)
    assert after.target is copied
    assert texts(after)[0] == "{0.25, 3}"
    with pytest.raises(dg.UsageError) as refused:
        pickle.dumps(session.target)
    assert "cannot be pickled" in str(refused.value) and "\n" not in str(refused.value)
    assert pickle.loads(pickle.dumps(state.target)).waves.keys() == {0}


def test_a_session_of_another_target_has_the_files_of_its_own(state_path: Path) -> None:
    state, session = opened(state_path)
    where = dg.Memory(state.architecture.address_space(0))
    address = next(iter(session.code_objects[0].loaded_segments())).address
    moved = dg.CodeObject.open(state.code_objects[0].path, 0x10000)
    for code_objects, readable in (((), []), ((moved,), [address + 0x10000])):
        other = dg.Session(state.architecture, code_objects, session.target)
        assert other.target is not None
        read = []
        for one in (address, address + 0x10000):
            with suppress(dg.Unavailable):
                read += [one] if len(other.target.read_memory(where, one, 4)) == 4 else []
        assert read == readable
    assert other.focused(None).target is other.target


def test_lanes_read_it_together() -> None:
    _, session = opened(STATES / "nest.gfx942.O0.json")
    segment = next(
        each for each in session.code_objects[0].loaded_segments() if not each.is_writable
    )
    operations = dg.assemble(
        f"addr {segment.address:#x}; deref_size 4; stack_value", dg.dialect("amd")
    )
    answers = dg.evaluate_in_lanes(operations, [session], range(64), batch=True)
    for lane in (0, 63):
        result = answers.of(0, lane)
        assert result == dg.evaluate(operations, session.focused(lane).context())
        assert isinstance(result, dg.Location)
        access = session.focused(lane).context().access
        assert access.read_bytes(result, 4) == segment.read(0, 4)
