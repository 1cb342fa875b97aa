"""What the words of a command line are: operations, or names and expressions of the language."""

from __future__ import annotations

import argparse
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError
from dwarfgpu.terminal.input import text_input

NOTHING: Final = "nothing to evaluate: give operations, or --file and names"
_WORD: Final = pattern(r"(?<![\w$])[A-Za-z_]\w*")
_BEGINS_EXPRESSION: Final = pattern(r"""\s*([$*&!~{'"]|sizeof\b)""")
"""No operations begin so."""
_IN_EXPRESSION: Final = pattern(
    r"\$\w|\b(?:global|generic|region|local|private_lane|private_wave)#\w"
)
"""Registers and addresses, for which an expression of the language needs no types of a file."""


def require_subject(args: argparse.Namespace) -> None:
    """Raise `UsageError` if an option lacks another one that it needs."""
    if args.subject == ["-"]:
        args.subject = [text_input(args.subject, None).strip()]
    if args.subject and not args.hex and not "".join(args.subject).strip():
        raise UsageError(NOTHING)  # an empty expression is -e ''
    if args.hex and not args.subject:
        raise UsageError("--hex needs the bytes of an expression")
    if args.expression is not None and args.subject:
        raise UsageError("give operations with -e or as arguments, not both")


def names_something(text: str) -> bool:
    """Return whether a word is in a text, as the name of a variable or an operation is."""
    return _WORD.search(text) is not None


def names_operation(text: str) -> bool:
    """Return whether a word of a text is the name of an operation."""
    import dwarfgpu.expr.ops  # noqa: F401 - declares them
    from dwarfgpu.expr.operation import OPERATIONS

    return any(word.removeprefix("DW_OP_") in OPERATIONS for word in _WORD.findall(text))


def is_expression(text: str) -> bool:
    """Return whether a text can only be an expression of the language, where no code object has
    names."""
    if _BEGINS_EXPRESSION.match(text):
        return True
    return _IN_EXPRESSION.search(text) is not None and not names_operation(text)
