"""Stacks of an explanation: as text, as JSON, and what an operation left undefined on them.

Laws: a composite that many stacks share is searched and written once; a stack makes a bounded text
and a bounded record, however large its entries are, and says how many of them it omits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from dwarfgpu.expr.evaluate import Step
from dwarfgpu.model.location import Entry, IncompleteComposite
from dwarfgpu.view.composite_parts import UndefinedParts
from dwarfgpu.view.json_object import Plain
from dwarfgpu.view.location_json import DistinctParts, stack_json
from dwarfgpu.view.location_text import CompositeTexts, entry_text

_TEXT_ENTRIES: Final = 4


class Stacks:
    """The stacks of the steps of one explanation."""

    def __init__(self) -> None:
        self._undefined = UndefinedParts()
        self._texts: CompositeTexts = {}
        self._parts: DistinctParts = {}

    def text(self, entries: tuple[Entry, ...], depth: int) -> str:
        """Return the topmost entries of a stack of `depth` entries."""
        shown = ", ".join(entry_text(entry, self._texts) for entry in entries[-_TEXT_ENTRIES:])
        return f"[{'… ' if depth > _TEXT_ENTRIES else ''}{shown}]"

    def record(self, entries: tuple[Entry, ...], depth: int) -> list[Plain]:
        """Return `stack_before` or `stack_after` of `dwarfgpu-explain-1`."""
        return stack_json(entries, depth, self._parts)

    def has_undefined(self, entry: Entry) -> bool:
        """Return whether any bits of an entry are undefined."""
        return self._undefined.are_in(entry)

    def is_made_undefined(self, step: Step) -> bool:
        """Return whether an operation put undefined bits on the stack by itself: no entry that it
        took has any. Of an incomplete composite, it made the last part."""
        if not step.after or any(entry is step.after[-1] for entry in step.before):
            return False
        result: Entry = step.after[-1]
        before: Entry | None = None
        if isinstance(result, IncompleteComposite):
            before = result.before
            if not result.part.size_bits:
                return False
            result = result.part.location
        return self._undefined.are_in(result) and not any(
            self._undefined.are_in(entry) for entry in exchanged(step)[0] if entry is not before
        )


def exchanged(step: Step) -> tuple[Sequence[Entry], Sequence[Entry]]:
    """Return the entries that an operation took from the stack, and those that it put there: those
    above the ones that it left. The same entry may be on the stack twice."""
    first = step.stack_depth_before - len(step.before), step.stack_depth_after - len(step.after)
    before, after = (
        entries[max(first) - own :]
        for entries, own in zip((step.before, step.after), first, strict=True)
    )
    pairs = zip(before, after, strict=False)
    kept = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
    return before[kept:], after[kept:]
