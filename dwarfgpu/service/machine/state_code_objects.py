"""A code object of the command line in place of the one that a state names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from dwarfgpu.base.readable_files import digest_of, resolved
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import UsageError, shortened
from dwarfgpu.machine.state.loaded_state import State, StateCodeObject
from dwarfgpu.session.focused_frame import not_in_code


def address_of_same(state: State, path: str | Path) -> int:
    """Return where the only code object of a state is loaded, if a file is the same, or the state's
    is missing; 0 for another file."""
    if len(state.code_objects) != 1:
        return 0
    import filecmp  # few requests name another file than the state

    [listed] = state.code_objects
    try:
        is_same = not listed.path.exists() or filecmp.cmp(path, listed.path, shallow=False)
    except OSError:
        return 0  # opening it says why
    return listed.load_address if is_same else 0


def changed_since(state: State, code_objects: Iterable[CodeObject]) -> Iterator[str]:
    """Yield a note on each file that has other contents than when the state was saved."""
    digests = {resolved(item.path): item.digest for item in state.code_objects}
    for code_object in code_objects:
        path = resolved(code_object.file.path)
        digest = digests.get(path)
        if digest is not None and digest_of(path) not in (digest, None):
            yield (
                f"{code_object.name} has changed since the state was saved: functions, lines and "
                "variables may be wrong"
            )


def require_waves_inside(state: State, path: str, file: str, own: Sequence[CodeObject]) -> None:
    """Raise `UsageError` if a wave is not in the code object of the command line, but in another
    one that the state names."""
    for wave in state.waves:
        if wave.pc is not None and not own[0].covers(wave.pc):
            error = in_another_code_object(wave.pc, own, file, path, state.code_objects, file)
            if error is not None:
                raise error


def in_another_code_object(
    pc: int,
    own: Sequence[CodeObject],
    file: str,
    state: str,
    named: Sequence[StateCodeObject],
    typed: str,
) -> UsageError | None:
    """Return the error about a wave that is not in the code object `file` of the command line, but
    in the only one that the state names; None where the state names no other.

    `typed`: what the user wrote for the file.
    """
    if len(named) != 1 or resolved(named[0].path) == resolved(file):
        return None
    advice = f"leave out {shortened(typed)}" if named[0].path.exists() else "give that file"
    return UsageError(
        f"{not_in_code(pc, own)}; {state} names {named[0].path.name}, loaded at "
        f"{named[0].load_address:#x}: {advice}"
    )
