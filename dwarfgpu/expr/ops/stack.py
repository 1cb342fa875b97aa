"""Stack operations (AMD text A.2.5.4.1).

Law: an incomplete composite is no `Entry` here; the evaluator refuses it as ill-formed.
"""

from __future__ import annotations

from dwarfgpu.errors import IllFormed
from dwarfgpu.expr.codec import U8
from dwarfgpu.expr.operation import Stack, op
from dwarfgpu.model.location import Entry, PartialComposite


@op(0x12, spec="A.2.5.4.1")
def dup(entry: Entry) -> tuple[Entry, Entry]:
    """Duplicate the stack entry at the top."""
    return entry, entry


@op(0x13, spec="A.2.5.4.1")
def drop(entry: Entry) -> None:
    """Pop the stack entry at the top and discard it."""


@op(0x14, spec="A.2.5.4.1", equals="DW_OP_pick 1")
def over(second: Entry, top: Entry) -> tuple[Entry, Entry, Entry]:
    """Push a copy of the second stack entry."""
    return second, top, second


@op(0x15, spec="A.2.5.4.1")
def pick(stack: Stack, *, index: U8) -> Entry:
    """Push a copy of the stack entry with an index; the top has index 0."""
    if index >= len(stack):
        raise IllFormed(f"pick {index} of a stack of {len(stack)} entries")
    entry = stack[-1 - index]
    if isinstance(entry, PartialComposite):
        raise IllFormed("an incomplete composite location description cannot be copied")
    return entry


@op(0x16, spec="A.2.5.4.1")
def swap(second: Entry, top: Entry) -> tuple[Entry, Entry]:
    """Swap the top two stack entries."""
    return top, second


@op(0x17, spec="A.2.5.4.1")
def rot(third: Entry, second: Entry, top: Entry) -> tuple[Entry, Entry, Entry]:
    """Rotate the top three stack entries: the top becomes the third."""
    return top, third, second
