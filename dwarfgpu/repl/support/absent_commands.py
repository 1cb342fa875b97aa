"""GDB's commands that do not apply here: one line of each says why it is refused, or ignored.

`dwarfgpu.repl.running.resume_commands` refuses `attach`, `detach` and `return`.

Law: every command of GDB 13 is either here, or declared elsewhere with what it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import UsageError
from dwarfgpu.repl.command import Command
from dwarfgpu.repl.declared_settings import STARTS_NO_PROCESS
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.running.signal_commands import handled_signals
from dwarfgpu.repl.shell import Shell

_TUI: Final = 'use "list" and "disassemble /s" for source text and instructions'
_NOT_RECORDED: Final = 'execution is not recorded; "run" starts a kernel of --dispatch again'
_NO_SCRIPTS: Final = "files of the program contain no scripts"
_ONE_INFERIOR: Final = "there is one inferior"
_USE_FILE: Final = 'use "file"'
_NAMES_BY_REASON: Final[Mapping[str, tuple[str, ...]]] = {
    _TUI: (
        "+",
        "-",
        "<",
        ">",
        "focus, fs",
        "layout",
        "refresh",
        "tui",
        "update",
        "winheight, wh",
        "winwidth",
        "info win",
    ),
    _NOT_RECORDED: (
        "delete bookmark",
        "info bookmarks",
        "info record, rec",
        "record, rec",
        "reverse-continue, rc",
        "reverse-finish",
        "reverse-next, rn",
        "reverse-nexti, rni",
        "reverse-step, rs",
        "reverse-stepi, rsi",
        "target record-btrace",
        "target record-core",
        "target record-full",
    ),
    _USE_FILE: (
        "exec-file",
        "symbol-file",
        "target exec",
    ),
    _NO_SCRIPTS: ("info auto-load",),
    _ONE_INFERIOR: (
        "add-inferior",
        "clone-inferior",
        "detach inferiors",
        "kill inferiors",
        "remove-inferiors",
    ),
    '"file" or "load" opens another code object or state': (
        "add-symbol-file",
        "add-symbol-file-from-memory",
        "remove-symbol-file",
        "section",
    ),
    '"save" writes the state of a run, "run" starts a kernel of --dispatch again': (
        "checkpoint",
        "delete checkpoint",
        "detach checkpoint",
        "info checkpoints",
        "restart",
    ),
    "no code is compiled for the program": ("compile",),
    'use "break", with "silent", "printf" and "continue" as its "commands"': (
        "dprintf",
        "agent-printf",
    ),
    '"print" and "ptype" show complete values and types': ("explore",),
    "macros of -g3 are not read": (
        "macro",
        "info macro",
        "info macros",
    ),
    'start without "--sysroot" to leave out the symbols of libraries': ("nosharedlibrary",),
    'there are no tracepoints; "break" with "commands" shows values when a location is reached': (
        "actions",
        "collect",
        "delete tracepoints, tr",
        "delete tvariable",
        "ftrace",
        "info static-tracepoint-markers",
        "info tracepoints, tp",
        "info tvariables",
        "passcount",
        "save tracepoints",
        "strace",
        "target ctf",
        "target tfile",
        "tdump",
        "teval",
        "tfind",
        "trace, tp, tr, tra, trac",
        "tsave",
        "tstart",
        "tstatus",
        "tstop",
        "tvariable",
        "while-stepping, stepping, ws",
    ),
    "there is no remote target": (
        "disconnect",
        "flash-erase",
        "info connections",
        "monitor",
        "remote",
        "target extended-remote",
        "target remote",
    ),
    STARTS_NO_PROCESS: (
        "info terminal",
        "path",
        "show paths",
        "target native",
    ),
    'use "core-file"': ("target core",),
    "files of memory are binary": (
        "dump ihex",
        "dump srec",
        "dump tekhex",
        "dump verilog",
    ),
    "the program runs in the foreground: it stops before the prompt returns": (
        "interrupt",
        "stop",
    ),
    "waves receive no signals": ("queue-signal",),
    "Ada tasks are not read": (
        "info tasks",
        "task",
    ),
    'use "break" for one location': ("break-range",),
    'Guile is not built in; "python" runs Python code': (
        "guile, gu",
        "guile-repl, gr",
        "info guile, gu",
    ),
    '"python" runs Python code': ("python-interactive, pi",),
    'dwarfgpu starts no editor; "list" shows the source text': ("edit",),
    'use "shell make"': ("make",),
    "frames are those of the stack": (
        "frame view",
        "info frame view",
        "select-frame view",
    ),
    "frame filters are not supported": (
        "disable frame-filter",
        "enable frame-filter",
        "info frame-filter",
    ),
    "the debugger reads all memory that the target has": (
        "delete mem",
        "disable mem",
        "enable mem",
        "info dcache",
        "info mem",
    ),
    "pointers have no memory tags here": ("memory-tag",),
    "there are no overlays": ("overlay, ov, ovly",),
    "dwarfgpu does not read static probes": (
        "disable probes",
        "enable probes",
        "info probes",
    ),
    "types have the names of the debugging information": (
        "disable type-printer",
        "enable type-printer",
        "info type-printers",
    ),
    "frames are unwound by the call frame information": (
        "disable unwinder",
        "enable unwinder",
        "info unwinder",
    ),
    "methods written in Python are not called": (
        "disable xmethod",
        "enable xmethod",
        "info xmethod",
    ),
    'use "print"': ("print-object",),
    '"--interpreter json" and "set output json" serve programs': (
        "interpreter-exec",
        "new-ui",
    ),
    "dwarfgpu does not read debugging information that a program creates while it runs": (
        "jit-reader-load",
        "jit-reader-unload",
    ),
    'functions such as $_strlen are called in expressions, as in: print $_strlen("a")': (
        "function",
    ),
    'use "gdb-add-index"; dwarfgpu reads such indexes': ("save gdb-index",),
    'names of Ada are listed by "info variables"': ("info exceptions",),
    "Objective-C is not read": (
        "info classes",
        "info selectors",
    ),
    '"info source" shows the language of a file': ("info extensions",),
    "dwarfgpu reads nothing from the operating system": ("info os",),
    "see the file LICENSE of dwarfgpu": (
        "info copying",
        "info warranty",
        "show copying",
        "show warranty",
    ),
    'use "show version"': ("show configuration",),
    '"step" enters every function with line numbers': ("info skip",),
    "there are no target descriptions": ("unset tdesc",),
    'waves have no such event; "help catch" lists the supported events': (
        "catch assert",
        "catch catch",
        "catch exception",
        "catch exec",
        "catch fork",
        "catch handlers",
        "catch load",
        "catch rethrow",
        "catch signal",
        "catch syscall",
        "catch throw",
        "catch unload",
        "catch vfork",
        "tcatch assert",
        "tcatch catch",
        "tcatch exception",
        "tcatch exec",
        "tcatch fork",
        "tcatch handlers",
        "tcatch load",
        "tcatch rethrow",
        "tcatch signal",
        "tcatch syscall",
        "tcatch throw",
        "tcatch unload",
        "tcatch vfork",
    ),
    "it examines or changes GDB itself": (
        "maintenance agent",
        "maintenance agent-eval",
        "maintenance agent-printf",
        "maintenance btrace",
        "maintenance check",
        "maintenance check-psymtabs",
        "maintenance check-symtabs",
        "maintenance cplus, cp",
        "maintenance demangler-warning",
        "maintenance deprecate",
        "maintenance dump-me",
        "maintenance expand-symtabs",
        "maintenance flush",
        "maintenance info bfds",
        "maintenance info breakpoints",
        "maintenance info btrace",
        "maintenance info jit",
        "maintenance info line-table",
        "maintenance info program-spaces",
        "maintenance info psymtabs",
        "maintenance info selftests",
        "maintenance info symtabs",
        "maintenance info target-sections",
        "maintenance internal-error",
        "maintenance internal-warning",
        "maintenance packet",
        "maintenance print architecture",
        "maintenance print c-tdesc",
        "maintenance print cooked-registers",
        "maintenance print core-file-backed-mappings",
        "maintenance print dummy-frames",
        "maintenance print frame-id",
        "maintenance print msymbols",
        "maintenance print objfiles",
        "maintenance print psymbols",
        "maintenance print raw-registers",
        "maintenance print reggroups",
        "maintenance print register-groups",
        "maintenance print registers",
        "maintenance print remote-registers",
        "maintenance print statistics",
        "maintenance print symbol-cache",
        "maintenance print symbol-cache-statistics",
        "maintenance print symbols",
        "maintenance print target-stack",
        "maintenance print type",
        "maintenance print user-registers",
        "maintenance print xml-tdesc",
        "maintenance selftest",
        "maintenance set",
        "maintenance show",
        "maintenance space",
        "maintenance test-options",
        "maintenance time",
        "maintenance translate-address",
        "maintenance undeprecate",
        "maintenance with",
    ),
}
"""GDB's names by the reason why they are not supported, each followed by its abbreviations."""
ABSENT: Final = {
    name: why
    for why, entries in _NAMES_BY_REASON.items()
    for name in (entry.partition(",")[0] for entry in entries)
}
"""Why GDB's command is not supported, by its name."""
_SHORT: Final = {
    name: tuple(short.split(", "))
    for entries in _NAMES_BY_REASON.values()
    for name, _, short in (entry.partition(", ") for entry in entries)
    if short
} | {"unset environment": ("env",)}
WITHOUT_EFFECT: Final = {
    "add-auto-load-safe-path": _NO_SCRIPTS,
    "add-auto-load-scripts-directory": _NO_SCRIPTS,
    "handle": "waves receive no signals, and every fault stops them",
    "skip": '"step" enters every function with line numbers, "next" passes over it',
    "tty": STARTS_NO_PROCESS,
    "unset environment": STARTS_NO_PROCESS,
    "unset exec-wrapper": STARTS_NO_PROCESS,
}
"""Why GDB's command has no effect, by its name: scripts often contain it."""
NOTHING: Final = {
    "info checkpoints": "No checkpoints.",
    "info frame-filter": "No frame filters.",
    "info record": "No recording is currently active.",
    "info skip": "Not skipping any files or functions.",
    "info tracepoints": "No tracepoints.",
    "info tvariables": "No trace state variables.",
    "info win": "The TUI is not active.",
}
"""GDB's answer to a question for what there never is here."""


def _refused(name: str, why: str, shell: Shell, argument: str) -> Iterator[Part]:
    raise UsageError(f'"{name}" is not supported: {why}.')


def _ignored(name: str, why: str, shell: Shell, argument: str) -> Iterator[Part]:
    shell.console.note(f'"{name}" has no effect: {why}', once=True)
    return iter(())


def _nothing(name: str, why: str, shell: Shell, argument: str) -> Iterator[Part]:
    yield Output(NOTHING[name], {})


def _absent(name: str, why: str) -> Command:
    sentence = why if why.startswith("dwarfgpu") else why[:1].upper() + why[1:]
    text = f"A GDB command that dwarfgpu does not support.\n\nUsage: {name}\n\n{sentence}."
    action = _ignored if name in WITHOUT_EFFECT else _nothing if name in NOTHING else _refused
    run = partial(action, name, why)
    complete = handled_signals if name == "handle" else None
    return Command(name, text, run, "support", _SHORT.get(name, ()), complete, is_absent=True)


def with_absent(commands: Iterable[Command]) -> tuple[Command, ...]:
    """Return the commands, completed by those of GDB that are not supported, in their families."""
    by_family: dict[str, list[Command]] = {}
    for name, why in (ABSENT | WITHOUT_EFFECT).items():
        by_family.setdefault(name.rpartition(" ")[0], []).append(_absent(name, why))

    def completed(command: Command) -> Command:
        absent = by_family.get(command.name, ())
        inner = tuple(map(completed, command.subcommands))
        if not absent and inner == command.subcommands:
            return command
        has_run = command.takes_other or not inner
        return evolve(command, subcommands=(*inner, *absent), takes_other=has_run)

    return (*map(completed, commands), *by_family[""])
