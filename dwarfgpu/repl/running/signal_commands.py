"""`info signals`: GDB's handling of each signal, with its texts and numbers.

Nothing runs here, so signals are not handled; the table is GDB's initial one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.errors import SeveralLines, UsageError
from dwarfgpu.language.hsa_types import has_gpus
from dwarfgpu.repl.command import Candidate, command
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.machine.packets_and_signals import signal_at
from dwarfgpu.service.value.value_history import whole_number
from dwarfgpu.view.json_object import JsonObject

_NAMED: Final = """
SIGHUP Hangup|SIGINT Interrupt|SIGQUIT Quit|SIGILL Illegal instruction
SIGTRAP Trace/breakpoint trap|SIGABRT Aborted|SIGEMT Emulation trap
SIGFPE Arithmetic exception|SIGKILL Killed|SIGBUS Bus error|SIGSEGV Segmentation fault
SIGSYS Bad system call|SIGPIPE Broken pipe|SIGALRM Alarm clock|SIGTERM Terminated
SIGURG Urgent I/O condition|SIGSTOP Stopped (signal)|SIGTSTP Stopped (user)|SIGCONT Continued
SIGCHLD Child status changed|SIGTTIN Stopped (tty input)|SIGTTOU Stopped (tty output)
SIGIO I/O possible|SIGXCPU CPU time limit exceeded|SIGXFSZ File size limit exceeded
SIGVTALRM Virtual timer expired|SIGPROF Profiling timer expired|SIGWINCH Window size changed
SIGLOST Resource lost|SIGUSR1 User defined signal 1|SIGUSR2 User defined signal 2
SIGPWR Power fail/restart|SIGPOLL Pollable event occurred|SIGWIND SIGWIND|SIGPHONE SIGPHONE
SIGWAITING Process's LWPs are blocked|SIGLWP Signal LWP|SIGDANGER Swap space dangerously low
SIGGRANT Monitor mode granted|SIGRETRACT Need to relinquish monitor mode
SIGMSG Monitor mode data available|SIGSOUND Sound completed|SIGSAK Secure attention
SIGPRIO SIGPRIO
"""
_LAST: Final = """
SIGINFO Information request|EXC_BAD_ACCESS Could not access memory
EXC_BAD_INSTRUCTION Illegal instruction/operand|EXC_ARITHMETIC Arithmetic exception
EXC_EMULATION Emulation instruction|EXC_SOFTWARE Software generated exception
EXC_BREAKPOINT Breakpoint|SIGLIBRT librt internal signal
"""


def _pairs(text: str) -> list[tuple[str, str]]:
    lines = text.strip().replace("\n", "|").split("|")
    return [(name, about) for name, _, about in (line.partition(" ") for line in lines)]


def _real_time(first: int, last: int) -> list[tuple[str, str]]:
    return [(f"SIG{number}", f"Real-time event {number}") for number in range(first, last + 1)]


SIGNALS: Final = (
    *_pairs(_NAMED),
    *_real_time(33, 63),
    ("SIGCANCEL", "LWP internal signal"),
    *_real_time(32, 32),
    *_real_time(64, 127),
    *_pairs(_LAST),
)
"""Names and descriptions in the order of GDB's numbers, which begin at 1."""
_MEANINGS: Final = dict(SIGNALS)
_UNNOTICED: Final = frozenset(
    f"SIG{name}"
    for name in (
        "ALRM",
        "URG",
        "IO",
        "VTALRM",
        "PROF",
        "CHLD",
        "POLL",
        "LWP",
        "WAITING",
        "CANCEL",
        "WINCH",
        "PRIO",
        "LIBRT",
    )
)
"""Signals at which GDB neither stops nor prints."""
_NOT_PASSED: Final = frozenset({"SIGTRAP", "SIGINT"})
"""Signals that GDB does not pass to the program."""
_ACTIONS: Final = (
    "all", "ignore", "noignore", "nopass", "noprint", "nostop", "pass", "print", "stop",
)  # fmt: skip
_MAX_NUMBER: Final = 15
"""GDB takes these numbers alone: they are the same everywhere."""
_LEAST_ADDRESS: Final = 4096
"""No signal of a runtime is in the first page of memory."""
_NAME_COLUMNS: Final = 13
_TITLE: Final = "Signal        Stop\tPrint\tPass to program\tDescription"


def signal_meaning(name: str | None) -> str:
    """Return `Segmentation fault`, as GDB names it; None is its signal 0, which is none."""
    return "Signal 0" if name is None else _MEANINGS.get(name, "Unknown signal")


def _names(shell: Shell, word: str) -> Iterator[Candidate]:
    return (Candidate(name, about) for name, about in SIGNALS)


def handled_signals(shell: Shell, word: str) -> Iterator[Candidate]:
    """Yield what `handle` takes: signals, and what is to be done for them."""
    yield from _names(shell, word)
    yield from map(Candidate, _ACTIONS)


@command("info signals", topic="data", aliases=("handle",), complete=_names)
def info_signals(shell: Shell, argument: str) -> Iterator[Part]:
    """Show what the debugger does when the program gets signals.

    Usage: info signals [SIGNAL]
       or: info signal ADDRESS

    The table shows GDB's defaults: waves receive no signals. SIGNAL is a name, or an expression
    with a value from 1 to 15. For the ADDRESS of a signal of the HSA runtime (amd_signal_t), shows
    its fields.
    """
    if argument and (address := _address(shell, argument)):
        signal = signal_at(shell.session, address)
        yield Output("\n".join(signal.lines), signal.record, "amd-signals")
        return
    yield heading(_TITLE)
    if argument:
        yield _line(*_signal(shell, argument))
        return
    yield heading("")
    for name, about in SIGNALS:
        yield _line(name, about)
    yield heading('\nUse the "handle" command to change these tables.')


def _address(shell: Shell, argument: str) -> int | None:
    """Return the address of a signal of a GPU's runtime; None for a signal of the operating
    system."""
    if argument.startswith("SIG") or not has_gpus(shell.session):
        return None
    number = whole_number(shell.session, shell.values, argument)
    return number if number >= _LEAST_ADDRESS else None


def _signal(shell: Shell, argument: str) -> tuple[str, str]:
    for signal in SIGNALS:
        if signal[0] == argument:
            return signal
    number = whole_number(shell.session, shell.values, argument)
    if number > _MAX_NUMBER and has_gpus(shell.session):
        raise UsageError(
            f"{number:#x} is not a signal: signal numbers are 1 to {_MAX_NUMBER}, and addresses "
            f"of HSA signals are {_LEAST_ADDRESS:#x} or higher."
        )
    if not 1 <= number <= _MAX_NUMBER:
        raise SeveralLines(
            f"Only signals 1-{_MAX_NUMBER} are valid as numeric signals.\n"
            'Use "info signals" for a list of symbolic signals.'
        )
    return SIGNALS[number - 1]


def _line(name: str, about: str) -> Output:
    noticed, passed = name not in _UNNOTICED, name not in _NOT_PASSED
    stop, pass_ = ("Yes" if flag else "No" for flag in (noticed, passed))
    data: JsonObject = {
        "name": name, "stop": noticed, "print": noticed, "pass": passed, "description": about,
    }  # fmt: skip
    text = f"{name:<{_NAME_COLUMNS}} {stop}\t{stop}\t{pass_}\t\t{about}"
    return Output(text, data, "signals")
