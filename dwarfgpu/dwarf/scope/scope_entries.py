"""The entries of a scope: their kinds, names, declarations and code (DWARF 5 2.14, 2.17, 3; AMD
text A.3, A.4.2): units, functions, lexical blocks, common blocks.

Law: addresses are those of the file, except for `as_loaded`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import chain, islice
from struct import Struct
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.address_ranges import Range, contains, covers, merged
from dwarfgpu.dwarf.die import Die, is_flag_as_number
from dwarfgpu.dwarf.forms import FORMAT_LETTERS, Attribute, skip, skip_plan
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    InconsistentContext,
    Malformed,
    MissingContext,
)

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.file_table import SourceFile

BLOCKS: Final = frozenset(
    {
        dw.TAG_LEXICAL_BLOCK,
        dw.TAG_INLINED_SUBROUTINE,
        dw.TAG_WITH_STMT,
        dw.TAG_CATCH_BLOCK,
        dw.TAG_TRY_BLOCK,
    }
)
FUNCTIONS: Final = frozenset({dw.TAG_SUBPROGRAM, dw.TAG_INLINED_SUBROUTINE})
DATA: Final = frozenset({dw.TAG_VARIABLE, dw.TAG_FORMAL_PARAMETER, dw.TAG_CONSTANT})
PARAMETERS: Final = frozenset({dw.TAG_FORMAL_PARAMETER})
UNKNOWN_NAME: Final = "<name in a supplementary file>"
"""Name of a variable whose name is in a missing file."""
UNREADABLE_NAME: Final = "<unreadable name>"
"""Name of a variable or function whose name cannot be read."""
CLASSES: Final = frozenset(
    {dw.TAG_STRUCTURE_TYPE, dw.TAG_CLASS_TYPE, dw.TAG_UNION_TYPE, dw.TAG_INTERFACE_TYPE}
)
TEMPLATE_PARAMETERS: Final = frozenset(
    {dw.TAG_TEMPLATE_TYPE_PARAMETER, dw.TAG_TEMPLATE_VALUE_PARAMETER}
)
CONTAINERS: Final = frozenset({dw.TAG_NAMESPACE, dw.TAG_MODULE})
_TRANSPARENT: Final = BLOCKS - FUNCTIONS | {dw.TAG_COMMON_BLOCK}

_SIZE_LETTERS: Final = {
    dw.FORM_DATA1: "B",
    dw.FORM_DATA2: "H",
    dw.FORM_DATA4: "I",
    dw.FORM_DATA8: "Q",
}
"""Of `struct`, for forms of DW_AT_high_pc."""
_MOST_FUNCTIONS: Final = 1_000
"""Of a unit at 0 that are looked for among the symbols."""
_FEW_ENTRIES: Final = 500
"""Of a unit or a scope: to prepare what reads many of them would take longer."""


def name_of(die: Die) -> str | None:
    """Return the name of an entry; `UNKNOWN_NAME` if the file that contains it is not found,
    `UNREADABLE_NAME` if the file is wrong."""
    return noted_name(die)[0]


def noted_name(die: Die) -> tuple[str | None, str | None]:
    """Return the same and, for `UNREADABLE_NAME`, why."""
    try:
        return die.name, None
    except (MissingContext, InconsistentContext):
        return UNKNOWN_NAME, None
    except (Malformed, IllFormed) as error:
        return UNREADABLE_NAME, str(error)


def entries_of(
    scope: Die,
    tags: Container[int] | None = None,
    may_be: Callable[[int, Abbreviation], bool] | None = None,
) -> Iterator[Die]:
    """Return the entries of a scope, including those of blocks without addresses: such a block has
    no code of its own, and covers the whole scope (DWARF 5 3.5); so does a common block (4.2).

    `tags`: only entries with one of these. `may_be`: whether an entry is wanted, by its index and
    abbreviation; no object is made for others.
    """
    return map(scope.unit.die, indexes_of(scope, tags, may_be))


def has_child(scope: Die, tags: Container[int]) -> bool:
    """Return whether an entry with one of some tags is directly below a scope."""
    tree, end = scope.unit.tree, scope.unit.tree.ends[scope.index]
    child = scope.index + 1
    while child < end:
        if tree.abbreviations[child].tag in tags:
            return True
        child = tree.ends[child]
    return False


def indexes_of(
    scope: Die,
    tags: Container[int] | None = None,
    may_be: Callable[[int, Abbreviation], bool] | None = None,
) -> Iterator[int]:
    """Yield the indexes of the entries that `entries_of` yields."""
    if not scope.abbreviation.has_children:
        return
    tree, first_index = scope.unit.tree, scope.index
    if tags is not None and tree.ends[first_index] - first_index > _FEW_ENTRIES:
        for index in _indexes_with(scope, tags):
            if may_be is None or may_be(index, tree.abbreviations[index]):
                yield index
        return
    pending = [tree.children(first_index)]
    while pending:
        for index in pending[-1]:
            abbreviation = tree.abbreviations[index]
            if _is_transparent(abbreviation):
                pending.append(tree.children(index))
                break
            if tags is not None and abbreviation.tag not in tags:
                continue
            if may_be is None or may_be(index, abbreviation):
                yield index
        else:
            pending.pop()


def _indexes_with(scope: Die, tags: Container[int]) -> Sequence[int]:
    """Return the indexes of the entries of a scope with some tags, in order."""
    chosen = [indexes for tag, indexes in _indexes_by_tag(scope).items() if tag in tags]
    return chosen[0] if len(chosen) == 1 else sorted(chain.from_iterable(chosen))


@kept_with(lambda scope: scope.unit)
def _indexes_by_tag(scope: Die) -> dict[int, array[int]]:
    """Return the indexes of all entries of a scope: each frame of a stack, and each thread, asks
    for its few blocks or parameters among many labels, calls or variables."""
    abbreviations = scope.unit.tree.abbreviations
    by_tag: dict[int, array[int]] = {}
    for index in indexes_of(scope):
        tag = abbreviations[index].tag
        indexes = by_tag.get(tag)
        if indexes is None:
            indexes = by_tag[tag] = array("Q")
        indexes.append(index)
    return by_tag


def _is_transparent(abbreviation: Abbreviation) -> bool:
    """Return whether what is in the entries is in the scope around them."""
    if abbreviation.tag not in _TRANSPARENT:
        return False
    positions = abbreviation.positions
    has_code = dw.AT_LOW_PC in positions or dw.AT_RANGES in positions
    return abbreviation.tag == dw.TAG_COMMON_BLOCK or not has_code


def decl_line(die: Die) -> int | None:
    """Return DW_AT_decl_line of an entry or of its abstract instance."""
    holder = die.holder(dw.AT_DECL_LINE)
    return None if holder is None else holder.integer(dw.AT_DECL_LINE)


def decl_file(die: Die) -> SourceFile | None:
    """Return DW_AT_decl_file of an entry or of its abstract instance; `IllFormed` for a number that
    the line table does not have."""
    holder = die.holder(dw.AT_DECL_FILE)
    return None if holder is None else file_of(holder, dw.AT_DECL_FILE)


def file_of(die: Die, name: int) -> SourceFile | None:
    """Return the file whose number is an attribute of an entry; None where it has none, as 0 says
    before DWARF 5 (DWARF 4 2.14)."""
    number, table = die.integer(name), die.unit.line_table
    if table is None or number is None or (number == 0 and table.header.first_file):
        return None
    return table.file(number)


def calls_below(scope: Die) -> Iterator[Die]:
    """Yield the inlined calls in a scope, also those in its blocks and in other calls."""
    pending = [scope]
    while pending:
        for child in pending.pop().children():
            if child.tag in BLOCKS:
                pending.append(child)
                if child.tag == dw.TAG_INLINED_SUBROUTINE:
                    yield child


def as_loaded(unit: CompilationUnit, spans: tuple[Range, ...]) -> tuple[Range, ...]:
    return tuple(Range(unit.relocate(span.begin), unit.relocate(span.end)) for span in spans)


def code_ranges(die: Die) -> tuple[Range, ...]:
    """Return the addresses of the file that an entry covers (DWARF 5 2.17), in the order of the
    file."""
    listed = die.attribute(dw.AT_RANGES)
    if listed is None:
        return _low_to_high(die)
    try:
        return _kept(die, die.unit.lists.ranges_of(listed))
    except DwarfGpuError as error:
        raise die.located(error)


def entry_of(die: Die) -> int | None:
    """Return the address of the file where the code of an entry is entered (DWARF 5 2.18): it need
    not be that of its first range. None without code, and where the linker dropped it. Without
    DW_AT_entry_pc, the symbol of a function of several ranges decides.

    DW_AT_entry_pc beyond the code of the entry is ignored, and that of an inlined call too, as by
    GDB 13: gcc writes where its first statement begins, and code of the call may be before that.
    """
    spans = code_ranges(die)
    if not spans:
        return None
    base = spans[0].begin  # DW_AT_low_pc, or the first range's (2.17)
    if die.tag == dw.TAG_INLINED_SUBROUTINE:
        return base
    if die.attribute(dw.AT_ENTRY_PC) is None:
        return base if len(spans) == 1 else _at_symbol(die, spans) or base
    offset = die.integer(dw.AT_ENTRY_PC)
    entry = die.address(dw.AT_ENTRY_PC) if offset is None else base + offset
    is_inside = entry is not None and any(span.covers(entry) for span in spans)
    return entry if is_inside else base


def _at_symbol(die: Die, spans: tuple[Range, ...]) -> int | None:
    """Return where the symbol of a function is, if one of its ranges begins there; None if it has
    none. clang -fbasic-block-sections lists the range of the entry last."""
    sections, begins = die.unit.sections, {span.begin for span in spans}
    try:
        name = die.linkage_name or die.name
        symbols = [
            symbol.address
            for file in dict.fromkeys((sections.program.loaded, sections.object))
            for symbol in (file.symbols_named(name) if name else ())
            if symbol.kind == "function" and symbol.address in begins
        ]
    except DwarfGpuError:
        return None
    return symbols[0] if len(set(symbols)) == 1 else None


def covered(die: Die) -> tuple[Range, ...]:
    """Return the code of an entry by address, with adjacent and overlapping ranges merged; each
    list is read once."""
    if dw.AT_RANGES not in die.abbreviation.positions:
        return _low_to_high(die)
    listed = die.attribute(dw.AT_RANGES)
    assert listed is not None
    try:
        return _kept(die, die.unit.lists.covered_by(listed))
    except DwarfGpuError as error:
        raise die.located(error)


def covered_by_list(die: Die, listed: Attribute) -> tuple[Range, ...]:
    """Return the same of an entry with a list of ranges, which is not kept."""
    try:
        return _kept(die, die.unit.lists.covered_once(listed))
    except DwarfGpuError as error:
        raise die.located(error)


def dropped_code(unit: CompilationUnit) -> tuple[Range, ...]:
    """Return the code that a unit says to be at 0, where the file has none: the linker dropped it.

    GNU ld, lld and mold write 0 for all addresses in code that they drop; 1 in `.debug_ranges`,
    where two zeros end a list; or one of the two highest. gold writes how far each is from the
    beginning of its section, so that what the unit lists at 0 says which others are dropped.
    """
    return _unit_code(unit)[1]


@kept_with(first, 1)
def _unit_code(unit: CompilationUnit) -> tuple[tuple[Range, ...], tuple[Range, ...]]:
    """Return the code of a unit, and the part that the linker dropped; neither where there is no
    such part, or it cannot be read."""
    try:
        linked = unit.linked
        root = linked.root
        listed = root.attribute(dw.AT_RANGES)
        if listed is not None:
            dropped = merged(linked.lists.dropped_of(listed))
            return linked.lists.covered_by(listed) if dropped else (), dropped
        if root.address(dw.AT_LOW_PC) == 0 and unit.is_mark(0):
            end = root.integer(dw.AT_HIGH_PC) or root.address(dw.AT_HIGH_PC)
            if end and not _has_symbols(unit):
                return (), (Range(0, end),)
    except DwarfGpuError as error:
        error.with_traceback(None)  # the unit keeps it: its frames would stay in memory
    return (), ()


def _has_symbols(unit: CompilationUnit) -> bool:
    """Return whether a function of a unit is where its symbol is: then the linker dropped neither,
    and the beginning of the unit is damaged."""
    files = dict.fromkeys((unit.sections.program.loaded, unit.sections.object))
    for function in islice(unit.root.children((dw.TAG_SUBPROGRAM,)), _MOST_FUNCTIONS):
        low = function.address(dw.AT_LOW_PC)
        name = function.linkage_name or function.name
        if low and name:
            symbols = (
                symbol for file in files for symbol in file.symbols_named(name, with_untyped=True)
            )
            if any(symbol.address == low for symbol in symbols):
                return True
    return False


def _kept(die: Die, spans: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return ranges of an entry, none at 0, without those of code that the linker dropped."""
    unit = die.unit
    dropped = () if die.offset == unit.header.entries_at else dropped_code(unit)
    if not dropped or not any(covers(dropped, span.begin) for span in spans):
        return spans
    kept = _unit_code(unit)[0]
    return tuple([span for span in spans if not contains(dropped, span) or contains(kept, span)])


def _low_to_high(die: Die) -> tuple[Range, ...]:
    bounds = pc_bounds(die)
    return () if bounds is None else _range_of(die, *bounds)


def _range_of(die: Die, low: int, end: int) -> tuple[Range, ...]:
    if not low < end <= 1 << 8 * die.unit.format.address_size:
        return ()
    return _kept(die, (Range(low, end),))


def bounds_fault(die: Die, low: int, end: int) -> str | None:
    """Return why the code of an entry with these `pc_bounds` does not end after it begins, within
    the addresses of the machine; None if it does, or is empty."""
    if end < low:
        return f"the code ends at {end:#x}, before it begins at {low:#x}"
    if end > 1 << 8 * die.unit.format.address_size:
        return f"the code from {low:#x} on has {end - low:#x} bytes: no address is so large"
    return None


def pc_bounds(die: Die) -> tuple[int, int] | None:
    """Return DW_AT_low_pc and where DW_AT_high_pc says that the code ends, which may be before it,
    or beyond all addresses. None without them, and for code that the linker dropped."""
    unit = die.unit
    low = die.address(dw.AT_LOW_PC)
    if low is None or unit.is_mark(low):
        return None
    high = die.attribute(dw.AT_HIGH_PC)
    if high is None:
        return None
    if high.kind == "constant" or is_flag_as_number(die, dw.AT_HIGH_PC, high):
        return low, low + high.raw if isinstance(high.raw, int) else low
    return low, die.address(dw.AT_HIGH_PC) or low


def subprograms_with_code(
    unit: CompilationUnit,
) -> Iterator[tuple[tuple[Range, ...] | int, int]]:
    """Yield the ranges and the indexes of the subprograms of a unit that have code.

    In place of the ranges it is DW_AT_low_pc where DW_AT_high_pc is before it or beyond all
    addresses (`bounds_fault`).
    """
    readers: dict[Abbreviation, Callable[[int], Range | None] | None] = {}
    offsets = unit.tree.offsets
    is_large = len(offsets) > _FEW_ENTRIES
    for index, abbreviation in enumerate(unit.tree.abbreviations):
        if abbreviation.tag == dw.TAG_SUBPROGRAM and (
            dw.AT_LOW_PC in abbreviation.positions or dw.AT_RANGES in abbreviation.positions
        ):
            if abbreviation not in readers:
                readers[abbreviation] = range_reader(unit, abbreviation) if is_large else None
            reader = readers[abbreviation]
            span = None if reader is None else reader(offsets[index])
            spans = _code_or_low_pc(unit.die(index)) if span is None else (span,)
            if spans != ():
                yield spans, index


def _code_or_low_pc(die: Die) -> tuple[Range, ...] | int:
    """Return the code of a subprogram, or its DW_AT_low_pc, as `subprograms_with_code`."""
    if dw.AT_RANGES in die.abbreviation.positions:
        return covered(die)
    bounds = pc_bounds(die)
    if bounds is None:
        return ()
    return bounds[0] if bounds_fault(die, *bounds) is not None else _range_of(die, *bounds)


def range_reader(
    unit: CompilationUnit, abbreviation: Abbreviation
) -> Callable[[int], Range | None] | None:
    """Return what reads the code of an entry at an offset, for entries with an address and behind
    it their size, as nearly all have; None for other entries. It returns None for entries that
    `covered` must judge."""
    low, high = map(abbreviation.positions.get, (dw.AT_LOW_PC, dw.AT_HIGH_PC))
    if low is None or high != low + 1 or dw.AT_RANGES in abbreviation.positions:
        return None
    forms = [attribute.form for attribute in abbreviation.attributes[: high + 1]]
    address = FORMAT_LETTERS.get(unit.format.address_size)
    size = _SIZE_LETTERS.get(forms[high])
    if forms[low] != dw.FORM_ADDR or address is None or size is None:
        return None
    plan = skip_plan(forms[:low], unit.format)
    values = Struct(("<" if unit.endian == "little" else ">") + address + size)
    data, end, tombstone = unit.data, unit.end, unit.tombstone
    last_dropped = max([span.end for span in dropped_code(unit)], default=0)

    def read(offset: int) -> Range | None:
        if data[offset] >= 0x80:  # codes are mostly one byte
            return None
        try:
            position = skip(plan, data, offset + 1, end)
        except DwarfGpuError:
            return None
        if position + values.size > end:
            return None
        begin, size_bytes = values.unpack_from(data, position)
        if not size_bytes or not 0 < begin < tombstone or begin + size_bytes > tombstone:
            return None
        if begin < last_dropped:
            return None
        return Range(begin, begin + size_bytes)

    return read
