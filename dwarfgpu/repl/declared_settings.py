"""The settings: names, values, and sentences, GDB's where GDB has them.

`SETTINGS` are implemented. Of GDB's other settings, `WITHOUT_EFFECT` are accepted with a note;
`NOT_BUILT` and `WITHOUT_MEANING` are refused, the latter with the reason, but for values that hold
anyway (`dwarfgpu.repl.settings_in_force`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwarfgpu.dwarf.constants import Spelling
from dwarfgpu.expr.dialect.dialect import VGPR_HOLDS
from dwarfgpu.repl.setting import Setting, SettingValue

UNASSUMED: Final = "unknown"
"""What a vector register holds without an assumption."""
RADICES: Final = {8: "o", 10: None, 16: "x"}
"""Output radices, and the letters of their format."""
LANGUAGES: Final = (
    "auto", "local", "unknown", "ada", "asm", "c", "c++", "d", "fortran", "go", "minimal",
    "modula-2", "objective-c", "opencl", "pascal", "rust",
)  # fmt: skip
SPELLED: Final[Mapping[str, Spelling | None]] = {
    "auto": None, "local": None, "ada": (False, "ada"), "asm": ("names", "c"), "c": (False, "c"),
    "c++": (True, "c"), "fortran": (False, "fortran"), "minimal": (False, "c"),
    "pascal": (False, "pascal"),
}  # fmt: skip
"""The languages for values; None: that of the frame, or of the value."""
OF_FRAME: Final = ("asm", "c", "c++")
"""Languages of frames in which all values are written; others than these leave each its own."""
FRAME_INFO: Final = (
    "auto", "source-line", "location", "source-and-location", "location-and-address",
    "short-location",
)  # fmt: skip


def _nested(value: SettingValue) -> str:
    if value is None:
        return "Will print all nested types defined in a class"
    if not value:
        return "Will not print nested types defined in a class"
    return f"Will print nested types defined in a class to a depth of {value}"


def _styled(value: SettingValue) -> str:
    return f"CLI output styling is {'enabled' if value else 'disabled'}."


def _logs(value: SettingValue) -> str:
    return f"{'on: Logging is enabled' if value else 'off: Logging is disabled'}."


def _overwrites(value: SettingValue) -> str:
    how = "on: Logging overwrites" if value else "off: Logging appends to"
    return f"{how} the log file."


def _redirects(value: SettingValue) -> str:
    if value:
        return "on: Output will go only to the log file."
    return "off: Output will go to both the screen and the log file."


def _prompt(value: SettingValue) -> str:
    return f'Dwarfgpu\'s prompt is "{value or "(dwarfgpu FOCUS)"} ".'


def _flag(
    name: str, default: bool, shown: str, help: str, help_details: str = "", shown_help: str = ""
) -> Setting:
    return Setting(
        name, "boolean", default, shown, help, help_details=help_details, shown_help=shown_help
    )


_PRINT: Final = (
    _flag("print address", True, "Printing of addresses is {}.", "printing of addresses."),
    _flag("print array", False, "Pretty formatting of arrays is {}.",
          "pretty formatting of arrays."),
    _flag("print array-indexes", False, "Printing of array indexes is {}.",
          "printing of array indexes."),
    Setting(
        "print elements", "limit", 200,
        "Limit on string chars or array elements to print is {}.",
        "limit on string chars or array elements to print.",
        help_details='"unlimited" causes there to be no limit.',
    ),
    Setting(
        "print entry-values", "choice", "default",
        'Printing of function arguments at function entry is "{}".',
        "printing of function arguments at function entry.",
        ("no", "only", "preferred", "if-needed", "both", "compact", "default"),
        help_details="In the line of a frame, n@entry is what the caller passed for n, if the\n"
        "debug information of the call says it.",
    ),
    Setting(
        "print frame-arguments", "choice", "scalars",
        'Printing of non-scalar frame arguments is "{}".',
        "printing of non-scalar frame arguments.", ("all", "scalars", "none", "presence"),
    ),
    Setting(
        "print frame-info", "choice", "auto", 'Printing of frame information is "{}".',
        "printing of frame information.", FRAME_INFO,
    ),
    Setting(
        "print max-depth", "depth", 20, "Maximum print depth is {}.",
        "maximum print depth for nested structures, unions and arrays.",
        help_details='Deeper levels are shown as {...}; "unlimited" shows all.',
        shown_help="maximum print depth for nested structures, unions, and arrays.",
    ),
    Setting(
        "print max-symbolic-offset", "limit", None,
        "The largest offset that will be printed in <symbol+1234> form is {}.",
        "the largest offset that will be printed in <SYMBOL+1234> form.",
        help_details="Addresses further after their symbol are shown without it.",
    ),
    _flag("print nibbles", False, "Printing binary values in groups is {}.",
          "whether to print binary values in groups of four bits."),
    _flag("print null-stop", False,
          "Printing of char arrays to stop at first null char is {}.",
          "printing of char arrays to stop at first null char."),
    _flag("print object", False,
          "Printing of object's derived type based on vtable info is {}.",
          "printing of C++ virtual function tables.",
          "When on, a pointer or an object of a class with virtual functions is shown as the\n"
          "class that it was created as."),
    _flag("print pretty", False, "Pretty formatting of structures is {}.",
          "pretty formatting of structures."),
    _flag("print raw-frame-arguments", False,
          "Whether to print frame arguments in raw form is {}.",
          "whether to print frame arguments in raw form.",
          "If set, frame arguments are printed in raw form, bypassing any\n"
          "pretty-printers for that value."),
    _flag("print raw-values", False, "Whether to print values in raw form is {}.",
          "whether to print values in raw form.",
          "If set, values are printed in raw form, bypassing any\n"
          "pretty-printers for that value."),
    Setting(
        "print repeats", "limit", 10, "Threshold for repeated print elements is {}.",
        "threshold for repeated print elements.",
        help_details='"unlimited" causes all elements to be individually printed.',
    ),
    _flag("print sevenbit-strings", False,
          r"Printing of 8-bit characters in strings as \nnn is {}.",
          r"printing of 8-bit characters in strings as \nnn."),
    _flag("print static-members", True, "Printing of C++ static members is {}.",
          "printing of C++ static members."),
    _flag("print symbol", True, "Printing of symbols when printing pointers is {}.",
          "printing of symbol names when printing pointers."),
    _flag("print symbol-filename", False,
          "Printing of source filename and line number with <symbol> is {}.",
          "printing of source filename and line number with <SYMBOL>."),
    Setting(
        "print type hex", "boolean", False,
        "Display of struct members offsets and sizes in hexadecimal is {}",
        "printing of struct members sizes and offsets using hex notation.",
        shown_help="whether sizes and offsets of struct members are printed using hex notation.",
    ),
    _flag("print type methods", True, "Printing of methods defined in a class in {}",
          "printing of methods defined in classes."),
    _flag("print type typedefs", True, "Printing of typedefs defined in a class in {}",
          "printing of typedefs defined in classes."),
    _flag("print union", True, "Printing of unions interior to structures is {}.",
          "printing of unions interior to structures."),
    _flag("print vtbl", False, "Printing of C++ virtual function tables is {}.",
          "printing of C++ virtual function tables.",
          "Has an effect in GDB on tables of an old ABI only; \"info vtbl\" shows a table."),
)  # fmt: skip

SETTINGS: Final = tuple(sorted((
    *_PRINT,
    Setting(
        "backtrace limit", "limit", None,
        "An upper bound on the number of backtrace levels is {}.",
        "an upper bound on the number of backtrace levels.",
        help_details='Frames beyond it are not shown; "unlimited" removes the limit.',
        shown_help="the upper bound on the number of backtrace levels.",
    ),
    _flag("backtrace past-entry", False,
          "Whether backtraces should continue past the entry point of a program is {}.",
          "whether backtraces should continue past the entry point of a program.",
          "The frames outside of it are seldom interesting."),
    _flag("backtrace past-main", False,
          'Whether backtraces should continue past "main" is {}.',
          'whether backtraces should continue past "main".',
          'The frames outside of "main" are seldom of interest.'),
    Setting(
        "breakpoint pending", "auto boolean", "auto",
        "Debugger's behavior regarding pending breakpoints is {}.",
        "debugger's behavior regarding pending breakpoints.",
        ("on", "off", "auto"),
        help_details="If off, an unrecognized breakpoint location results in an error. If auto, a\n"
        "terminal asks whether to create a pending breakpoint. There are none: code is not loaded\n"
        "later.",
    ),
    _flag("confirm", True, "Whether to confirm potentially dangerous operations is {}.",
          "whether to confirm potentially dangerous operations."),
    Setting(
        "disassemble-next-line", "auto boolean", "off",
        "Debugger's willingness to use disassemble-next-line is {}.",
        "whether to disassemble next source line or insn when execution stops.",
        ("on", "off", "auto"),
        help_details='With "on" the code of the line of the frame in focus is shown below it, '
        'with "auto" one instruction where no source line is known.',
    ),
    Setting(
        "editing-mode", "choice", "emacs",
        "The keys of the line editor are those of {}.",
        "the key bindings of the line editor.", ("emacs", "vi"),
    ),
    Setting(
        "height", "limit", None, "Number of lines dwarfgpu thinks are in a page is {}.",
        "number of lines in a page for dwarfgpu output pagination.",
        help_details="Lines per page before the prompt to continue; 0 disables paging.",
    ),
    _flag("index-cache enabled", True, "The index cache is {}.",
          "whether the index cache is used.",
          "When on, names in large files are kept in the cache folder of the user. Files that are\n"
          "opened with --no-cache stay without it."),
    Setting(
        "input-radix", "integer", 10,
        "Default input radix for entering numbers is {}.",
        "default input radix for entering numbers.",
        help_details="The base of integers in expressions that have no prefix (0x, 0, 0b, 0d).",
    ),
    Setting(
        "language", "choice", "auto", 'The current source language is "{}".',
        "the current source language.", LANGUAGES,
        help_details='The syntax of printed values and types; "auto" is that of the frame in C and '
        "C++, else that of their source file. "
        "Expressions are read by the rules of C and C++ together.",
    ),
    Setting(
        "listsize", "limit", 10,
        "Number of source lines dwarfgpu will list by default is {}.",
        "number of source lines dwarfgpu will list by default.",
        help_details='Of "list" without a range.',
    ),
    Setting(
        "logging enabled", "boolean", False, _logs, "logging.",
        shown_help="whether logging is enabled.",
    ),
    Setting(
        "logging file", "file", "dwarfgpu.txt", 'The current logfile is "{}".',
        "the current logfile.",
        help_details="The file that receives output while logging is enabled.",
    ),
    Setting(
        "logging overwrite", "boolean", False, _overwrites,
        "whether logging overwrites or appends to the log file.",
        help_details="If set, logging overwrites the log file.",
    ),
    Setting(
        "logging redirect", "boolean", False, _redirects, "the logging output mode.",
        help_details="If redirect is off, output will go to both the screen and the log file.\n"
        "If redirect is on, output will go only to the log file.",
    ),
    Setting(
        "output", "choice", "text", "The output format is {}.",
        "the output format: text, or JSON lines.", ("text", "json"),
    ),
    Setting(
        "output-radix", "integer", 10,
        "Default output radix for printing of values is {}.",
        "default output radix for printing of values.",
        help_details="8, 10 or 16: the default for integers without a format.",
    ),
    _flag("pagination", True, "State of pagination is {}.",
          "state of dwarfgpu output pagination.",
          "At a terminal, output is shown page by page."),
    Setting(
        "prompt", "text", "", _prompt, "dwarfgpu's prompt.",
        help_details="The default prompt names the wave or thread, and the lane, in focus.",
    ),
    Setting(
        "scheduler-locking", "choice", "replay",
        'Mode for locking scheduler during execution is "{}".',
        "mode for locking scheduler during execution.", ("off", "on", "step", "replay"),
        help_details='With "on" only the wave in focus runs, with "step" while it is stepped; '
        '"off" and "replay" let all run.',
    ),
    Setting(
        "style enabled", "boolean", True, _styled, "whether CLI styling is enabled.",
        help_details="If enabled, output to the terminal is styled.",
        shown_help="whether CLI is enabled.",
    ),
    _flag("trace-commands", False, "State of GDB CLI command tracing is {}.",
          "tracing of GDB CLI commands.",
          "When 'on', each command is displayed as it is executed."),
    Setting(
        "vgpr-holds", "choice", UNASSUMED,
        "What a vector register holds where upstream clang does not say it is {}.",
        "what a vector register holds where upstream clang does not say: value, address or "
        "unknown.",
        (UNASSUMED, *VGPR_HOLDS.values()),
        help_details="Upstream clang describes a variable whose value a vector register of an AMD "
        "GPU holds\nas it does one whose address the register holds. Such a variable is not read "
        'unless\nthis is "value" or "address", as the option --quirk of the command line says.',
    ),
    Setting(
        "width", "limit", None, "Number of characters dwarfgpu thinks are in a line is {}.",
        "number of characters in a line of dwarfgpu output.",
        help_details="Tables and drawings are wrapped at it; 0 means no limit.",
    ),
), key=lambda setting: setting.name))  # fmt: skip
"""All settings, by name."""

STARTS_NO_PROCESS: Final = "dwarfgpu starts no process"
_ALL_STOP: Final = "all waves stop together"
_NO_CALLS: Final = "no function of the program can be called"
_NO_MESSAGES: Final = "dwarfgpu has no messages about its own work"
_ANY_SIZE: Final = "values have any size, --max-bytes limits what is read of one"
_NO_CACHE: Final = "target memory needs no cache"
_NO_REMOTE: Final = "there is no remote target"
_NO_TRACEPOINTS: Final = "there are no tracepoints"
_NO_SCRIPTS: Final = "files of the program contain no scripts"
_SIMULATED: Final = "breakpoints are of the simulated machine, not instructions in its memory"
_TERMINAL: Final = "lines are edited and questions asked where the input is a terminal"
_STYLES: Final = (
    "address", "disassembler", "filename", "function", "highlight", "metadata", "sources", "title",
    "tui-active-border", "tui-border", "tui-current-position", "variable", "version",
)  # fmt: skip
WITHOUT_EFFECT: Final[Mapping[str, str]] = {
    "annotate": 'programs use "set output json"',
    "args": "a program is started by its backend",
    "auto-connect-native-target": STARTS_NO_PROCESS,
    "auto-load": _NO_SCRIPTS,
    "breakpoint always-inserted": _SIMULATED,
    "breakpoint auto-hw": _SIMULATED,
    "breakpoint condition-evaluation": _SIMULATED,
    "can-use-hw-watchpoints": "the simulated machine needs no hardware for watchpoints",
    "circular-trace-buffer": _NO_TRACEPOINTS,
    "code-cache": _NO_CACHE,
    "complaints": "mistakes in debugging information are errors where they matter",
    "cwd": STARTS_NO_PROCESS,
    "dcache": _NO_CACHE,
    "debuginfod": "dwarfgpu downloads nothing",
    "detach-on-fork": STARTS_NO_PROCESS,
    "disable-randomization": STARTS_NO_PROCESS,
    "disconnected-dprintf": _NO_TRACEPOINTS,
    "disconnected-tracing": _NO_TRACEPOINTS,
    "displaced-stepping": STARTS_NO_PROCESS,
    "editing": _TERMINAL,
    "environment": STARTS_NO_PROCESS,
    "exec-file-mismatch": STARTS_NO_PROCESS,
    "exec-wrapper": STARTS_NO_PROCESS,
    "follow-exec-mode": STARTS_NO_PROCESS,
    "follow-fork-mode": STARTS_NO_PROCESS,
    "history": "the line editor keeps the commands of this session",
    "index-cache directory": "the environment variable XDG_CACHE_HOME names the folder",
    "inferior-tty": STARTS_NO_PROCESS,
    "interactive-mode": _TERMINAL,
    "logging debugredirect": _NO_MESSAGES,
    "max-completions": '"complete" lists at most 200 completions',
    "max-value-size": _ANY_SIZE,
    "may-insert-fast-tracepoints": _NO_TRACEPOINTS,
    "may-insert-tracepoints": _NO_TRACEPOINTS,
    "may-interrupt": STARTS_NO_PROCESS,
    "mi-async": _ALL_STOP,
    "non-stop": _ALL_STOP,
    "print finish": '"finish" always shows the value',
    "print inferior-events": STARTS_NO_PROCESS,
    "print memory-tag-violations": "pointers have no memory tags here",
    "print pascal_static-members": '"print static-members" is for those of Pascal, too',
    "print symbol-loading": "there are no messages about symbols",
    "print thread-events": "starts and ends of waves are not announced",
    "python": 'Python code finds "session" and "execute"',
    "remote": _NO_REMOTE,
    "remoteaddresssize": _NO_REMOTE,
    "remotecache": _NO_REMOTE,
    "remoteflow": _NO_REMOTE,
    "remotelogbase": _NO_REMOTE,
    "remotelogfile": _NO_REMOTE,
    "remotetimeout": _NO_REMOTE,
    "remotewritesize": _NO_REMOTE,
    "schedule-multiple": "there is one inferior",
    "serial": _NO_REMOTE,
    "stack-cache": _NO_CACHE,
    "startup-quietly": 'start with "--quiet" to omit the greeting',
    "startup-with-shell": STARTS_NO_PROCESS,
    "step-mode": '"step" stops only where a line begins',
    "stop-on-solib-events": STARTS_NO_PROCESS,
    **{f"style {what}": "the colours of the output are dwarfgpu's own" for what in _STYLES},
    "tcp": _NO_REMOTE,
    "trace-buffer-size": _NO_TRACEPOINTS,
    "trace-notes": _NO_TRACEPOINTS,
    "trace-stop-notes": _NO_TRACEPOINTS,
    "trace-user": _NO_TRACEPOINTS,
    "tui": "there is no text user interface",
    "unwind-on-terminating-exception": _NO_CALLS,
    "unwindonsignal": _NO_CALLS,
    "varsize-limit": _ANY_SIZE,
    "verbose": _NO_MESSAGES,
    "watchdog": _NO_REMOTE,
}
"""Settings of GDB that change nothing that is shown here, and why: `set` takes them with a note, as
they are in many files of commands."""
WITHOUT_MEANING: Final[Mapping[str, str]] = {
    "debug": f'{_NO_MESSAGES}; "explain" shows how a value is found',
    "amdgpu": "dwarfgpu uses no GPU driver or runtime",
    "disassembly-flavor": "x86 instructions are shown in AT&T syntax",
    "disassembler-options": "there is only one syntax for instructions",
    "print asm-demangle": "names beside code are demangled unless --mangled is given",
    "solib-search-path": 'use "set sysroot" for the libraries of another machine',
}
"""Settings of GDB that cannot apply here, and why."""
NOT_BUILT: Final = (
    "ada", "agent", "architecture", "auto-solib-add", "basenames-may-differ", "case-sensitive",
    "charset", "check", "check range", "check type", "coerce-float-to-double", "compile-args",
    "compile-gcc", "cp-abi",
    "data-directory", "default-collect", "demangle-style", "dprintf-channel", "dprintf-function",
    "dprintf-style", "dump-excluded-mappings", "endian", "exec-direction", "exec-done-display",
    "extended-prompt", "extension-language", "filename-display", "fortran", "frame-filter",
    "gnutarget", "guile", "host-charset", "libthread-db-search-path", "max-user-call-depth",
    "may-call-functions", "may-insert-breakpoints", "may-write-memory", "may-write-registers",
    "mem", "mpx", "multiple-symbols", "observer", "opaque-type-resolution", "osabi",
    "overload-resolution", "print demangle", "print type nested-type-limit",
    "processor", "range-stepping", "ravenscar", "record", "script-extension", "source",
    "struct-convention", "suppress-cli-notifications", "target-charset", "target-file-system-kind",
    "target-wide-charset", "tdesc", "trust-readonly-sections", "use-coredump-filter",
    "use-deprecated-index-sections", "write",
)  # fmt: skip
"""Settings of GDB that are not implemented."""
