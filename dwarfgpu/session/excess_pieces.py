"""Objects in pieces that are not one piece for each part of theirs, in order: those of gc, the
compiler of Go, and those whose pieces have more bits than they.

Law: a part that the description does not decide is undefined, with the reason; an object without a
part that it decides is an error.
"""

from __future__ import annotations

from collections.abc import Iterable

from dwarfgpu.dwarf.scope.go_words import Word, Words, is_of_gc, pieces_of, words_of
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.errors import GUESS, Ambiguous, counted
from dwarfgpu.expr.bind import Program
from dwarfgpu.expr.instruction import Instructions
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location, SingleLocation, composite
from dwarfgpu.model.object import REASON_UNDECIDED
from dwarfgpu.model.storage import Composite, Part, Undefined


def note_on_pieces(variable: Variable, instructions: Instructions) -> str | None:
    """Return the note where pieces are not those of the object, which begins where they do
    (A.2.5.4.4.6), or where gc repeats some, or may have left out all but one."""
    if is_of_gc(variable):
        return _note_on_words(variable)
    pieces, size = pieces_of(instructions), size_bits(variable.type)
    if pieces is None or size is None:
        return None
    bits = sum(bits for _, bits in pieces)
    return (
        f"{variable.name}: its pieces have {bits} bits, and the object {size}: the first are "
        f"read, and some may be those of another part: {GUESS}"
        if bits > size
        else None
    )


def _note_on_words(variable: Variable) -> str | None:
    words = words_of(variable)
    if words is None:
        return None
    count = counted(len(words.of_object), "word")
    if words.is_whole:
        return (
            f"{variable.name} has {count} and 1 place on the stack: Go's compiler may keep one of "
            f"them there, but rather the whole object: {GUESS}"
        )
    if not words.readings or len(words.of_object) == words.slot_count:
        return None
    return (
        f"{variable.name} has {count} and {words.slot_count} pieces: Go's compiler repeats some "
        f"words, and which these are is concluded from the location list: {GUESS}"
    )


def in_words(variable: Variable, location: Location, programs: Iterable[Program]) -> Location:
    """Return the location of a variable of gc with each piece at its word; `Ambiguous` where
    nothing decides which words any of the pieces are."""
    for program in programs:
        words = words_of(variable)
        if words is None or words.is_object:
            continue
        pieces = pieces_of(program.instructions) or ()
        [single, *more] = location.single_locations
        sources = words.sources([where for where, _ in pieces])
        storage = single.storage
        if more or not isinstance(storage, Composite) or set(sources) <= {"undecided"}:
            raise Ambiguous(f"{variable.name} {words.why_undecided}")
        parts: list[Part] = []
        end = 0
        for word, source in zip(words.of_object, sources, strict=True):
            parts += _undefined(word.first_bit - end)
            end = word.first_bit + word.size_bits
            if isinstance(source, int):
                parts.append(storage.parts[source])
            else:
                why = _why_undecided(variable, words, word) if source == "undecided" else None
                parts += _undefined(word.size_bits, why)
        return composite([*parts, *_undefined(words.size_bits - end)])
    return location


def _why_undecided(variable: Variable, words: Words, word: Word) -> str:
    return f"{word.bits} of {variable.name}{REASON_UNDECIDED}{words.why_undecided}"


def _undefined(size_bits: int, why: str | None = None) -> list[Part]:
    """Return a part of some bits that are nowhere, with the reason; none of no bits."""
    if not size_bits:
        return []
    if why is None:
        return [Part(UNDEFINED_LOCATION, size_bits)]
    return [Part(Location((SingleLocation(Undefined(why=lambda: why)),)), size_bits)]
