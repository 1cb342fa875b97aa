"""Commands about files."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.errors import UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Output, Part, command
from dwarfgpu.repl.shell import Shell


@command("file", topic="files", complete=completion.files, repeats=False)
def file(shell: Shell, argument: str) -> Iterator[Part]:
    """Look at another code object.

    Usage: file [FILE]

    The state or core file is read again: what was assigned is undone. Without FILE, no code object
    but those that the state names.
    """
    if shell.open is None:
        raise UsageError("This session was made by a program: its code objects stay.")
    shell.session = shell.open(shell.session, argument or None)
    shell.listed = None
    names = ", ".join(each.name for each in shell.session.code_objects)
    if not argument:
        yield Output("No executable file now." if not names else f"Back to {names}.", {})
        return
    yield Output(f"Reading symbols from {argument}...", {"file": argument})


@command("core-file", topic="files", aliases=("core",), complete=completion.files, repeats=False)
def core_file(shell: Shell, argument: str) -> Iterator[Part]:
    """Use FILE as core dump for examining memory and registers.

    Usage: core-file [FILE]

    Without FILE, no core file: the program alone is looked at. What was assigned is undone.
    """
    if shell.load_core is None:
        raise UsageError("This session was made by a program: its machine stays.")
    shell.load_core(shell, argument or None)
    shell.listed = None
    yield Output("", {"core-file": argument or None})
