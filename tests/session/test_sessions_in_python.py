"""Sessions as objects of Python: in several threads, copied."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
from pathlib import Path

import pytest

import dwarfgpu as dg
from dwarfgpu.base import records
from dwarfgpu.cfi.call_stack import CallStack
from dwarfgpu.cfi.tail_call_frame import Jumps
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf.types import types
from dwarfgpu.session.stack_frames import stack_frames
from tests.cli.command import FIXTURES, STATES

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "dwarfgpu" / "data" / "demo.json"
FRAMES = ["leaf", "down", "down", "down", "down", "begin", "_start"]
"""What the command bt of GDB 13 lists for this core."""


def test_frames_that_two_threads_ask_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that asks while another one unwinds waits: it saw a frame repeated, and an end."""
    program = ROOT / "fixtures/core/crash.x86_64.O0"
    core = dg.load_core(f"{program}.core", program)
    objects = tuple(dg.CodeObject.of(each.file, each.load_address) for each in core.files)
    session = dg.Session(
        core.architecture, objects, core.target, wave=1, pc=core.pc_of(1), knows_loaded=True
    )
    jumps, threads, of_thread = CallStack._jumps, list[threading.Thread](), list[object]()

    def ask() -> None:
        try:
            of_thread.extend(each.function for each in dg.stack_frames(session))
        except dg.DwarfGpuError as error:
            of_thread.append(error)

    def jumps_while_asked(stack: CallStack, last: CfiFrame, caller: int) -> Jumps:
        if not threads:
            threads.append(threading.Thread(target=ask, daemon=True))
            threads[0].start()
            threads[0].join(0.05)
        return jumps(stack, last, caller)

    monkeypatch.setattr(CallStack, "_jumps", jumps_while_asked)
    assert [each.function for each in dg.stack_frames(session)] == FRAMES
    threads[0].join()
    assert of_thread == FRAMES


def test_copies() -> None:
    state = dg.load_state(DEMO)
    [part], [wave, *_] = state.code_objects, state.waves
    code = (dg.CodeObject.open(part.path, part.load_address),)
    session = dg.Session(state.architecture, code, state.target, wave=wave.id, lane=3, pc=wave.pc)
    for _ in range(2):  # without and with what the first question reads, as the symbols
        for copied in (copy.copy(session), copy.deepcopy(session)):
            assert copied.read(copied.variable("t")).value == 323
        assert [each.function for each in dg.stack_frames(session)] == ["nest"]
        reading = session.read(session.variable("t"))
        for copied in (copy.copy(reading), copy.deepcopy(reading)):
            assert copied == reading and copied.value == 323
    assert copy.deepcopy(code[0]) is code[0]
    machine = copy.deepcopy(session).target
    machine.set_register(wave.id, state.architecture.by_name["v6"], bytes(256))
    assert session.read(session.variable("t")).value == 323  # the copy is a machine of its own
    kind = dg.dialect("amd")
    for one in (kind, dg.architecture("gfx1100", 32), dg.architecture("x86_64")):
        assert copy.copy(one) is one and copy.deepcopy(one) is one
        assert pickle.loads(pickle.dumps(one)) is one
    for copied in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        own = dg.Session(dg.architecture("gfx942"), code, copied.target, wave=wave.id, pc=wave.pc)
        assert own.focused(3).read(own.variable("t")).value == 323


def test_a_copy_after_a_variable_of_the_frame_base() -> None:
    """What `DW_OP_fbreg` keeps for the evaluation that asks holds nothing that cannot be copied."""
    state = dg.load_state(ROOT / "fixtures/states/demo.gcc.O0.json")
    code = tuple(dg.CodeObject.open(each.path, each.load_address) for each in state.code_objects)
    [wave, *_] = state.waves
    session = dg.Session(state.architecture, code, state.target, wave=wave.id, pc=wave.pc)
    value = session.read(session.variable("n")).value
    typed = dg.evaluate_source("n + 1", session)
    copy.deepcopy(typed)
    copied = copy.deepcopy(session)
    assert copied.read(copied.variable("n")).value == value
    dg.evaluate_source("n = n + 1", copied)
    assert copied.read(copied.variable("n")).value == value + 1
    assert session.read(session.variable("n")).value == value


def test_a_session_is_equal_to_itself_alone() -> None:
    """As its class declares: it can be a key, whatever its fields are."""
    arch = dg.architecture("gfx942")
    one, other = dg.Session(arch), dg.Session(arch)
    assert one == one and one != other
    assert {one: 1, other: 2}[one] == 1


def test_an_architecture_with_changed_fields_is_copied_and_pickled_with_them() -> None:
    changed = records.evolve(dg.architecture("gfx942"), dwarf_names={})
    assert pickle.loads(pickle.dumps(changed)).dwarf_names == {} == copy.copy(changed).dwarf_names


def test_what_belongs_to_an_open_file_says_why_it_cannot_be_pickled() -> None:
    state = dg.load_state(DEMO)
    [part], [wave, *_] = state.code_objects, state.waves
    code = dg.CodeObject.open(part.path, part.load_address)
    session = dg.Session(state.architecture, (code,), state.target, wave=wave.id, pc=wave.pc)
    lane = session.focused(3)
    variable = lane.variable("t")
    for thing, named in (
        (code, "CodeObject"),
        (session, "CodeObject"),
        (session.context(), "CodeObject"),
        (variable, "Variable"),
        (variable.die, "Die"),
        (lane.read(variable), "Reading"),
        (dg.evaluate_source("t", lane), "TypedValue"),
        (next(dg.stack_frames(lane)), "CodeObject"),
        (dg.read_lanes([session], variable), "CodeObject"),
    ):
        message = f"^{named}: it belongs to an open file and cannot be pickled; pickle plain data,"
        for dump in (pickle.dumps, lambda thing: pickle.dumps([thing], protocol=2)):
            with pytest.raises(dg.UsageError, match=message) as caught:
                dump(thing)
            assert isinstance(caught.value, TypeError)


def test_a_wave_that_the_machine_does_not_have() -> None:
    """0 is the default, which questions about files alone leave as it is."""
    state = dg.load_state(DEMO)
    for make in (
        lambda: dg.Session(state.architecture, target=state.target, wave=7),
        lambda: records.evolve(dg.Session(state.architecture, target=state.target), wave=7),
    ):
        with pytest.raises(dg.UsageError, match=r"^Session\.wave: wave 7 is not in the state; it "):
            make()
    assert dg.Session(state.architecture, target=dg.StateTarget(state.architecture)).wave == 0


def test_types_and_coverages_belong_to_their_file() -> None:
    """They are equal to themselves alone: a copy is the object, and none can be pickled."""
    code = dg.CodeObject.open(Path(dg.__file__).parent / "data/demo.co")
    [unit] = dg.find_variables(code.scopes, dg.Wanted(names=("t",)))
    [(variable, place)] = unit.groups[0].declared
    kind = code.info.types.type_of(variable.die)
    for one in (kind, dg.coverage_of(variable, place)):
        assert copy.copy(one) is one and copy.deepcopy(one) is one
        with pytest.raises(TypeError, match=f"^{type(one).__name__}: it belongs to an open file"):
            pickle.dumps(one)


def test_the_text_of_a_type_is_its_spelling_with_or_without_a_name() -> None:
    unnamed = types.Struct("struct", None, 4)
    assert unnamed.name is None and str(unnamed) == "struct {...}"
    assert str(types.Enum(None, 4)) == "enum {...}"
    assert str(types.Pointer(unnamed)) == types.Pointer(unnamed).name == "struct {...} *"
    assert str(types.Struct("union", "u", 4)) == "union u"
    assert str(types.Typedef("T", unnamed)) == "T"
    assert str(types.Unspecified("void")) == "void"


def test_a_location_has_a_text_of_one_line() -> None:
    gfx942 = dg.architecture("gfx942")
    register = dg.Register(gfx942.by_name["v6"], 0)
    place = dg.Location((dg.SingleLocation(register, 96),))
    assert dg.location_text(place) == "v6 + byte 12 (wave 0)"
    nowhere = dg.evaluate(b"", dg.Context(result_kind="location"))
    assert isinstance(nowhere, dg.Location)
    assert dg.location_text(nowhere) == "<optimized out>"
    with pytest.raises(dg.UsageError, match="expected at least one"):
        dg.location_text(dg.Location(()))


def what_is_known_of(session: dg.Session) -> list[tuple[str | None, str, str]]:
    """The text of each variable of each frame."""
    return [
        (frame.function, variable.name, frame.session.read(variable).text)
        for frame in dg.stack_frames(session)
        for variable in frame.session.variables()
    ]


@pytest.mark.parametrize("name", ["crash.x86_64.O2", "values.x86_64.O0", "lists.x86_64.O2"])
def test_threads_that_ask_one_session_get_what_one_alone_gets(name: str) -> None:
    """They ask a session that has answered nothing yet, and are switched as often as possible."""

    def session() -> dg.Session:
        core = dg.load_core(ROOT / f"fixtures/core/{name}.core", ROOT / f"fixtures/core/{name}")
        objects = tuple(dg.CodeObject.of(each.file, each.load_address) for each in core.files)
        pc = core.pc_of(1)
        return dg.Session(core.architecture, objects, core.target, wave=1, pc=pc, knows_loaded=True)

    alone, shared = what_is_known_of(session()), session()
    found: list[list[tuple[str | None, str, str]]] = []
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [
            threading.Thread(target=lambda: found.append(what_is_known_of(shared)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert alone and found == [alone] * 4


def test_short_representations() -> None:
    """Of what is in focus: the machine and the files have thousands of characters."""
    code = dg.CodeObject.open(FIXTURES / "opencl/kernels.gfx942.O0.v5.co")
    state = dg.load_state(STATES / "call.gfx942.O0.json")
    wave = state.waves[0]
    session = dg.Session(state.architecture, (code,), state.target, wave=wave.id, pc=wave.pc)
    frame = next(stack_frames(session))
    for shown in (repr(session), repr(frame)):
        assert len(shown) < 500
        assert "object at 0x" not in shown and "partial" not in shown
    assert repr(session).startswith(f"Session(architecture=gfx942, wave={wave.id}, lane=None,")
    assert repr(frame).startswith("StackFrame(number=0, pc=")


def test_an_operation_that_needs_a_call_frame_says_how_to_give_one() -> None:
    architecture = dg.architecture("gfx942")
    for text in ("bregx s4 3", "regx s4", "call_frame_cfa", "fbreg 3", "entry_value(reg4)"):
        expression = dg.assemble(text, arch=architecture)
        with pytest.raises(dg.MissingContext, match=r"no call frame; give one as frame=, such as"):
            dg.evaluate(expression, dg.Context(architecture=architecture, wave=0))
