"""The words of variables that gc, the compiler of Go, describes in pieces.

gc keeps each word of a variable by itself: the pointer and the length of a string, each field of a
small structure. Every entry of the location list of a variable has one piece for each of its slots,
in the order of their offsets in the object, also where a slot is nowhere; padding has no piece. The
slots are the same in all entries. A word has several where parts of gc take it for different types,
or split the object again, and none where the program does not use it: then several words have none
more often than one has two. What a place holds has one type, so that no place has a pointer and a
number. (Go 1.19, `cmd/compile/internal/ssa/debug.go`.)

An only slot has no piece: its place holds one of the words, or an object that gc keeps in memory as
a whole. Those are at one place on the stack for good: where the type has no words for gc, where
functions put a result, or among the local variables. An argument on the stack may be one word, and
there a long integer may be one half. An expression that is no list is of the whole object.

Law: a word is where all ways to read the whole list agree that it is, if no word is without a slot;
any other is undecided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias

from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Array, Base, Pointer, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, counted
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import ConstValue, LocationAttribute, LocList
from dwarfgpu.expr.instruction import Instruction, Instructions

_UNIT_BITS: Final = {"piece": 8, "bit_piece": 1}
"""The bits of one unit of the first operand."""
_MOST_WORDS: Final = 64
"""Words, or slots, of one variable: gc splits no larger object."""
_SPLIT_WORDS: Final = 4
_SPLIT_MEMBERS: Final = 4
"""Of the largest object that gc splits, and of a structure in it."""
_MOST_PIECES: Final = 1 << 14
"""Pieces of all entries of one list."""
_MOST_STEPS: Final = 20_000
"""Slots that are tried on words."""

Operations: TypeAlias = tuple[tuple[object, ...], ...]
"""The operations that say where a piece is; none where it is nowhere."""
Source: TypeAlias = int | Literal["nowhere", "undecided"]
"""The piece that a word is in."""


@frozen
class Word:
    """A part of an object that gc keeps by itself."""

    first_bit: int
    size_bits: int
    is_pointer: bool

    @property
    def bits(self) -> str:
        """Its bits in a message."""
        return f"bits {self.first_bit}-{self.first_bit + self.size_bits - 1}"


@frozen
class Words:
    """The words of a variable, and which slots they may have."""

    of_object: tuple[Word, ...]
    size_bits: int
    readings: tuple[tuple[int, ...], ...]
    """Each the word of each slot; none where nothing decides which words the slots are."""
    slot_count: int
    is_whole: bool = False
    """Whether the only slot is taken for the object."""

    @property
    def is_object(self) -> bool:
        """Whether the slots are the object, one behind the other."""
        if self.is_whole:
            return True
        ends = [word.first_bit + word.size_bits for word in self.of_object]
        starts = [word.first_bit for word in self.of_object]
        return [0, *ends] == [*starts, self.size_bits] and self.readings == (
            tuple(range(len(self.of_object))),
        )

    @property
    def why_undecided(self) -> str:
        """What is not known, of a variable whose name comes before it."""
        noun = "piece" if self.slot_count > 1 else "place"
        sizes = f"has {counted(len(self.of_object), 'word')} and {counted(self.slot_count, noun)}"
        return (
            f"{sizes}: Go's compiler repeats some words and leaves out others, and the location "
            "list does not say which"
        )

    def sources(self, pieces: Sequence[Operations]) -> tuple[Source, ...]:
        """Return the piece of an entry that each word is in."""
        return tuple(self._source(number, pieces) for number in range(len(self.of_object)))

    def _source(self, word: int, pieces: Sequence[Operations]) -> Source:
        described = set[Operations]()
        for reading in self.readings:
            used = {where for where, one in zip(pieces, reading, strict=True) if one == word}
            described |= used - {()} or {()}
        if len(described) != 1:
            return "undecided"
        [where] = described
        return pieces.index(where) if where else "nowhere"


def is_of_gc(variable: Variable) -> bool:
    """Return whether gc made the unit of a variable: other compilers of Go use GCC or LLVM."""
    unit = variable.unit
    return unit.language == dw.LANG_GO and (unit.producer or "").startswith("Go cmd/compile")


def words_of(variable: Variable) -> Words | None:
    """Return the words of a variable; None if gc does not describe it by slots."""
    return _words_of(variable.die) if is_of_gc(variable) else None


@kept_with(lambda die: die.unit)
def _words_of(die: Die) -> Words | None:
    variable = Variable(die.name or "", die, "local")
    try:
        most_bits = 8 * die.unit.format.address_size
        of_object, size = tuple(_words(variable.type, most_bits)), size_bits(variable.type)
        entries, sizes = _entries(variable)
        is_split = _is_split(variable.type, most_bits)
    except DwarfGpuError:  # reading the variable reports it
        return None
    if size is None or not entries:
        return None
    if sizes == ():
        if len(of_object) < 2 or not is_split or not isinstance(variable.location, LocList):
            return None
        is_whole = _may_be_whole(variable, [where for (where,) in entries])
        return Words(of_object, size, (), 1, is_whole)
    readings: tuple[tuple[int, ...], ...] = ()
    if sizes is not None and max(len(of_object), len(sizes)) <= _MOST_WORDS:
        readings = _readings(of_object, sizes, entries)
    return Words(of_object, size, readings, len(next(iter(entries))))


def _entries(
    variable: Variable,
) -> tuple[dict[tuple[Operations, ...], None], tuple[int, ...] | None]:
    """Return the places of the pieces of each distinct entry, and their sizes in bits; None for
    these where they differ, or there are too many. An only slot has no size."""
    unit, count = variable.unit, 0
    entries: dict[tuple[Operations, ...], None] = {}
    sizes: set[tuple[int, ...]] = set()
    for expression in expressions_of(variable.location):
        instructions = prepare(expression, unit.dialect, unit.format).instructions
        pieces = pieces_of(instructions)
        if pieces is None:
            if not instructions:
                return {}, None
            entries[(tuple(map(_operation, instructions)),)] = None
            sizes.add(())
        else:
            entries[tuple(where for where, _ in pieces)] = None
            sizes.add(tuple(bits for _, bits in pieces))
        count += len(pieces or ())
        if len(sizes) > 1 and () in sizes:  # an argument, of gc -N: in registers, then as a whole
            return {}, None
        if count > _MOST_PIECES or len(sizes) > 1:
            return entries, None
    return entries, next(iter(sizes), None)


def expressions_of(location: LocationAttribute | None) -> Iterator[bytes]:
    """Yield the expressions of a location, one for each entry of a list."""
    if isinstance(location, LocList):
        for entry in location.entries:
            yield entry.expression
    elif location is not None and not isinstance(location, ConstValue):
        yield location.expression


def pieces_of(instructions: Instructions) -> tuple[tuple[Operations, int], ...] | None:
    """Return the place and the bits of each piece of an expression that is nothing else, else
    None."""
    if not instructions or instructions[-1].operation.name not in _UNIT_BITS:
        return None
    out: list[tuple[Operations, int]] = []
    where: list[tuple[object, ...]] = []
    for instruction in instructions:
        bits = _bits_of_piece(instruction)
        if instruction.operation.transfers:
            return None
        if bits:
            out.append((tuple(where), bits))
            where = []
        else:
            where.append(_operation(instruction))
    return tuple(out)


def _operation(instruction: Instruction) -> tuple[object, ...]:
    return instruction.operation.name, *instruction.operands


def _bits_of_piece(instruction: Instruction) -> int:
    """Return the bits of the piece that an operation ends; 0 for any other operation."""
    unit_bits = _UNIT_BITS.get(instruction.operation.name)
    count = instruction.operands[0] if unit_bits else 0
    return (unit_bits or 0) * count if isinstance(count, int) else 0


def _is_split(type_: Type | None, most_bits: int) -> bool:
    """Return whether gc keeps words of a type by themselves (`TypeOK` of its `ssagen`)."""
    waiting, count = [type_], 0
    while waiting and count <= _MOST_WORDS:
        kind = strip(waiting.pop())
        count += 1
        if (size_bits(kind) or 0) > _SPLIT_WORDS * most_bits:
            return False
        if isinstance(kind, Struct):
            if len(kind.members) > _SPLIT_MEMBERS:
                return False
            waiting += [member.type for member in kind.members]
        elif isinstance(kind, Array):
            if kind.dimensions not in ((0,), (1,)):
                return False
            waiting.append(kind.element)
    return True


def _may_be_whole(variable: Variable, slots: Sequence[Operations]) -> bool:
    """Return whether an only slot is at the place of an object that is always in memory."""
    [where, *more] = slots
    if more or len(where) != 1:
        return False
    [(name, *operands)] = where
    offset = 0 if name == "call_frame_cfa" else operands[0] if name == "fbreg" else None
    if not isinstance(offset, int):
        return False
    if offset >= 0:  # where callers put arguments, and functions their results
        above, entries = variable.die.parent(), variable.die.origins()
        is_of_function = above is not None and above.tag == dw.TAG_SUBPROGRAM
        return is_of_function and any(die.flag(dw.AT_VARIABLE_PARAMETER) for die in entries)
    return not _is_one_number(variable.type)


def _is_one_number(type_: Type | None) -> bool:
    kind = strip(type_)
    for _ in range(_MOST_WORDS):
        if isinstance(kind, Struct) and len(kind.members) == 1:
            kind = strip(kind.members[0].type)
        elif isinstance(kind, Array):
            kind = strip(kind.element)
    return isinstance(kind, Base)


def _words(type_: Type | None, most_bits: int) -> Iterator[Word]:
    """Yield the words of an object of a type, of types up to a bound; a number of more than
    `most_bits` has two."""
    waiting, count = [(type_, 0)], 0
    while waiting and count <= _MOST_WORDS:
        kind, first = waiting.pop()
        bare, size = strip(kind), size_bits(kind)
        count += 1
        if isinstance(bare, Struct):
            members = [(member.type, member.bit_offset) for member in bare.members]
            waiting += [(of, first + bit) for of, bit in reversed(members) if bit is not None]
        elif isinstance(bare, Array) and bare.dimensions == (1,):
            waiting.append((bare.element, first))
        elif size and isinstance(bare, Base) and _has_halves(bare, most_bits):
            yield from (Word(bit, size // 2, False) for bit in (first, first + size // 2))
        elif size:
            yield Word(first, size, isinstance(bare, Pointer))


def _has_halves(kind: Base, most_bits: int) -> bool:
    """Return whether gc splits numbers of a type: complex ones, and long integers."""
    encoding = kind.base.encoding
    return encoding == "complex_float" or (encoding != "float" and kind.size_bits > most_bits)


def _readings(
    words: Sequence[Word], sizes: Sequence[int], entries: dict[tuple[Operations, ...], None]
) -> tuple[tuple[int, ...], ...]:
    """Return the ways to take slots for words, in their order, if each word has one at least."""
    columns = list(zip(*entries, strict=True))
    may_be_one, may_be_two = {}, {}
    for second, after in enumerate(columns):
        for first, before in enumerate(columns[:second]):
            used = [(a, b) for a, b in zip(before, after, strict=True) if a and b]
            is_same = any(a == b for a, b in used)
            may_be_one[first, second] = is_same or not used
            may_be_two[first, second] = not is_same
    out: list[tuple[int, ...]] = []
    begun, steps = [()], 0  # type: list[tuple[int, ...]], int
    while begun:
        reading = begun.pop()
        slot = len(reading)
        if slot == len(sizes):
            if reading[-1] == len(words) - 1:
                out.append(reading)
            continue
        for word in {reading[-1], reading[-1] + 1} if reading else {0}:
            steps += 1
            if word == len(words) or words[word].size_bits != sizes[slot]:
                continue
            if all(
                may_be_one[before, slot]
                if one == word
                else may_be_two[before, slot] or words[one].is_pointer == words[word].is_pointer
                for before, one in enumerate(reading)
            ):
                begun.append((*reading, word))
        if steps > _MOST_STEPS:
            return ()
    return tuple(sorted(out))
