"""Control flow as data: results of operations other than stack entries (AMD text A.2.5.4.2).

Only `evaluate.py` moves the program counter or starts an evaluation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from dwarfgpu.base.records import frozen
from dwarfgpu.expr.context import Context, ExprLoc, LocationAttribute
from dwarfgpu.model.location import Entry


@frozen
class Jump:
    """Continue `by` bytes after the operation."""

    by: int


@frozen
class Enter:
    """Perform the operations of another expression on the same stack."""

    attribute: ExprLoc | None
    """None of an entry without a location, which has no effect: finding that takes as long."""


@frozen
class Outcome:
    """The result of an evaluation."""

    entry: Entry
    last_register: int | None
    """The register of its last operation, if that was a DW_OP_reg*."""


@frozen
class Nested:
    """Evaluate something else first, in its own context; push the result of `then`.

    So is a constant, which an entry has in place of a location: finding it takes as long.
    """

    attribute: LocationAttribute
    context: Context
    then: Callable[[Outcome], Entry]


Control: TypeAlias = Jump | Enter | Nested
