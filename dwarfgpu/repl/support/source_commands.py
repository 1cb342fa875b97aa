"""The command "source": a file of commands, or of Python."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dwarfgpu.base.input_files import record_input
from dwarfgpu.base.readable_files import open_to_read
from dwarfgpu.errors import SeveralLines, UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.output import Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.support.shell_commands import run_python
from dwarfgpu.terminal.input import read_all

_FLAGS: Final = re.compile(r"(?:-[sv]\s+)*(?:--\s+)?")


@command("source", topic="support", complete=completion.FILE, repeats=False)
def source(shell: Shell, argument: str) -> Iterator[Part]:
    """Run the commands of a file, up to the first failure.

    Usage: source [-s] [-v] FILE

    -v shows each command before it runs; -s is accepted for compatibility with GDB, but there is no
    search path. In a script, a missing file is only a warning. A file whose name ends with .py is
    Python code.
    """
    flags = _FLAGS.match(argument)
    assert flags is not None
    path = argument[flags.end() :]
    if not path:
        raise UsageError("source command requires file name of file to source.")
    try:
        with open_to_read(Path(os.path.expanduser(path))) as file:
            record_input(os.path.expanduser(path), "script")
            text = read_all(file, path).decode("utf-8-sig", "surrogateescape")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        if shell.script.is_typed or (
            shell.console.is_json and not shell.script.fillers
        ):  # -x, or a program on a pipe
            raise UsageError(f"{path}: {why}.") from None
        shell.failures += 1
        shell.console.warn(f"{path}: {why}")
        return
    if path.endswith(".py"):
        try:
            yield from run_python(shell, text, path)
        except SeveralLines as error:  # a script continues, as in GDB
            if shell.script.is_typed or shell.console.is_json:
                raise
            shell.failures += 1
            shell.console.streams.complain(error.message)
        return
    lines = [line.removesuffix("\r").partition("\0")[0] for line in text.split("\n")]
    was_traced = shell.settings["trace-commands"]
    if "-v" in flags[0].split():
        shell.settings.set("trace-commands", "on")
    try:
        yield from shell.run_script(path, lines if lines[-1] else lines[:-1])
    finally:
        if "-v" in flags[0].split():
            shell.settings.set("trace-commands", "on" if was_traced else "off")
