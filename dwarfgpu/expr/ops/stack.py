"""Stack operations (AMD text A.2.5.4.1).

Law: accessing an incomplete composite is ill-formed; a copied entry is accessed in full. The
evaluator refuses to pop one.

Declares DW_OP_dup, DW_OP_drop, DW_OP_over, DW_OP_pick, DW_OP_swap, DW_OP_rot.
"""

from __future__ import annotations

from dwarfgpu.errors import IllFormed
from dwarfgpu.expr.operand_codec import U8
from dwarfgpu.expr.operation import Stack, op
from dwarfgpu.model.location import Entry, IncompleteComposite


@op(0x12, spec="A.2.5.4.1")
def dup(entry: Entry) -> tuple[Entry, Entry]:
    """Duplicate the stack entry at the top."""
    return entry, entry


@op(0x13, spec="A.2.5.4.1")
def drop(entry: Entry) -> None:
    """Pop the stack entry at the top and discard it."""


@op(0x14, spec="A.2.5.4.1", equals="DW_OP_pick 1")
def over(stack: Stack) -> Entry:
    """Push a copy of the second stack entry."""
    return _copied(stack, 1)


@op(0x15, spec="A.2.5.4.1")
def pick(stack: Stack, *, index: U8) -> Entry:
    """Push a copy of the stack entry with an index; the top has index 0."""
    return _copied(stack, index)


@op(0x16, spec="A.2.5.4.1")
def swap(second: Entry, top: Entry) -> tuple[Entry, Entry]:
    """Swap the top two stack entries."""
    return top, second


@op(0x17, spec="A.2.5.4.1")
def rot(third: Entry, second: Entry, top: Entry) -> tuple[Entry, Entry, Entry]:
    """Rotate the top three stack entries: the top becomes the third."""
    return top, third, second


def _copied(stack: Stack, index: int) -> Entry:
    if index >= len(stack):
        entries = "entry" if index == 0 else "entries"
        raise IllFormed(f"{index + 1} stack {entries} needed, the stack has {len(stack)}")
    entry = stack[-1 - index]
    if isinstance(entry, IncompleteComposite):
        raise IllFormed("an incomplete composite location description cannot be copied")
    return entry
