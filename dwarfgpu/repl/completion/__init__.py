"""Complete a line that is typed: commands, and the arguments of each kind.

A command's completer is one of the constants for whole arguments (`VALUES`, `LINESPECS`, …) or one
of the functions for a single word (`files`, `registers`, …).
"""

from __future__ import annotations

from dwarfgpu.repl.completion.expression_words import (
    VALUES,
    as_in_file,
    functions,
    lanes,
    operands,
    registers,
    variables,
)
from dwarfgpu.repl.completion.lines import (
    ALIASED,
    FILE,
    LINES,
    NESTED_NAMES,
    PIPED,
    QUOTED_FILE,
    UNDER_SETTING,
    applied,
    command_names,
    completions,
    files,
    is_completed,
    lines_after,
    with_options,
    words,
)
from dwarfgpu.repl.completion.linespec_words import FUNCTIONS, LINESPECS, SYMBOLS

__all__ = [
    "ALIASED",
    "FILE",
    "FUNCTIONS",
    "LINES",
    "LINESPECS",
    "NESTED_NAMES",
    "PIPED",
    "QUOTED_FILE",
    "SYMBOLS",
    "UNDER_SETTING",
    "VALUES",
    "applied",
    "as_in_file",
    "command_names",
    "completions",
    "files",
    "functions",
    "is_completed",
    "lanes",
    "lines_after",
    "operands",
    "registers",
    "variables",
    "with_options",
    "words",
]
