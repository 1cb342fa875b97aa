"""The dialect of expressions: one rule for all commands (`docs/dialects.md`).

`--dialect`; else, for text with an operation that the dialect of the unit lacks, the one that has
it: of DWARF 6 by its name with DW_OP_, or a provisional one; else the dialect of the unit; else
that of today's AMD compilers.
"""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.expr.dialect.dialect import (
    AMD,
    AMD_PROVISIONAL,
    DIALECTS,
    DWARF6,
    DWARF6_PROVISIONAL,
    Dialect,
    dialect,
)
from dwarfgpu.expr.dialect.encodings import PROVISIONAL, encodings

DIALECT_HELP: Final = (
    f"dialect of the vendor encodings: {', '.join(DIALECTS)}; default: the dialect of the unit, "
    "else amd"
)
_NAME: Final = pattern(r"\b(dw_op_)?(\w+)", re.IGNORECASE)


def dialect_notes(
    chosen: Dialect, name: str | None = None, unit: Dialect | None = None, text: str = ""
) -> tuple[str, ...]:
    """Return the notes on the dialect that `dialect_for` returned for these arguments: provisional
    numbers of dwarfgpu, and a dialect that a name in the text selected."""
    if not chosen.provisional:
        is_chosen_by_text = name is None and chosen is DWARF6 and not (unit and unit.dwarf6)
        return (_chosen_by_text(text),) if is_chosen_by_text else ()
    of = " of DWARF 6" if chosen.dwarf6 else ""
    when = "in its public texts" if chosen.dwarf6 else "today"
    return (
        f"dialect {chosen}: operations{of} without a number {when} have provisional numbers of "
        "dwarfgpu",
    )


def dialect_for(
    name: str | None, unit: Dialect | None = None, text: str = "", *, writes: bool = False
) -> Dialect:
    """Return the dialect of an expression: `name` is that of `--dialect`, `text` the operations if
    they are text. `UsageError` for an unknown name.

    `writes`: whether the bytes are the answer, so that `--dialect dwarf6` must not have provisional
    numbers; other answers do not show them.
    """
    if name is not None:
        named = dialect(name)
        return named if writes or named is not DWARF6 else _dwarf6(text, bare=True) or named
    preferred = AMD if unit is None else unit
    words = {word.lower().removeprefix("dw_op_") for word in re.findall(r"\w+", text)}
    codes = encodings(preferred).codes
    unnumbered = {name.lower() for name in PROVISIONAL.values() if name not in codes}
    standard = None if preferred.dwarf6 else _dwarf6(text)
    return standard or (AMD_PROVISIONAL if words & unnumbered else preferred)


def _chosen_by_text(text: str) -> str:
    from dwarfgpu.expr.dialect.dwarf6_names import names  # few texts have any

    word = next(
        match[0]
        for match in _NAME.finditer(text)
        if match[1] and match[2].lower() in names().operations
    )
    return f"dialect {DWARF6}, because of {word}; --dialect names another"


def _dwarf6(text: str, *, bare: bool = False) -> Dialect | None:
    """Return the dialect of a text with names of DWARF 6; None if it has none.

    `bare`: names without DW_OP_ count.
    """
    words = [word for prefix, word in _NAME.findall(text.lower()) if prefix or bare]
    if not words:
        return None
    from dwarfgpu.expr.dialect.dwarf6_names import names  # few texts have any

    entries = [names().operations[word] for word in words if word in names().operations]
    if any(entry.provisional is not None for entry in entries):
        return DWARF6_PROVISIONAL
    return DWARF6 if entries else None
