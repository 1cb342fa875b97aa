"""Collect the names of all units of a file, for the index cache.

Law: a unit that cannot be read to its end, that goes on behind its entries, or whose entries may
take names from other units or files, counts as one that may have any name.
`VERSION` of `dwarfgpu.dwarf.index.cached_names` changes with what is collected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from dwarfgpu.base.records import define
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation, ValueReader
from dwarfgpu.dwarf.entry_tree import lost_entries
from dwarfgpu.dwarf.forms import Attribute, SkipPlan, read_uleb, skip
from dwarfgpu.dwarf.index.unit_names import DECLARATION, MAX_UNITS, NO_TAG, encoded, kind_of
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed

_STRINGS: Final = frozenset({"string", "strp", "line_strp", "strx"})
_MAX_TEXT_BYTES: Final = 64 << 20
"""Size of all names: a file may have many that are parts of one."""
_UNNAMING: Final = frozenset({dw.AT_PRODUCER, dw.AT_COMP_DIR})
"""Attributes with strings that are not looked up."""
_COMPLETING: Final = (dw.AT_SPECIFICATION, dw.AT_ABSTRACT_ORIGIN)
_SPLIT: Final = (dw.AT_DWO_NAME, dw.AT_GNU_DWO_NAME)

_Offset: TypeAlias = tuple[int, int]
"""The bytes of an entry before a value, and a kind."""
_Value: TypeAlias = tuple[ValueReader, int]
"""What reads a value, and a kind."""
_Shape: TypeAlias = tuple[
    int, SkipPlan, bool, tuple[_Offset, ...], _Offset | None, tuple[_Value, ...],
    tuple[_Value, ...], bool,
]  # fmt: skip
"""The bytes of an entry, -1 where they vary; the steps over its values; whether there are children;
where offsets in `.debug_str` are; where the reference of 4 bytes is to the entry that it completes;
other strings and references; whether it is a declaration."""
_Key: TypeAlias = tuple[bytes, int]
"""The bytes of an offset or a name, and a kind."""


class _Indirect(Exception):
    """A unit whose names may be in other units or files."""


def collected(
    units: Sequence[CompilationUnit], watch: Callable[[int], None] = lambda unit: None
) -> tuple[bytes, ...]:
    """Return the arrays of the names of these units, in parts; `watch` is called with the number of
    each unit. `LimitExceeded` for more units, entries or longer names than an index has."""
    if len(units) > MAX_UNITS:
        raise LimitExceeded(f"{len(units)} units are more than an index has")
    postings: dict[bytes, set[tuple[int, int]]] = {}
    anywhere: list[int] = []
    shapes: dict[int, _Shape] = {}
    kept: list[Abbreviation] = []  # as long as shapes are named by their identity
    text_bytes, dies = 0, units[0].sections.object.limits.dies if units else 0
    for number, unit in enumerate(units):
        watch(number)
        try:
            entries = _entries(unit, shapes, kept)
            names = set(_names_of(unit, entries))
            dies -= entries.count
        except (DwarfGpuError, _Indirect):
            anywhere.append(number)
            continue
        for name, kind in names:
            if name not in postings:
                text_bytes += len(name)
            postings.setdefault(name, set()).add((number, kind))
        if text_bytes > _MAX_TEXT_BYTES or dies < 0:
            raise LimitExceeded("the file has more entries or longer names than an index")
    return encoded(len(units), postings, anywhere)


def _names_of(unit: CompilationUnit, entries: _Entries) -> Iterator[_Key]:
    """Yield the names of a unit with their kinds."""
    for offset, kind in entries.offsets:
        text = unit.sections.string(".debug_str", int.from_bytes(offset, unit.endian))
        yield text, kind
    yield from entries.names
    if not entries.declared:
        return
    for reference, kind in entries.references:
        start = unit.offset + int.from_bytes(reference, unit.endian)
        for name in entries.declared.get(start, ()):
            yield name, kind


@define
class _Entries:
    """What is read of the entries of one unit, each once."""

    offsets: set[_Key]
    """Of names in `.debug_str`."""
    names: set[_Key]
    """Other names."""
    declared: dict[int, tuple[bytes, ...]]
    """The names of declarations, by their offset in the section."""
    references: set[_Key]
    """To entries that others complete: in bytes from the start of the unit."""
    count: int


def _entries(
    unit: CompilationUnit, shapes: dict[int, _Shape], kept: list[Abbreviation]
) -> _Entries:
    is_split = unit.header.kind in (dw.UT_SKELETON, dw.UT_SPLIT_COMPILE, dw.UT_SPLIT_TYPE)
    if is_split or any(unit.root.has(name) for name in _SPLIT):
        raise _Indirect
    data, position, end = unit.data, unit.header.entries_at, unit.end
    width = unit.format.offset_size
    offsets, names, references = set[_Key](), set[_Key](), set[_Key]()
    declared: dict[int, tuple[bytes, ...]] = {}
    table: dict[int, _Shape] = {}
    depth = count = 0
    while position < end:
        start = position
        count += 1
        code = data[position]
        if code < 0x80:
            position += 1
        else:
            code, position = read_uleb(data, position, end)
        if not code:
            depth -= 1
            if depth <= 0:
                break
            continue
        shape = table.get(code)
        if shape is None:
            shape = table[code] = _shape_of(unit, code, shapes, kept)
        size_bytes, steps, has_children, named, completed, strings, other_values, is_declaration = (
            shape
        )
        for before, kind in named:
            offset = position + before
            offsets.add((data[offset : offset + width], kind))
        if completed is not None:
            offset = position + completed[0]
            references.add((data[offset : offset + 4], completed[1]))
        if strings or other_values:
            own = [(_string(unit, position, value), kind) for value, kind in strings]
            names.update(own)
            if is_declaration:
                declared[start] = tuple(name for name, _ in own)
            for value, kind in other_values:
                references.add((_number(unit, position, value).to_bytes(8, unit.endian), kind))
        if size_bytes >= 0:
            position += size_bytes
        else:
            position = skip(steps, data, position, end)
        if has_children:
            depth += 1
        elif not depth:
            break
    if position > end:
        raise Malformed(f"the entries of the unit at {unit.offset:#x} reach beyond it")
    problem = lost_entries(data, position, end, unit.sections.object)
    if problem is not None:
        raise Malformed(problem)
    return _Entries(offsets, names, declared, references, count)


def _string(unit: CompilationUnit, values_at: int, value: ValueReader) -> bytes:
    raw = value.read(unit.data, values_at, unit.end)
    return unit.string_of(Attribute(value.form, value.kind, raw))


def _number(unit: CompilationUnit, values_at: int, value: ValueReader) -> int:
    raw = value.read(unit.data, values_at, unit.end)
    assert isinstance(raw, int)
    return raw


def _shape_of(
    unit: CompilationUnit, code: int, shapes: dict[int, _Shape], kept: list[Abbreviation]
) -> _Shape:
    abbreviation = unit.abbreviations.get(code)
    if abbreviation is None:
        raise Malformed(f"the unit at {unit.offset:#x} has entries of unknown abbreviation {code}")
    shape = shapes.get(id(abbreviation))
    if shape is None:
        shape = shapes[id(abbreviation)] = _shape(abbreviation)
        kept.append(abbreviation)
    return shape


def _shape(abbreviation: Abbreviation) -> _Shape:
    """Return what is read of entries; `_Indirect` where that is in other units or files."""
    positions, steps = abbreviation.positions, abbreviation.plan
    if abbreviation.has_children and dw.AT_SIGNATURE in positions and dw.AT_NAME not in positions:
        raise _Indirect  # the names of its children begin with that of a type unit
    is_declaration = abbreviation.is_declaration
    kind = kind_of(abbreviation.tag)
    named: list[_Offset] = []
    completed: _Offset | None = None
    strings: list[_Value] = []
    references: list[_Value] = []
    for index, attribute in enumerate(abbreviation.attributes):
        value = abbreviation.value(index)
        before = -1 if value.before_bytes is None else value.before_bytes
        if value.kind in _STRINGS and attribute.name not in _UNNAMING:
            own = NO_TAG
            if attribute.name == dw.AT_NAME:
                own = kind | DECLARATION if is_declaration else kind
            if value.form == dw.FORM_STRP and before >= 0 and not is_declaration:
                named.append((before, own))
            else:
                strings.append((value, own))
        elif attribute.name in _COMPLETING:
            if value.kind != "unit_reference":
                raise _Indirect
            if value.form == dw.FORM_REF4 and before >= 0 and completed is None:
                completed = (before, kind)
            else:
                references.append((value, kind))
        elif value.kind in ("indirect", "supplementary_string"):
            raise _Indirect
    return (
        _fixed_bytes(steps), steps, abbreviation.has_children, tuple(named), completed,
        tuple(strings), tuple(references), is_declaration,
    )  # fmt: skip


def _fixed_bytes(steps: SkipPlan) -> int:
    """Return the bytes of values; -1 where they vary."""
    if not steps:
        return 0
    first = steps[0]
    return first if len(steps) == 1 and isinstance(first, int) else -1
