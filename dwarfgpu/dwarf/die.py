"""Debugging information entries (DWARF 5 chapter 2).

Law: an entry is a position in its unit. Attributes are read on demand and returned resolved:
strings are text, references are entries, addresses are those of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.argument_types import require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, WrongType
from dwarfgpu.base.bits import Endian, signed
from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.forms import Attribute, indirect_attribute
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed, counted
from dwarfgpu.expr.dialect.dialect import AMD_DIRECT_16
from dwarfgpu.objfile.file_bytes import OfOpenFile

if TYPE_CHECKING:
    from dwarfgpu.dwarf.unit import CompilationUnit

LEGACY_ATTRIBUTES: Final = {
    dw.AT_LLVM_LANES: 0x3E0A,
    dw.AT_LLVM_LANE_PC: 0x3E0B,
    dw.AT_LLVM_VECTOR_SIZE: 0x3E0C,
    dw.AT_LLVM_MEMORY_SPACE: 0x3E0D,
    dw.AT_LLVM_ADDRESS_SPACE: 0x3E0E,
}
"""The numbers of AMD's compilers up to LLVM 18; others have since taken them."""

ACTIVE_LANE_16: Final = 0x3E08
"""DW_AT_LLVM_active_lane of AMD's compilers up to LLVM 16."""

MAX_ORIGINS: Final = 16
"""Entries that name one another by abstract origin or specification."""

MAX_CONSTANT_BYTES: Final = 16
"""The size of DW_FORM_data16; larger objects are blocks."""

INHERITING_DATA: Final = frozenset(
    {dw.TAG_FORMAL_PARAMETER, dw.TAG_VARIABLE, dw.TAG_MEMBER, dw.TAG_CONSTANT}
)
"""Tags of data objects that never inherit from a function."""

FORMAL_PARAMETERS: Final = frozenset({dw.TAG_FORMAL_PARAMETER, dw.TAG_UNSPECIFIED_PARAMETERS})
_WITH_PACKS: Final = FORMAL_PARAMETERS | {dw.TAG_GNU_FORMAL_PARAMETER_PACK}
_FIRST_OF_VENDORS: Final = 0x2000
"""DW_AT_lo_user."""
FIXED_DATA: Final = {
    dw.FORM_DATA1: 1,
    dw.FORM_DATA2: 2,
    dw.FORM_DATA4: 4,
    dw.FORM_DATA8: 8,
    dw.FORM_DATA16: 16,
}


@frozen
class Die(OfOpenFile):
    """A debugging information entry; two are equal when they are the same place of the same
    file."""

    unit: CompilationUnit = field(repr=False)
    offset: int = field(repr=hex)
    """Bytes from the start of the section of its unit."""
    abbreviation: Abbreviation = field(eq=False, repr=False)
    values_at: int = field(eq=False, repr=False)
    """Offset of the first attribute value."""

    # Sets of entries are asked for each variable of a file.

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not Die:
            return NotImplemented
        assert isinstance(other, Die)
        return self.offset == other.offset and self.unit is other.unit

    def __hash__(self) -> int:
        return self.offset

    @property
    def tag(self) -> int:
        return self.abbreviation.tag

    # These are called for each attribute of a file: an argument is judged only where it fails, or
    # where nothing is found.

    def has(self, name: int) -> bool:
        try:
            return name in self.abbreviation.positions or (
                name.__class__ is not int and self._refuse_name(Die.has, name)
            )
        except FOREIGN:
            require_right_arguments(Die.has, self, name)
            raise

    def _refuse_name(self, method: Callable[..., object], name: object) -> bool:
        """Raise `WrongType` for the name of an attribute that is no number."""
        require_right_arguments(method, self, name)
        return False

    def attribute(self, name: int) -> Attribute | None:
        """Return the unresolved attribute with that number; None if there is none."""
        abbreviation = self.abbreviation
        try:
            index = abbreviation.positions.get(name)
            if index is None:
                if name.__class__ is not int:
                    self._refuse_name(Die.attribute, name)
                return None
            unit = self.unit
            form, kind, read, _ = abbreviation.values.get(index) or abbreviation.value(index)
            raw = read(unit.data, self.values_at, unit.end)
            if kind == "indirect":
                assert isinstance(raw, int)
                form, kind, raw = indirect_attribute(unit.data, raw, unit.end, unit.format)
            if raw.__class__ is not int and unit.unknown_values:
                self._require_known(name)
            return tuple.__new__(Attribute, (form, kind, raw))
        except DwarfGpuError as error:
            raise self.located(error)
        except FOREIGN:
            require_right_arguments(Die.attribute, self, name)
            raise

    def _require_known(self, name: int) -> None:
        """Raise why the value of an attribute is unknown, if it is."""
        problem = self.unit.unknown_values.get(self.offset, {}).get(name)
        if problem is not None:
            raise problem.anew()

    def located(self, error: DwarfGpuError) -> DwarfGpuError:
        """Return the error, with this entry as its context unless it has one already."""
        try:
            if error.context is None and not isinstance(error, WrongType):
                section = f"{self.unit.sections.path}: {self.unit.section}"
                error.context = f"{section} entry {self.offset:#x}"
            return error
        except FOREIGN:
            require_right_arguments(Die.located, self, error)
            raise

    def attributes(self) -> Iterator[tuple[int, Attribute]]:
        """Yield every attribute by its number, in the order of the file."""
        for name in self.abbreviation.positions:
            attribute = self.attribute(name)
            assert attribute is not None
            yield name, attribute

    def string(self, name: int) -> str | None:
        """Return a string attribute; non-UTF-8 and unprintable characters are escaped.

        A very long string is cut.
        """
        attribute = self.attribute(name)
        if attribute is None:
            return None
        try:
            return self.unit.text_of(attribute)
        except DwarfGpuError as error:
            raise self.located(error)

    def flag(self, name: int) -> bool:
        """Return the value of a flag; False if it is absent."""
        try:
            if name not in self.abbreviation.positions:
                return name.__class__ is not int and self._refuse_name(Die.flag, name)
        except FOREIGN:
            require_right_arguments(Die.flag, self, name)
            raise
        attribute = self.attribute(name)
        return attribute is not None and attribute.kind == "flag" and bool(attribute.raw)

    def integer(self, name: int) -> int | None:
        """Return a constant; None if it is absent or of another class.

        A constant of fixed size is unsigned: only the user of the attribute knows its sign.
        """
        attribute = self.attribute(name)
        if attribute is None:
            return None
        if attribute.kind != "constant" and not is_flag_as_number(self, name, attribute):
            return None
        return attribute.raw if isinstance(attribute.raw, int) else None

    def signed_integer(self, name: int) -> int | None:
        """Return a constant; in a form of fixed size, the top bit of the form is its sign."""
        attribute = self.attribute(name)
        if attribute is None or attribute.kind != "constant" or isinstance(attribute.raw, bytes):
            return None
        size_bytes = FIXED_DATA.get(attribute.form)
        return attribute.raw if size_bytes is None else signed(attribute.raw, size_bytes * 8)

    def llvm_integer(self, name: int) -> int | None:
        """Return a constant with the current DW_AT_LLVM number, else with its earlier number."""
        values = (self.integer(number) for number in self.llvm_numbers(name))
        return next((value for value in values if value is not None), None)

    def llvm_numbers(self, name: int) -> Iterator[int]:
        """Return the attribute numbers of a DW_AT_LLVM attribute that the entry has, in the dialect
        of its unit."""
        unit, has_current = self.unit, self.has(name)
        if name in (dw.AT_LLVM_ACTIVE_LANE, dw.AT_LLVM_ITERATIONS):
            if has_current and unit.dialect.provisional:
                yield name
            is_active_lane = name == dw.AT_LLVM_ACTIVE_LANE and self.has(ACTIVE_LANE_16)
            if is_active_lane and unit.dialect is AMD_DIRECT_16:
                yield ACTIVE_LANE_16
        else:
            if has_current:
                yield name
            legacy = LEGACY_ATTRIBUTES.get(name) if unit.has_legacy_attributes else None
            if legacy is not None and self.has(legacy):
                yield legacy

    def address(self, name: int) -> int | None:
        """Return an address of the file, not relocated; None if it is absent or a constant."""
        attribute = self.attribute(name)
        if attribute is None or attribute.kind not in ("address", "addrx", "addrx_offset"):
            return None
        try:
            return self.unit.address_of(attribute)
        except DwarfGpuError as error:
            raise self.located(error)

    def expression(self, name: int) -> bytes | None:
        """Return the bytes of an expression or block."""
        attribute = self.attribute(name)
        return attribute.raw if attribute and isinstance(attribute.raw, bytes) else None

    def reference(self, name: int) -> Die | None:
        """Return the entry that an attribute refers to; `IllFormed` where none starts there."""
        attribute = self.attribute(name)
        if attribute is None:
            return None
        try:
            return self._referenced(name, attribute)
        except DwarfGpuError as error:
            raise self.located(error)
        except FOREIGN:  # a number that is no integer finds the attribute, too
            require_right_arguments(Die.reference, self, name)
            raise

    def _referenced(self, name: int, attribute: Attribute) -> Die:
        raw, unit = attribute.raw, self.unit
        if isinstance(raw, bytes):
            raise IllFormed(
                f"attribute {name:#x} is not a reference but {counted(len(raw), 'byte')}"
            )
        match attribute.kind:
            case "unit_reference":
                return unit.die_at(unit.offset + raw)
            case "section_reference":
                return unit.info.die_at(raw)
            case "signature":
                return unit.info.type_entry(raw)
            case "supplementary_reference":
                return unit.info.supplementary.die_at(raw)
            case kind:
                raise IllFormed(f"attribute {name:#x} is of class {kind}, not a reference")

    def children(self, tags: Container[int] | None = None) -> Iterator[Die]:
        """Return the entries directly below this one: all, or those with one of some tags."""
        if not self.abbreviation.has_children:
            return
        tree = self.unit.tree
        try:
            for child in tree.children(self.index):
                if tags is None or tree.abbreviations[child].tag in tags:
                    yield self.unit.die(child)
        except FOREIGN:
            require_right_arguments(Die.children, self, tags)
            raise

    def parameters(self) -> Iterator[Die]:
        """Return the entries of the formal parameters of a function, those in GCC's packs included,
        and that of unspecified ones."""
        for child in self.children(_WITH_PACKS):
            if child.tag == dw.TAG_GNU_FORMAL_PARAMETER_PACK:
                yield from child.children({dw.TAG_FORMAL_PARAMETER})
            else:
                yield child

    def parent(self) -> Die | None:
        """Return the parent entry; None for the unit's own entry."""
        above = self.unit.tree.parents[self.index]
        return None if above < 0 else self.unit.die(above)

    @property
    def index(self) -> int:
        """Its index in the tree of its unit; `IllFormed` where no entry starts at its offset."""
        index = self.unit.tree.find(self.offset)
        if index is None:
            raise IllFormed(f"no entry starts at offset {self.offset:#x}")
        return index

    def origins(self) -> Iterator[Die]:
        """Yield this entry, and those whose attributes it inherits (DWARF 5 2.13.2, 3.3.8.1).

        Raises `IllFormed` for a function that inherits from something else, for a data object that
        inherits from a function, and for an entry that inherits from itself.
        """
        positions = self.abbreviation.positions
        if dw.AT_ABSTRACT_ORIGIN not in positions and dw.AT_SPECIFICATION not in positions:
            yield self
            return
        die: Die | None = self
        for _ in range(MAX_ORIGINS):
            if die is None:
                return
            yield die
            above = die.reference(dw.AT_ABSTRACT_ORIGIN)
            above = die.reference(dw.AT_SPECIFICATION) if above is None else above
            if above is not None:
                die._require_origin(above)
                if above.offset == self.offset and above.unit is self.unit:
                    raise IllFormed(f"entry {self.offset:#x} is an origin of itself")
            die = above
        raise IllFormed(f"entry {self.offset:#x} has more than {MAX_ORIGINS} abstract origins")

    def _require_origin(self, origin: Die) -> None:
        if may_be_origin(self.tag, origin.tag):
            return
        problem = f"its origin at {origin.offset:#x} has DW_TAG {origin.tag:#x}"
        raise self.located(IllFormed(problem))

    @property
    def described(self) -> Die:
        """The entry of a type unit to which a declaration of a type leads (DWARF 5 5.7.1); itself
        where it leads nowhere, or to a file that is not found."""
        die = self
        for _ in range(MAX_ORIGINS):
            try:
                target = die.reference(dw.AT_SIGNATURE) if die.has(dw.AT_SIGNATURE) else None
            except DwarfGpuError:
                break
            if target is None:
                break
            die = target
        return die

    def holder(self, name: int) -> Die | None:
        """Return the first of this entry and its origins that has an attribute."""
        if self.has(name):
            return self
        for die in self.origins():
            if die.has(name):
                return die
        return None

    @property
    def linkage_name(self) -> str | None:
        """The name that linkers know, which before DWARF 4 is a vendor's attribute; None if the
        entry has none."""
        holder = self.holder(dw.AT_LINKAGE_NAME) or self.holder(dw.AT_MIPS_LINKAGE_NAME)
        if holder is None:
            return None
        return holder.string(dw.AT_LINKAGE_NAME) or holder.string(dw.AT_MIPS_LINKAGE_NAME)

    @property
    def name(self) -> str | None:
        """DW_AT_name of the entry or its origins; of an instance of a template in C++ always with
        its arguments."""
        has_own = dw.AT_NAME in self.abbreviation.positions
        holder = self if has_own else self.holder(dw.AT_NAME)
        if holder is None:
            return None
        name = holder.string(dw.AT_NAME)
        is_whole = holder.abbreviation.tag not in dw.TEMPLATE_INSTANCES
        if is_whole or name is None or not holder.unit.has_bare_templates:
            return name
        return holder.unit.info.name_with_arguments(holder, name)


def is_flag_as_number(die: Die, name: int, attribute: Attribute) -> bool:
    """Return whether an attribute of an entry that is no constant is read as one: a flag, but in
    DWARF 5 only of a vendor, as table 7.5 lets no other attribute be both."""
    is_flag = attribute.kind == "flag"
    return is_flag and (die.unit.format.version < 5 or name >= _FIRST_OF_VENDORS)


def may_be_origin(tag: int, origin: int) -> bool:
    """Return whether an entry may inherit from one of another tag: functions from functions, data
    objects from none of them."""
    if tag in dw.FUNCTIONS:
        return origin in dw.FUNCTIONS
    return origin not in dw.FUNCTIONS or tag not in INHERITING_DATA


def constant_bytes(attribute: Attribute, size_bytes: int | None, endian: Endian) -> bytes:
    """Return the object of DW_AT_const_value in the target's byte order (DWARF 5 4.1).

    A constant has the size of the object's type; if that is unknown, the size of its form.
    """
    raw = attribute.raw
    if isinstance(raw, bytes):
        return raw + b"\0" if attribute.kind == "string" else raw
    if attribute.kind not in ("constant", "flag"):
        raise Malformed(f"DW_AT_const_value is of class {attribute.kind}")
    size = size_bytes or FIXED_DATA.get(attribute.form) or 8
    if size > MAX_CONSTANT_BYTES:
        raise IllFormed(f"DW_AT_const_value is a number, its object has {counted(size, 'byte')}")
    return (raw & (1 << size * 8) - 1).to_bytes(size, endian)


def constant_excess(attribute: Attribute, size_bytes: int | None) -> str | None:
    """Return why DW_AT_const_value has more bits than its object; None if it has not, or that is
    unknown (DWARF 5 4.1).

    A number fits as a signed or as an unsigned one. It may repeat its sign to the end of its form,
    or of 64 bits, as clang writes -1 as DW_FORM_udata; the null byte that ends a string may be
    outside.
    """
    raw = attribute.raw
    if not size_bytes:
        return None
    bits = size_bytes * 8
    if isinstance(raw, bytes):
        if len(raw) <= size_bytes:
            return None
        return f"DW_AT_const_value has {len(raw) * 8} bits, and the object {bits}"
    if attribute.kind not in ("constant", "flag"):
        return None
    written_bytes = FIXED_DATA.get(attribute.form) or 8
    for number in (raw, signed(raw, written_bytes * 8)):
        # The size is that of a file: a number of as many bits may not fit in memory.
        if (~number).bit_length() < bits if number < 0 else number.bit_length() <= bits:
            return None
    return f"DW_AT_const_value {raw} needs more bits than the {bits} of the object"
