"""Find the units of a file that may contain a name, the most likely ones first.

Law: indexes and the symbol table are hints; absence from them proves nothing. Only the bytes of a
unit prove that a name is not in it (`dwarfgpu.dwarf.index.name_filter`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice, pairwise
from operator import indexOf
from sys import byteorder
from typing import TYPE_CHECKING, Final, NamedTuple

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import covers
from dwarfgpu.dwarf.index.name_filter import mentions, name_texts
from dwarfgpu.dwarf.index.string_index import spans_with
from dwarfgpu.dwarf.names.qualified import ANONYMOUS, split_last
from dwarfgpu.dwarf.scope.scope_entries import covered
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, shortened

if TYPE_CHECKING:
    from dwarfgpu.dwarf.debug_info import DebugInfo
    from dwarfgpu.dwarf.unit import CompilationUnit

_MOST: Final = 64
"""Units that one source of hints may name; a hostile one names all of them for each name."""
_MOST_ADDRESSES: Final = 16
"""Of the symbols of one name: each may take a pass over the units."""
_BEGIN: Final = pattern(r"operator(?!\w)|~?[^\W\d]\w*(?=<|$)")
"""The part of a simple name that has one spelling."""
_ENDS: Final = (b"\0", b"<", b" ")
"""What follows it: the arguments of a template may be in other entries."""
_BY_INDEX: Final = (0xA1, 0xFB)
"""DW_OP_addrx and DW_OP_GNU_addr_index."""


def units_naming(info: DebugInfo, name: str) -> Iterator[CompilationUnit]:
    """Yield the units that may have an entry with a name, simple or qualified with `::`; each once.

    The likely ones come first, then all others that mention it. They are found one by one, so that
    callers that stop early do not pay for the rest.
    """
    likely: set[CompilationUnit] = set()
    for unit in likely_units(info, name):
        likely.add(unit)
        yield unit
    for unit in mentioning_units(info, _simple(name)):
        if unit not in likely:
            yield unit


def _simple(name: str) -> str:
    """Return the last part of a qualified name; the arguments of a template may have `::` too."""
    return split_last(name)[1] if "<" in name else name.rsplit("::", 1)[-1]


def require_few(
    units: Iterable[CompilationUnit], info: DebugInfo, name: str
) -> Iterator[CompilationUnit]:
    """Yield the units that are searched for a name; `LimitExceeded` if they are more than twice as
    many as the limit `namesakes`: each takes as long as several names."""
    most = most_units(info)
    for number, unit in enumerate(units):
        if number >= most:
            raise too_many_units(info, name)
        yield unit


def most_units(info: DebugInfo) -> int:
    """Return how many units are searched for a name (`require_few`)."""
    return 2 * info.object.limits.namesakes


def too_many_units(info: DebugInfo, name: str) -> LimitExceeded:
    """Return the error that more units may have a name."""
    message = f"more than {most_units(info)} units may have the name {shortened(name)}"
    return LimitExceeded(message, "--max-namesakes")


def is_in_no_unit(info: DebugInfo, name: str) -> bool:
    """Return whether it is known, without a search through the file, that no unit has an entry with
    a simple name: then no hint is followed. False for names that are not identifiers."""
    return name.isidentifier() and info.strings.is_absent(*name_texts(name))


def mentioning_units(info: DebugInfo, name: str) -> Iterable[CompilationUnit]:
    """Return the units of a file, in order, that may have an entry with a simple name."""
    if "\\" in name:  # it may represent undecodable bytes
        return info.reported_units()
    units = info.strings.units(*name_texts(name))
    return info.reported_units() if units is None else units


def units_with_spellings(info: DebugInfo, name: str) -> Iterable[CompilationUnit]:
    """Return the units of a file, in order, that may have an entry with a simple name, however the
    arguments of a template or the rest of an operator's name are spelled: all spellings begin
    alike."""
    begin = _BEGIN.match(name)
    if "\\" in name or begin is None:  # or with undecodable bytes
        return info.reported_units()
    ends = (b"",) if begin[0] == "operator" else _ENDS
    units = info.strings.units(*(name_bytes(begin[0]) + end for end in ends))
    return info.reported_units() if units is None else units


def units_with_functions(info: DebugInfo, name: str) -> Iterator[CompilationUnit]:
    """Yield the units of a file, in order, that may have a function with a simple name; template
    arguments are ignored."""
    units = None if "\\" in name else info.strings.units(*name_texts(name, is_template=True))
    if units == ():
        return
    all_units = info.reported_units() if units is None else units
    yield from units_with_tags(info, all_units, name, (dw.TAG_SUBPROGRAM,))


def units_with_tags(
    info: DebugInfo, units: Iterable[CompilationUnit], name: str, tags: Collection[int]
) -> Iterator[CompilationUnit]:
    """Yield those of the units of a file that may have an entry of some tags with a simple name;
    template arguments are ignored."""
    is_possible = mentions(info, name, tags, is_template=True)
    for unit in units:
        if _may_be(unit, is_possible):
            yield unit


def _may_be(unit: CompilationUnit, is_possible: Callable[[CompilationUnit], bool]) -> bool:
    """Return whether a unit is possible; True for an unreadable one, so that its reader reports the
    error."""
    try:
        return is_possible(unit)
    except DwarfGpuError:
        return True


def likely_units(info: DebugInfo, name: str) -> Iterator[CompilationUnit]:
    """Yield the units with the address of a symbol of the name, then those that indexes name; each
    once, in file order within the groups. Indexes also name units that only declare a variable."""
    visited: set[CompilationUnit] = set()
    for unit in _hinted(info, name.removeprefix("::")):
        if unit not in visited:
            visited.add(unit)
            yield unit


def _hinted(info: DebugInfo, name: str) -> Iterator[CompilationUnit]:
    yield from _units_of_symbols(info, name)
    yield from _in_order(info.names.units_named(_simple(name)))
    yield from _in_order(info.gdb_index.units_named(name))


def _in_order(units: Iterable[CompilationUnit]) -> list[CompilationUnit]:
    """Return the first of them in the order of the file; a hint that cannot be read is none."""
    return sorted(_readable(units), key=lambda unit: (unit.header.section, unit.offset))


def _readable(units: Iterable[CompilationUnit]) -> Iterator[CompilationUnit]:
    """Yield the first of some units, up to an error."""
    with suppress(DwarfGpuError):
        yield from islice(units, _MOST)


def _units_of_symbols(info: DebugInfo, name: str) -> Iterator[CompilationUnit]:
    """Yield the units of the symbols of a name: with one address, as they are found."""
    try:
        spelled = name, *_mangled(name)
        symbols = info.object.symbols_named(*spelled) or info.loaded.symbols_named(*spelled)
    except DwarfGpuError:
        return
    addresses = dict.fromkeys(symbol.address for symbol in symbols)
    if len(addresses) == 1:
        yield from chain.from_iterable(_units_at(info, address) or () for address in addresses)
        return
    if len(addresses) > _MOST_ADDRESSES:
        return
    of_all: list[CompilationUnit] = []
    for address in addresses:
        units = _units_at(info, address)
        if units is None:  # the first unit with the name may be missing
            return
        of_all += units
        if len(of_all) >= _MOST:
            break
    yield from _in_order(of_all)


def _units_at(info: DebugInfo, address: int) -> Iterable[CompilationUnit] | None:
    """Return the units that indexes name for an address and that have it themselves, else those
    that contain the address; in the order of the file. None where indexes are wrong and no unit
    contains it."""
    indexed = _in_order(chain(info.aranges.units_at(address), info.gdb_index.units_at(address)))
    units = [unit for unit in indexed if _has_address(info, unit, address)]
    if units or not indexed:
        return units or _readable(_units_with_address(info, address))
    return [*_readable(_units_with_address(info, address))] or None


def _has_address(info: DebugInfo, unit: CompilationUnit, address: int) -> bool:
    """Return whether the code of a unit covers an address, or the unit contains it: that of a
    variable, which clang's `.debug_aranges` have too, or the beginning of a function."""
    with suppress(DwarfGpuError):
        if covers(covered(unit.root), address):
            return True
    encoded = _encoded(info, address)
    with suppress(DwarfGpuError):
        is_contained = unit.data.find(encoded, unit.offset, unit.end) >= 0
        return is_contained or unit.tables.has_address(encoded)
    return False


def _mangled(name: str) -> tuple[str, ...]:
    """Return the prefixes of symbols of a C++ variable or function: outside of functions, external
    or not, and of constant member functions (Itanium C++ ABI 5.1.2, 5.1.3)."""
    parts = name.replace(ANONYMOUS, "_GLOBAL__N_1").split("::")
    *around, own = (f"{len(name_bytes(part))}{part}" for part in parts)
    if not around:
        return f"_Z{own}", f"_ZL{own}"
    scopes = "".join(around)
    return f"_ZN{scopes}{own}", f"_ZN{scopes}L{own}", f"_ZNK{scopes}{own}"


def _units_with_address(info: DebugInfo, address: int) -> Iterator[CompilationUnit]:
    """Yield the units with an address in their entries, then those with one by its index."""
    encoded = _encoded(info, address)
    yield from info.units_with(encoded)
    yield from _units_with_indexed(info, address, encoded)


def _units_with_indexed(info: DebugInfo, address: int, encoded: bytes) -> Iterator[CompilationUnit]:
    """Yield the units whose parts of `.debug_addr` contain an address. The units of one part, as
    of link-time optimization, must cover it or refer to it."""
    data = info.section(".debug_addr")
    parts = _address_parts(info) if encoded in data else ()
    begins, ends = [part.begin for part in parts], [part.end for part in parts]
    for number, offset in spans_with(begins, ends.__getitem__, partial(data.find, encoded)):
        part = parts[number]
        index = _index_of(encoded, data, offset, part)
        if index is None:
            continue
        for unit in part.units:
            if len(part.units) == 1 or _refers_to(unit, address, index):
                yield unit


def _index_of(encoded: bytes, data: bytes, offset: int, part: _AddressPart) -> int | None:
    """Return the index of an address in a part of `.debug_addr`, whose bytes are first at an
    offset: perhaps across two addresses."""
    index, remainder = divmod(offset - part.begin, len(encoded))
    if not remainder:
        return index
    whole = memoryview(data)[part.begin : part.end]
    whole = whole[: len(whole) - len(whole) % len(encoded)]
    numbers = whole.cast("I" if len(encoded) == 4 else "Q")
    with suppress(ValueError):
        return indexOf(numbers, int.from_bytes(encoded, byteorder))
    return None


class _AddressPart(NamedTuple):
    """A part of `.debug_addr`."""

    begin: int
    end: int
    units: list[CompilationUnit]
    """The units that have it."""


@kept_with(first)
def _address_parts(info: DebugInfo) -> Sequence[_AddressPart]:
    """Return the parts of `.debug_addr` that units have, in order."""
    parts: dict[int, _AddressPart] = {}
    for unit in info.reported_units():
        with suppress(DwarfGpuError):
            span = unit.tables.addresses_span
            if span is not None:
                parts.setdefault(span[0], _AddressPart(*span, [])).units.append(unit)
    ordered = sorted(parts.values())
    for index, (part, following) in enumerate(pairwise(ordered)):
        if following.begin < part.end:  # before DWARF 5 no header gives the end
            ordered[index] = part._replace(end=following.begin)
    return ordered


def _refers_to(unit: CompilationUnit, address: int, index: int) -> bool:
    """Return whether the code of a unit covers an address, or an expression of the unit may have
    its index."""
    with suppress(DwarfGpuError):
        if covers(covered(unit.root), address):
            return True
        full, number = unit.full, encode_uleb(index)
        texts = (bytes((operation,)) + number for operation in _BY_INDEX)
        return any(full.data.find(text, full.offset, full.end) >= 0 for text in texts)
    return False


def _encoded(info: DebugInfo, address: int) -> bytes:
    return address.to_bytes(info.object.address_bytes, info.object.endian)
