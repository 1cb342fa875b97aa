"""What gc, the compiler of Go, describes of variables in pieces (`dwarf.scope.go_words`)."""

from __future__ import annotations

from collections.abc import Sequence

from dwarfgpu.dwarf.scope.go_words import Words, pieces_of, words_of
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import LocList
from dwarfgpu.expr.static_check.extent import Extent


def in_words(
    variable: Variable, location: LocList, extents: Sequence[Extent]
) -> tuple[Extent, ...]:
    """Return the extents of the entries of a variable with each piece at its word."""
    words = words_of(variable)
    if words is None or words.is_object:
        return tuple(extents)
    known: dict[bytes, Extent] = {}
    for entry in location.entries:
        if entry.expression not in known:
            known[entry.expression] = _of_entry(variable, words, entry.expression)
    return tuple(known[entry.expression] for entry in location.entries)


def _of_entry(variable: Variable, words: Words, expression: bytes) -> Extent:
    """Return the extent of an entry; padding counts as described."""
    unit = variable.unit
    pieces = pieces_of(prepare(expression, unit.dialect, unit.format).instructions) or ()
    sources = words.sources([where for where, _ in pieces])
    if set(sources) <= {"undecided"}:
        return Extent("broken", reason=f"{variable.name} {words.why_undecided}")
    undefined = [
        (word.first_bit, word.size_bits)
        for word, source in zip(words.of_object, sources, strict=True)
        if not isinstance(source, int)
    ]
    return Extent("whole", tuple(undefined), words.size_bits).of_object(words.size_bits)
