"""Settings of GDB that cannot be changed here: values that always hold, and what `show` says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.arch.registry import name_in_gdb

IN_FORCE: Final[Mapping[str, tuple[str, ...]]] = {
    "architecture": ("auto",),
    "auto-solib-add": ("on",),
    "case-sensitive": ("auto",),
    "charset": ("auto", "UTF-8"),
    "check range": ("auto", "off"),
    "check type": ("on",),
    "cp-abi": ("auto", "gnu-v3"),
    "demangle-style": ("auto", "gnu-v3"),
    "disassembly-flavor": ("att",),
    "endian": ("auto",),
    "exec-direction": ("forward",),
    "filename-display": ("relative",),
    "host-charset": ("auto", "UTF-8"),
    "may-call-functions": ("off",),
    "multiple-symbols": ("all",),
    "opaque-type-resolution": ("on",),
    "osabi": ("auto", "default"),
    "overload-resolution": ("on",),
    "print asm-demangle": ("on",),
    "print demangle": ("on",),
    "print type nested-type-limit": ("0",),
    "suppress-cli-notifications": ("off",),
    "target-charset": ("auto", "UTF-8"),
    "target-wide-charset": ("auto", "UTF-32"),
    "trust-readonly-sections": ("off",),
    "write": ("off",),
}
"""Values that describe what dwarfgpu does anyway, of settings that cannot be changed."""
_RANGES: Final = 'Range checking is "auto; currently off".'
_TYPES: Final = "Strict type checking is on."
_SENTENCES: Final[Mapping[str, str]] = {
    "annotate": "Annotation_level is 0.",
    "args": 'Argument list to give program being debugged when it is started is "".',
    "auto-solib-add": "Autoloading of shared library symbols is on.",
    "charset": 'The host character set is "auto; currently UTF-8".\n'
    'The target character set is "auto; currently UTF-8".\n'
    'The target wide character set is "auto; currently UTF-32".',
    "check": f"check range:  {_RANGES}\ncheck type:  {_TYPES}",
    "check range": _RANGES,
    "check type": _TYPES,
    "cp-abi": 'The currently selected C++ ABI is "auto" (currently "gnu-v3").',
    "demangle-style": 'The current C++ demangling style is "auto".',
    "disassembly-flavor": 'The disassembly flavor is "att".',
    "exec-direction": "Forward.",
    "filename-display": 'Filenames are displayed as "relative".',
    "host-charset": 'The host character set is "auto; currently UTF-8".',
    "may-call-functions": "Permission to call functions in the program is off.",
    "mi-async": "Whether MI is in asynchronous mode is off.",
    "multiple-symbols": 'How the debugger handles ambiguities in expressions is "all".',
    "non-stop": "Controlling the inferior in non-stop mode is off.",
    "opaque-type-resolution": "Resolution of opaque struct/class/union types "
    "(if set before loading symbols) is on.",
    "overload-resolution": "Overload resolution in evaluating C++ functions is on.",
    "print asm-demangle": "Demangling of C++/ObjC names in disassembly listings is on.",
    "print demangle": "Demangling of encoded C++/ObjC names when displaying symbols is on.",
    "print finish": "Printing of return value after `finish' is on.",
    "print type nested-type-limit": "Will not print nested types defined in a class",
    "schedule-multiple": "Resuming the execution of threads of all processes is off.",
    "step-mode": "Mode of the step operation is off.",
    "stop-on-solib-events": "Stopping for shared library events is 0.",
    "suppress-cli-notifications": "Suppression of printing CLI notifications is off.",
    "target-charset": 'The target character set is "auto; currently UTF-8".',
    "target-wide-charset": 'The target wide character set is "auto; currently UTF-32".',
    "trust-readonly-sections": "Mode for reading from readonly sections is off.",
    "verbose": "Verbosity is off.",
    "write": "Writing into executable and core files is off.",
}  # fmt: skip
"""GDB's sentences, with the values that always hold."""


VALUES_IN_FORCE: Final[Mapping[str, str]] = {
    "annotate": "0",
    "args": "",
    "mi-async": "off",
    "non-stop": "off",
    "print finish": "on",
    "schedule-multiple": "off",
    "step-mode": "off",
    "stop-on-solib-events": "0",
    "verbose": "off",
    **{name: values[0] for name, values in IN_FORCE.items()},
}
"""What settings that have one value here have as their text in GDB."""
_NOT_A_VARIABLE: Final = "cp-abi"
"""A command pair of GDB without a variable for its value."""


def value_in_force(name: str) -> str | None:
    """Return the text of the value of a setting that has one value here and that `show` shows;
    None for others."""
    return None if name == _NOT_A_VARIABLE else VALUES_IN_FORCE.get(name)


def in_force(
    name: str, value: str, architecture: Architecture, *, ignores_case: bool = False
) -> bool:
    """Return whether a value of a setting describes what is done anyway."""
    if name == "case-sensitive" and value == _case_sensitivity(ignores_case):
        return True
    if name == "endian" and value == architecture.endian:
        return True
    if name == "architecture" and value == name_in_gdb(architecture):
        return True
    return value in IN_FORCE.get(name, ())


def sentence_in_force(
    name: str, architecture: Architecture, *, ignores_case: bool = False
) -> str | None:
    """Return GDB's sentence for a setting that has one value here; None for others."""
    if name == "case-sensitive":
        now = _case_sensitivity(ignores_case)
        return f'Case sensitivity in name search is "auto; currently {now}".'
    if name == "endian":
        return (
            f"The target endianness is set automatically (currently {architecture.endian} endian)."
        )
    if name == "architecture":
        own = name_in_gdb(architecture)
        return f'The target architecture is set to "auto" (currently "{own}").'
    return _SENTENCES.get(name)


def _case_sensitivity(ignores_case: bool) -> str:
    return "off" if ignores_case else "on"
