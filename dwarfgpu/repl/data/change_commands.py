"""The writes of a debug session: show, undo, redo, and save them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.base import json_reader
from dwarfgpu.base.writing import require_no_input, require_regular
from dwarfgpu.errors import Unavailable, UsageError
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.compare import differences
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import MemoryAddress, RegisterOffset, WaveId
from dwarfgpu.machine.undo import RecordedTarget, Write
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.display_commands import displayed
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.running.runner import NO_PROCESS, can_run
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.frame_commands import shown_frame
from dwarfgpu.session.stack_frames import selected_number
from dwarfgpu.view.json_object import JsonObject

_MAX_BYTES = 16
"""Maximum number of bytes of memory in one line."""


def _recorded(shell: Shell) -> RecordedTarget:
    target = shell.session.target
    if not isinstance(target, RecordedTarget):
        raise UsageError("This machine does not record assignments.")
    return target


def _count(argument: str) -> int:
    if argument and not (argument.isascii() and argument.isdecimal() and len(argument) < 10):
        raise UsageError(f"Invalid count: {argument}")
    return int(argument or 1)


@command("undo", topic="data")
def undo(shell: Shell, argument: str) -> Iterator[Part]:
    """Undo the last assignments.

    Usage: undo [COUNT]

    Undoes all assignments of the last command, or of the last COUNT commands. Bytes that were
    unknown before are unknown again. "redo" repeats the assignments.
    """
    yield from _moved(shell, argument, is_undo=True)


@command("redo", topic="data")
def redo(shell: Shell, argument: str) -> Iterator[Part]:
    """Repeat the assignments that "undo" undid.

    Usage: redo [COUNT]
    """
    yield from _moved(shell, argument, is_undo=False)


def _moved(shell: Shell, argument: str, *, is_undo: bool) -> Iterator[Part]:
    target = _recorded(shell)
    for number in range(_count(argument)):
        writes = target.undo() if is_undo else target.redo()
        if not writes and not number:
            raise UsageError("Nothing was assigned." if is_undo else "Nothing was undone.")
        shell.session.forget_frames()
        for write in reversed(writes) if is_undo else writes:
            yield from _lines(shell, write, is_undo=is_undo)
    yield from displayed(shell)


@command("diff", topic="data", complete=completion.files)
def diff(shell: Shell, argument: str) -> Iterator[Part]:
    """Show changes by assignments, or differences from a state.

    Usage: diff [all | FILE]

    Shows the registers, by lane, and the memory, before and after the last command; with "all",
    before and after every assignment that was not undone. With FILE, a state file, compares that
    state with this machine.
    """
    if argument and argument != "all":
        yield from _against(shell, argument)
        return
    target = _recorded(shell)
    groups = target.done if argument == "all" else target.done[-1:]
    if not groups:
        yield Output("Nothing was assigned.", {"changes": []})
    for _, writes in groups:
        for write in writes:
            yield from _lines(shell, write)


def _against(shell: Shell, path: str) -> Iterator[Part]:
    target = shell.session.target
    ours = target.machine if isinstance(target, TargetWithCodeObjects) else None
    if not isinstance(ours, StateTarget):
        raise UsageError(
            "Only a state can be compared with a state; the current machine is not a state."
        )
    theirs = load_state(path, shell.machine.file_limits.waves).target
    if theirs.architecture.name != ours.architecture.name:
        raise UsageError(f"{path} is a state of {theirs.architecture.name}.")
    has_changes = False
    for difference in differences(theirs, ours):
        has_changes = True
        yield _changed(difference.place, difference.before, difference.after)
    if not has_changes:
        yield Output(f"No difference from {path}.", {"changes": []})


def _changed(place: str, before: str, after: str) -> Output:
    data: JsonObject = {"place": place, "before": before, "after": after}
    return Output(f"{place}: {before} -> {after}", data, "changes")


def _lines(shell: Shell, write: Write, *, is_undo: bool = False) -> Iterator[Part]:
    """A write: of a vector register in lanes, of any other one whole, of memory in bytes."""
    before: tuple[int | None, ...] = write.before
    after: tuple[int | None, ...] = tuple(write.after)
    if is_undo:
        before, after = after, before
    start = write.start
    endian = shell.session.architecture.endian
    if isinstance(start, MemoryAddress):
        where = start.where
        owner = "" if where.lane is None else f" of lane {where.lane}"
        space = f"{where.space.name}#" if where.space.number else ""
        for first in range(0, len(after), _MAX_BYTES):
            old, new = before[first : first + _MAX_BYTES], after[first : first + _MAX_BYTES]
            at = f"{space}{start.address + first:#x}{owner}"
            yield _changed(at, _hex(old), _hex(new))
        return
    for name, old, new in _elements(start, before, after):
        yield _changed(name, _number(old, endian), _number(new, endian))


def _elements(
    start: RegisterOffset, before: tuple[int | None, ...], after: tuple[int | None, ...]
) -> Iterator[tuple[str, tuple[int | None, ...], tuple[int | None, ...]]]:
    register = start.register
    lanes = register.type.vector_size or 1
    element_bytes = register.size_bits // lanes // 8
    whole = start.offset_bytes % element_bytes == 0 and len(after) % element_bytes == 0
    if not whole:
        at = f"${register.name}, byte {start.offset_bytes}"
        yield at, before, after
        return
    for first in range(0, len(after), element_bytes):
        lane = (start.offset_bytes + first) // element_bytes
        name = f"${register.name}[{lane}]" if lanes > 1 else f"${register.name}"
        part = slice(first, first + element_bytes)
        yield name, before[part], after[part]


def _number(data: Iterable[int | None], endian: str) -> str:
    contents = list(data)
    if any(byte is None for byte in contents):
        return "<unavailable>"
    data_bytes = bytes(byte or 0 for byte in contents)
    return f"{int.from_bytes(data_bytes, 'little' if endian == 'little' else 'big'):#x}"


def _hex(data: Iterable[int | None]) -> str:
    return " ".join("??" if byte is None else f"{byte:02x}" for byte in data)


@command("save", topic="files", complete=completion.files, repeats=False)
def save(shell: Shell, argument: str) -> Iterator[Part]:
    """Save the machine to a state file.

    Usage: save FILE
           save breakpoints FILE

    The state includes assignments; "load FILE" or --state FILE reads it. Large memory contents are
    written to .npy files beside it. A core file cannot be saved as a state.
    """
    if not argument:
        raise UsageError("Argument required (file to write the state to).")
    # Only here: they know the simulated machine, which few sessions need.
    from dwarfgpu.machine.state.state_document import state_document
    from dwarfgpu.machine.state.write import write

    target = shell.session.target
    machine = target.machine if isinstance(target, TargetWithCodeObjects) else None
    if not isinstance(machine, StateTarget) or not machine.waves:
        raise UsageError("Only a state can be saved; the current machine is not a state.")
    path = _path(argument)
    require_no_input(path, replaces_state=True)
    loaded = {
        Path(code_object.file.path): code_object.load_address
        for code_object in shell.session.code_objects
    }
    opened = shell.machine.state_path
    before = None if opened is None else json_reader.load(Path(opened)).value
    document = before if isinstance(before, dict) else None
    saved = state_document(machine, path, loaded, document)
    require_regular(path, saved.files)
    if path.exists() and not shell.confirms(f"{argument} exists. Overwrite it?"):
        raise UsageError("Not confirmed.")
    write(saved, path)
    also = f" Memory of it is in {', '.join(saved.files)}." if saved.files else ""
    yield Output(f"Saved {argument}.{also}", {"file": argument})


@command(
    "generate-core-file", topic="files", aliases=("gcore",), complete=completion.files,
    repeats=False,
)  # fmt: skip
def generate_core_file(shell: Shell, argument: str) -> Iterator[Part]:
    """Write the waves and memory of a state as a GPU core file.

    Usage: generate-core-file [FILE]

    The default FILE is "core.gpu" in the working folder. Unknown registers are 0 in it; unknown
    memory is omitted. --core FILE reads it.
    """
    # Only here: few sessions write a core file.
    from dwarfgpu.service.core.core_of_state import write_core_of_state

    target = shell.session.target
    machine = target.machine if isinstance(target, TargetWithCodeObjects) else None
    if can_run(shell) and shell.session.pc is None:
        raise UsageError(NO_PROCESS)
    if not isinstance(machine, StateTarget) or not machine.waves:
        raise UsageError(
            "Only a state can be written as a core file; the current machine is not a state."
        )
    session = shell.session.top or shell.session
    counter = session.architecture.register_named("pc")
    if counter is None or session.architecture.machine != "AMDGPU":
        raise UsageError(
            f"Only waves of AMD GPUs can be written; this state is of {session.architecture.name}."
        )
    name = argument or "core.gpu"
    path = _path(name)
    require_no_input(path)
    if path.exists() and not shell.confirms(f"{name} exists. Overwrite it?"):
        raise UsageError("Not confirmed.")
    pcs = {wave: _pc(machine, wave, counter) for wave in machine.waves}
    if pcs[session.wave] is None:
        pcs[session.wave] = session.pc
    for note in write_core_of_state(path, machine, pcs, session.code_objects):
        shell.console.note(note)
    yield Output(f"Saved corefile {name}", {"file": name})


def _pc(machine: StateTarget, wave: WaveId, counter: RegisterInfo) -> int | None:
    try:
        return int.from_bytes(machine.read_register(wave, counter), "little")
    except Unavailable:
        return None


def _path(text: str) -> Path:
    """Return the typed path; `UsageError` if the system does not allow it."""
    try:
        path = Path(text).expanduser()
        path.exists()
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"{text}: cannot be written: {error}") from None
    return path


@command("load", topic="files", complete=completion.files, repeats=False)
def load(shell: Shell, argument: str) -> Iterator[Part]:
    """Open the machine of a state file.

    Usage: load FILE

    Unsaved assignments to the current machine are lost.
    """
    if not argument:
        raise UsageError("Argument required (state file).")
    opener = shell.machine.opener
    if opener is None:
        raise UsageError("This session belongs to a Python program: its state cannot be replaced.")
    shell.look_at(opener.state(argument))
    yield Output(f"Loaded {argument}.", {"file": argument})
    if shell.session.pc is not None:
        yield from shown_frame(shell, selected_number(shell.session))
    yield from displayed(shell)
