"""Values of entries that the file alone does not know: those with a relocation whose type is
unknown, or which only a linker can apply.

Law: only expressions and blocks may be unknown, as nothing else depends on what is in them; a unit
with another such field cannot be read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.base.byte_reader import Data
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import AbbreviationTable
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.forms import FORMS, indirect_form, read_uleb, reader_of
from dwarfgpu.dwarf.unit_walk import walk
from dwarfgpu.errors import DwarfGpuError

if TYPE_CHECKING:
    from dwarfgpu.objfile.relocate import Field

UnknownValues: TypeAlias = Mapping[int, Mapping[int, DwarfGpuError]]
"""Why values are unknown, by the offset of the entry and the number of the attribute."""
_Block: TypeAlias = tuple[int, int, int, int]
"""Where it begins and ends, the offset of its entry and the number of its attribute."""
_BLOCKS: Final = ("exprloc", "block")


def unknown_values(
    data: Data,
    entries: Range,
    abbreviations: AbbreviationTable,
    fields: Sequence[Field],
) -> UnknownValues:
    """Return the values of a unit that have some of the unknown fields of its section, which are
    ordered; raises the error of a field that is in no expression or block of its entries."""
    own = [field for field in fields if field.end > entries.begin and field.offset < entries.end]
    starts = [field.offset for field in own]
    blocks = list(_blocks(data, entries, abbreviations, starts)) if own else []
    out: dict[int, dict[int, DwarfGpuError]] = {}
    for field in own:
        index = bisect_right(blocks, field.offset, key=itemgetter(0)) - 1
        assert field.problem is not None
        if index < 0 or field.end > blocks[index][1]:
            raise field.problem.anew()
        _, _, offset, number = blocks[index]
        out.setdefault(offset, {}).setdefault(number, field.problem)
    return out


def _blocks(
    data: Data, entries: Range, abbreviations: AbbreviationTable, starts: Sequence[int]
) -> Iterator[_Block]:
    """Yield the expressions and blocks of the entries in which fields start."""
    rows = walk(data, entries.begin, entries.end, abbreviations)
    following = chain(((offset, shape) for offset, shape, _ in rows), ((entries.end, None),))
    for (offset, abbreviation), (end, _) in pairwise(following):
        if abbreviation is not None and bisect_left(starts, offset) < bisect_left(starts, end):
            yield from _blocks_of(data, offset, end, abbreviations)


def _blocks_of(
    data: Data, offset: int, end: int, abbreviations: AbbreviationTable
) -> Iterator[_Block]:
    code, position = read_uleb(data, offset, end)
    abbreviation = abbreviations[code]
    for attribute in abbreviation.attributes:
        form = attribute.form
        if form == dw.FORM_INDIRECT:
            form, position = indirect_form(data, position, end)
        raw, position = reader_of(form, abbreviation.format)(data, position, end)
        if FORMS[form][0] in _BLOCKS and isinstance(raw, bytes):
            yield position - len(raw), position, offset, attribute.name
