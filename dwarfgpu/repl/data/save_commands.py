"""Save the machine as a state file or a core file, and load a state."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.base import json_reader
from dwarfgpu.base.absolute_path import unquoted
from dwarfgpu.base.writing import require_no_input, require_regular
from dwarfgpu.errors import Unavailable, UsageError
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.data.display_commands import displayed
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.running.replaced_machine import look_at
from dwarfgpu.repl.running.runner import NO_PROCESS, can_run, is_of_files_alone
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.frame_commands import shown_frame
from dwarfgpu.session.stack_frames import selected_number
from dwarfgpu.view.json_object import Plain


@command("save", topic="files", complete=completion.QUOTED_FILE, repeats=False)
def save(shell: Shell, argument: str) -> Iterator[Part]:
    """Save the machine to a state file.

    Usage: save FILE
           save breakpoints FILE

    The state includes assignments; "load FILE" or --state FILE reads it. Large memory contents are
    written to .npy files beside it. A core file cannot be saved as a state. FILE may be in quotes.
    """
    argument = unquoted(argument)
    if not argument:
        raise UsageError("Argument required (file to write the state to).")
    # Only here: they know the simulated machine, which few sessions need.
    from dwarfgpu.machine.state.state_document import state_document
    from dwarfgpu.machine.state.write import write
    from dwarfgpu.service.machine.code_object_files import code_object_files

    target = shell.session.target
    machine = target.behind if isinstance(target, TargetWithCodeObjects) else None
    if not isinstance(machine, StateTarget):
        raise UsageError("Only a state can be saved; the current machine is not a state.")
    if not machine.waves:
        raise UsageError("No wave is left to save: the program has ended.")
    path = _path(argument)
    require_no_input(path, "state")
    code_objects = [(it.file, it.load_address) for it in shell.session.code_objects]
    of_machine = shell.machine
    removed, recorded = of_machine.removed_folder, of_machine.recorded
    files = code_object_files(code_objects, path, removed, recorded)
    opened = of_machine.state_path
    before = None if opened is None else json_reader.load(Path(opened)).value
    document = before if isinstance(before, dict) else None
    saved = files.added_to(state_document(machine, path, files.loaded, document))
    require_regular(path, saved.files)
    if os.path.exists(path) and not shell.confirms(f"{argument} exists. Overwrite it?"):
        raise UsageError("Not confirmed.")
    write(saved, path)
    memory = [name for name in saved.files if name not in files.own]
    text, data = f"Saved {argument}.", dict[str, Plain](file=argument)
    for key, what, names in (("memory-files", "Memory", memory), ("code-files", "Code", files.own)):
        if names:
            text += f" {what} of it is in {', '.join(names)}."
            data[key] = [*names]
    yield Output(text, data)


@command(
    "generate-core-file", topic="files", aliases=("gcore",), complete=completion.FILE,
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
    machine = target.behind if isinstance(target, TargetWithCodeObjects) else None
    if shell.session.pc is None and (can_run(shell) or is_of_files_alone(shell)):
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
    if os.path.exists(path) and not shell.confirms(f"{name} exists. Overwrite it?"):
        raise UsageError("Not confirmed.")
    pcs = {wave: _pc(machine, wave, counter) for wave in machine.waves}
    if pcs[session.wave] is None:
        pcs[session.wave] = session.pc
    removed = shell.machine.removed_folder
    for note in write_core_of_state(path, machine, pcs, session.code_objects, removed):
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
        path = Path(os.path.expanduser(text))
        os.path.exists(path)
        os.fsencode(path)
        if "\0" in text:
            raise ValueError("embedded null byte")
    except (OSError, ValueError) as error:
        raise UsageError(f"{text} cannot be written: {error}") from None
    return path


@command("load", topic="files", complete=completion.QUOTED_FILE, repeats=False)
def load(shell: Shell, argument: str) -> Iterator[Part]:
    """Open the machine of a state file.

    Usage: load FILE

    Unsaved assignments to the current machine are lost, and watchpoints of local variables are
    deleted. FILE may be in quotes.
    """
    argument = unquoted(argument)
    if not argument:
        raise UsageError("Argument required (state file).")
    opener = shell.machine.opener
    if opener is None:
        raise UsageError("This session belongs to a Python program: its state cannot be replaced.")
    look_at(shell, opener.state(argument))
    yield Output(f"Loaded {argument}.", {"file": argument})
    if shell.session.pc is not None:
        yield from shown_frame(shell, selected_number(shell.session))
    yield from displayed(shell)
