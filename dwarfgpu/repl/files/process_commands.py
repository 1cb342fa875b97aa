"""The commands `info proc`, `info auxv` and `info inferiors`, about the process of a core file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.errors import UsageError
from dwarfgpu.repl.command import Command, command
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.waves.thread_commands import switched
from dwarfgpu.service.value.value_history import whole_number
from dwarfgpu.service.waves.wave_frames import innermost_of

if TYPE_CHECKING:
    from dwarfgpu.machine.core.load import Core

_NO_PROCESS: Final = "No current process: you must name one."


def _core(shell: Shell, otherwise: str) -> Core:
    """Return the core file; `UsageError` with GDB's words where there is none."""
    if shell.machine.core is None:
        raise UsageError(otherwise)
    return shell.machine.core


def _exe(shell: Shell, argument: str) -> Iterator[Part]:
    from dwarfgpu.service.core.process_tables import executable

    yield executable(_core(shell, _NO_PROCESS))


def _mappings(shell: Shell, argument: str) -> Iterator[Part]:
    from dwarfgpu.service.core.process_tables import mappings

    yield from mappings(_core(shell, _NO_PROCESS))


def _all(shell: Shell, argument: str) -> Iterator[Part]:
    yield from _exe(shell, argument)
    yield from _mappings(shell, argument)


def _unknown(shell: Shell, argument: str) -> Iterator[Part]:
    _core(shell, _NO_PROCESS)
    raise UsageError("unable to handle request")


def _part(name: str, about: str, more: str, run: object) -> Command:
    text = f"{about}\n\nUsage: info proc {name} [PROCESS]\n\n{more}"
    return Command(f"info proc {name}", text, run, "status")  # type: ignore[arg-type]


_DELETED: Final = "a breakpoint that has since been deleted"
_NOT_IN_CORE: Final = "Not available: a core file does not contain it."
_PROC: Final = (
    _part("all", "List all available info about the specified process.",
          "Shows the executable, and the mapped files.", _all),
    _part("cmdline", "List command line arguments of the specified process.", _NOT_IN_CORE,
          _unknown),
    _part("cwd", "List current working directory of the specified process.", _NOT_IN_CORE,
          _unknown),
    _part("exe", "List the absolute file name of the executable.",
          "A core file contains the beginning of the command line.", _exe),
    _part("files", "List files opened by the specified process.", _NOT_IN_CORE, _unknown),
    _part("mappings", "List memory regions mapped by the specified process.",
          "A core file contains the mappings of files.", _mappings),
    _part("stat", "List process info from /proc/PID/stat.", _NOT_IN_CORE, _unknown),
    _part("status", "List process info from /proc/PID/status.", _NOT_IN_CORE, _unknown),
)  # fmt: skip


@command("info proc", topic="status", subcommands=_PROC, takes_other=True)
def info_proc(shell: Shell, argument: str) -> Iterator[Part]:
    """Show additional information about a process.

    Usage: info proc [all | exe | mappings]

    The process is always that of the core file. A core file contains the beginning of its command
    line, and the mappings of files.
    """
    yield from _exe(shell, argument)


@command("info auxv", topic="status")
def info_auxv(shell: Shell, argument: str) -> Iterator[Part]:
    """Display the inferior's auxiliary vector.

    Usage: info auxv

    This is information provided by the operating system at program startup.
    """
    from dwarfgpu.service.core.process_tables import auxiliary_vector  # few ask for it

    core = shell.machine.core
    if core is None or not core.dump.auxiliary:
        raise UsageError("The program has no auxiliary information now.")
    repeats = shell.settings.limit("print repeats") or 1 << 31
    yield from auxiliary_vector(shell.session, core, repeats)


@command("inferior", topic="status")
def inferior(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the inferior, or select it: there is one, the program.

    Usage: inferior [ID]

    The thread in focus stays.
    """
    from dwarfgpu.service.core.process_tables import current_inferior

    number = 1
    if argument:
        number = whole_number(shell.session, shell.values, argument)
    if number != 1:
        raise UsageError(f"Inferior ID {number} not known.")
    what = "Switching to inferior" if argument else "Current inferior is"
    yield current_inferior(shell.session, shell.machine.core, what)
    if argument and shell.machine.threads:
        yield from switched(shell)


@command("info program", topic="status")
def info_program(shell: Shell, argument: str) -> Iterator[Part]:
    """Show where the program that runs has stopped.

    Usage: info program
    """
    stop = shell.last_stop
    wave = None if stop is None else stop.wave
    if stop is None or wave is None or wave not in shell.machine.threads:
        yield "The program being debugged is not being run."
        return
    target = shell.machine.threads[wave]
    yield Output(
        f"Last stopped for thread {wave} ({target}).",
        {"current-thread-id": wave, "target-id": target, **stop.record},
    )
    pc = innermost_of(shell.session, wave).pc
    if pc is not None:
        yield Output(f"Program stopped at {pc:#x}.", {"addr": f"{pc:#x}"})
    for item in stop.items:
        is_kept = shell.breakpoints.get(item.number) is not None
        yield heading(f"It stopped at {f'breakpoint {item.number}' if is_kept else _DELETED}.")
    halt = stop.halt
    if stop.items or halt is None:
        return
    if halt.reason == "end-stepping-range":
        yield heading("It stopped after being stepped.")
    elif halt.reason in ("function-finished", "location-reached"):
        yield heading(f"It stopped at {_DELETED}.")
    elif halt.signal is not None:
        yield heading(f"It stopped at signal {', '.join(filter(None, (halt.signal, halt.why)))}.")
    elif halt.why is not None:
        yield heading(f"It stopped: {halt.why}.")


@command("info inferiors", topic="status")
def info_inferiors(shell: Shell, argument: str) -> Iterator[Part]:
    """Print a list of inferiors being managed.

    Usage: info inferiors [ID]...

    There is only one inferior: the program.
    """
    words = argument.split()
    if any(not is_decimal(word) for word in words):
        raise UsageError(f"Invalid inferior ID: {next(w for w in words if not is_decimal(w))}")
    if words and "1" not in words:
        yield Output("No inferiors.", {"inferiors": []})
        return
    from dwarfgpu.service.core.process_tables import inferiors

    yield from inferiors(shell.session, shell.machine.core)
