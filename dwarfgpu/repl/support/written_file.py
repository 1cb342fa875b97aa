"""Files that commands write: none replaces what the debug session reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dwarfgpu.base.writing import file_identity
from dwarfgpu.errors import UsageError
from dwarfgpu.repl.shell import Shell


def require_no_input(shell: Shell, path: Path, *, updates_state: bool = False) -> None:
    """Raise `UsageError` if a file to be written is a program, library, core file or state that
    is open.

    `updates_state`: the state may be replaced by its new contents.
    """
    identity = file_identity(path)
    if identity is None:
        return
    if identity in {file_identity(Path(name)) for name in _inputs(shell, updates_state)}:
        raise UsageError(f"{path} is open in this session: give another file")


def _inputs(shell: Shell, updates_state: bool) -> Iterator[str]:
    session, machine = shell.session, shell.machine
    for code_object in (*session.code_objects, *session.other_code_objects):
        yield str(code_object.file.path)
    if machine.core is not None:
        yield str(machine.core.dump.file.path)
    if machine.state_path is not None and not updates_state:
        yield machine.state_path
