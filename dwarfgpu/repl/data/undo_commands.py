"""The assignments of a debug session: show, undo and redo them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.state_differences import differences
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import MemoryAddress, RegisterOffset
from dwarfgpu.machine.undo import PartlyKnownBytes, RecordedTarget, Write
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.display_commands import displayed
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.view.json_object import JsonObject

_MAX_BYTES = 16
"""Maximum number of bytes of memory in one line."""
_MOST_DIFFERENCES = 100_000
"""Differences of two states that are listed: filled memory may have millions."""


def _recorded(shell: Shell) -> RecordedTarget:
    target = shell.session.target
    if not isinstance(target, RecordedTarget):
        raise UsageError("This machine does not record assignments.")
    return target


def _count(argument: str) -> int:
    if argument and not (is_decimal(argument) and len(argument) < 10):
        raise UsageError(f"Invalid count: {argument}")
    return int(argument or 1)


@command("undo", topic="data")
def undo(shell: Shell, argument: str) -> Iterator[Part]:
    """Undo the last assignments.

    Usage: undo [COUNT]

    Undoes all assignments of the last command, or of the last COUNT commands. Bytes that were
    unknown before are unknown again. "redo" repeats the assignments. What was assigned before the
    program ran cannot be undone.
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
        if not writes:
            if number:
                break
            raise UsageError("Nothing was assigned." if is_undo else "Nothing was undone.")
        shell.session.forget_frames()
        shell.follow_pc()  # only the last of several groups is known afterwards
        for write in reversed(writes) if is_undo else writes:
            yield from _lines(shell, write, is_undo=is_undo)
    yield from displayed(shell)


@command("diff", topic="data", complete=completion.FILE)
def diff(shell: Shell, argument: str) -> Iterator[Part]:
    """Show changes by assignments, or differences from a state.

    Usage: diff [all | FILE]

    Shows the registers, by lane, and the memory, before and after the last command; with "all",
    before and after every assignment that was not undone. With FILE, a state file, compares that
    state with this machine, and shows the first 100,000 differences.
    """
    if argument and argument != "all":
        yield from _against(shell, argument)
        return
    target = _recorded(shell)
    groups = target.undone_by if argument == "all" else target.undone_by[-1:]
    if not groups:
        yield Output("Nothing was assigned.", {"changes": []})
    for _, writes in groups:
        for write in writes:
            yield from _lines(shell, write)


def _against(shell: Shell, path: str) -> Iterator[Part]:
    target = shell.session.target
    current = target.behind if isinstance(target, TargetWithCodeObjects) else None
    if not isinstance(current, StateTarget):
        raise UsageError(
            "Only a state can be compared with a state; the current machine is not a state."
        )
    saved = load_state(path, shell.machine.file_limits).target
    if saved.architecture.name != current.architecture.name:
        raise UsageError(f"{path} is a state of {saved.architecture.name}.")
    has_changes = False
    for number, difference in enumerate(differences(saved, current)):
        if number == _MOST_DIFFERENCES:
            shell.console.note(
                f"only the first {number} differences are listed, those before "
                f"{difference.location_text}"
            )
            return
        has_changes = True
        yield _changed(difference.location_text, difference.before, difference.after)
    if not has_changes:
        yield Output(f"No difference from {path}.", {"changes": []})


def _changed(location_text: str, before: str, after: str) -> Output:
    data: JsonObject = {"location": location_text, "before": before, "after": after}
    return Output(f"{location_text}: {before} -> {after}", data, "changes")


def _lines(shell: Shell, write: Write, *, is_undo: bool = False) -> Iterator[Part]:
    """Yield a write: of a vector register in lanes, of any other one whole, of memory in bytes."""
    before, after = write.before, PartlyKnownBytes(write.after)
    size_bytes = len(write.after)
    if is_undo:
        before, after = after, before
    start = write.start
    endian = shell.session.architecture.endian
    if isinstance(start, MemoryAddress):
        where = start.where
        owner = "" if where.lane is None else f" of lane {where.lane}"
        space = f"{where.space.name}#" if where.space.number else ""
        for first in range(0, size_bytes, _MAX_BYTES):
            old, new = before[first : first + _MAX_BYTES], after[first : first + _MAX_BYTES]
            changed_name = f"{space}{start.address + first:#x}{owner}"
            yield _changed(changed_name, _hex(old), _hex(new))
        return
    for name, old, new in _elements(start, size_bytes, before, after):
        yield _changed(name, _number(old, endian), _number(new, endian))


def _elements(
    start: RegisterOffset, size_bytes: int, before: PartlyKnownBytes, after: PartlyKnownBytes
) -> Iterator[tuple[str, tuple[int | None, ...], tuple[int | None, ...]]]:
    register = start.register
    lanes = register.type.vector_size or 1
    element_bytes = register.size_bits // lanes // 8
    is_of_elements = start.offset_bytes % element_bytes == 0 and size_bytes % element_bytes == 0
    if not is_of_elements:
        changed_name = f"${register.name}, byte {start.offset_bytes}"
        yield changed_name, before[:], after[:]
        return
    for first in range(0, size_bytes, element_bytes):
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
