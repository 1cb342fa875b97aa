"""The first lines of a debug session: the banner, the core file, the frame in focus."""

from __future__ import annotations

from dwarfgpu import __version__
from dwarfgpu.base.printable import on_one_line
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.repl.output import printed
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.frame_commands import shown_frame
from dwarfgpu.repl.terminal.colour import painted, source
from dwarfgpu.session.stack_frames import selected_number


def show_core(shell: Shell) -> None:
    """Print why the program of a core file stopped, and the frame in focus; of several threads, and
    of the lanes of a wave, also which one it is of."""
    core, console = shell.machine.core, shell.console
    if core is None or console.is_json:
        show_start(shell)
        return
    # The readers of its notes are loaded for a core file only.
    from dwarfgpu.repl.waves.thread_commands import who
    from dwarfgpu.service.core.core_summary import core_lines

    for line in core_lines(core):
        console.streams.print(f"{line}\n")
    show_start(shell)
    if shell.session.architecture.is_simt or len(core.numbers) > 1:
        console.streams.print(f"[Current thread is {who(shell)}]\n")


def greet(shell: Shell) -> None:
    """Print the version and where the session is, before anything else as GDB does."""
    if shell.console.is_json:
        return
    shell.console.streams.print(f'dwarfgpu {__version__}; type "help" for help, Ctrl-D to leave.\n')
    if not shell.is_of_core:
        show_start(shell)


def show_start(shell: Shell) -> None:
    """Show where the session is, with the line of source text."""
    session, console = shell.session, shell.console
    if session.pc is None or shell.console.is_json:
        return
    try:
        for part in shown_frame(shell, selected_number(session)):
            console.streams.print(printed(painted(part, source) if console.has_colours else part))
    except DwarfGpuError as error:
        console.streams.complain(on_one_line(error.text))
