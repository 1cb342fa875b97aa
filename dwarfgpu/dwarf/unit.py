"""One unit (DWARF 5 sections 3.1, 7.5.1; AMD text A.3.1), and the `Unit` that expressions see.

Law: the header is read when the file is opened, the unit's own entry on the first question, the
other entries on first use. Nothing is parsed twice, except entries that were freed
(`forget_entries`). A split unit gets from its skeleton what a linker changes: addresses, its base
address, the line table (3.1.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.argument_types import methods_name_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, plain_integer, wrong_value
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Data
from dwarfgpu.base.cached import cached_property
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import AbbreviationTable
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.die import Die, constant_bytes
from dwarfgpu.dwarf.entry_tree import Tree, lost_entries, read_tree
from dwarfgpu.dwarf.forms import Attribute, read_uleb
from dwarfgpu.dwarf.location_lists import UnitLists, value_or_raise
from dwarfgpu.dwarf.producer import has_legacy_attributes, parse_producer
from dwarfgpu.dwarf.thread_local import tls_address
from dwarfgpu.dwarf.unit_header import UnitHeader, WrongHeader
from dwarfgpu.dwarf.unit_tables import UnitTables
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    InconsistentContext,
    LimitExceeded,
    Malformed,
    MissingContext,
    UndefinedBits,
)
from dwarfgpu.expr.context import (
    ConstValue,
    ExprLoc,
    LocationAttribute,
    LocList,
    NumberAt,
    UnitFormat,
)
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.objfile.elf_structures import SHF_WRITE
from dwarfgpu.objfile.file_bytes import OfOpenFile

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.line_table import LineTable
    from dwarfgpu.dwarf.unit_file_protocol import UnitFile
    from dwarfgpu.dwarf.unknown_values import UnknownValues

_ALL_KNOWN: Final[UnknownValues] = {}
_OP_ADDR, _OP_ADDRX, _OP_STACK_VALUE = 0x03, 0xA1, 0x9F


@methods_name_wrong_arguments
class CompilationUnit(OfOpenFile):
    """A unit: its format, its entries, and what its indexes and offsets refer to."""

    def __init__(self, info: UnitFile, header: UnitHeader) -> None:
        self.info = info
        self.sections = info.sections
        self.header = header
        self.offset = header.offset
        """Bytes from the start of the unit's section, mostly `.debug_info`."""
        self.end = header.end
        self.format: UnitFormat = header.format

    # What few units are asked for, of the thousands of a file, is made when it is asked for.

    @cached_property
    def data(self) -> Data:
        """The bytes of its section by their offsets: all, or at least those of the unit."""
        data = self.sections.loaded(self.header.section, self.offset, self.end)
        if self.sections.unknown_fields:
            self.unknown_values = value_or_raise(self._unknown_values)
        return data

    unknown_values: UnknownValues = _ALL_KNOWN
    """Why values of its entries are unknown, once `data` was read."""

    @cached_property
    def _unknown_values(self) -> UnknownValues | DwarfGpuError:
        from dwarfgpu.dwarf.unknown_values import unknown_values  # few objects have some

        sections, section = self.sections, self.header.section
        data = sections.loaded(section, self.offset, self.end)
        entries = Range(self.header.entries_at, self.end)
        fields = sections.unknown_fields.get(section, ())
        try:
            return unknown_values(data, entries, self.abbreviations, fields)
        except DwarfGpuError as error:
            return error

    _is_forgotten = False
    """Whether its entries were read, and freed."""
    _is_kept = False
    """Whether its entries were read again, so that they are not freed any more."""
    _unreadable: DwarfGpuError | None = None
    """Why its entries cannot be read, once they were asked for."""

    why_cut: DwarfGpuError | None = None
    """Why some of its entries may be missing, once they were read."""

    skeleton: CompilationUnit | None = None
    """The skeleton of a split unit, once the skeleton has asked for it."""

    @cached_property
    def is_split(self) -> bool:
        """Whether it is in sections `.dwo`."""
        return bool(self.sections.suffix)

    @cached_property
    def address_mask(self) -> int:
        return (1 << 8 * self.format.address_size) - 1

    @cached_property
    def tombstone(self) -> int:
        """The lower of the two addresses by which linkers mark code that they dropped."""
        return (1 << 8 * self.format.address_size) - 2

    def is_mark(self, address: int) -> bool:
        """Return whether linkers write an address for code that they dropped: 0 where the file has
        no code, or one of the two highest."""
        if address:
            return address >= self.tombstone
        return not self.info.main.sections.object.is_code(0)

    def is_no_code(self, address: int) -> bool:
        """Return whether the file has no code at an address, nor a section that the program can
        write, where embedded programs have functions too."""
        file = self.info.main.sections.object
        if file.is_code(address):
            return False
        return not any(section.flags & SHF_WRITE for section in file.sections_at(address))

    @cached_property
    def lists(self) -> UnitLists:
        """Its location lists and range lists."""
        return UnitLists(self)

    @cached_property
    def tables(self) -> UnitTables:
        """What its indexes refer to."""
        return UnitTables(self)

    @cached_property
    def has_bare_templates(self) -> bool:
        """Whether DW_AT_name of an instance of a template lacks the arguments, as clang writes it
        with `-gsimple-template-names`. Instances with an unreadable name are passed over."""
        if self.tags.isdisjoint(dw.TEMPLATE_PARAMETERS) or not self.is_cplusplus:
            return False
        tree, last = self.tree, -1
        for index in tree.with_tags(dw.TEMPLATE_PARAMETERS):
            above, last = last, tree.parents[index]
            if last not in (-1, above) and tree.abbreviations[last].tag in dw.TEMPLATE_INSTANCES:
                name = None
                with suppress(DwarfGpuError):  # an error is not kept: each entry would search anew
                    name = self.die(last).string(dw.AT_NAME)
                if name is not None and "<" not in name:
                    return True
        return False

    @cached_property
    def _base_types(self) -> dict[int, BaseType]:
        return {}

    @property
    def endian(self) -> Endian:
        return self.format.endian

    @property
    def section(self) -> str:
        """The name of the section that has the unit."""
        return self.header.section + self.sections.suffix

    # Entries

    @cached_property
    def abbreviations(self) -> AbbreviationTable:
        return self.sections.abbreviations(self.header.abbreviations_at, self.format)

    @cached_property
    def tags(self) -> frozenset[int]:
        """The tags that its entries may have: those of its abbreviations."""
        return self.abbreviations.tags

    @cached_property
    def tree(self) -> Tree:
        """All entries of the unit; unreadable ones are not read again for each address."""
        if self._unreadable is not None:
            raise self._unreadable.anew()
        try:
            if self._is_forgotten:
                self._is_kept = True
            key = "entries", self.header.section, self.offset
            tree = self.sections.for_all_loads.once(key, self._read_tree)
            if isinstance(tree, DwarfGpuError):
                raise tree.anew()
            problem = lost_entries(self.data, tree.stop, self.end, self.sections.object)
            if problem is not None:
                self.why_cut = self._located(Malformed(problem))
                self.info.main.note_unread(self.why_cut)
            return tree
        except DwarfGpuError as error:
            self._unreadable = self._located(error).anew()
            raise error.with_traceback(None)  # which has what was read so far

    def _read_tree(self) -> Tree | DwarfGpuError:
        budget = self.sections.budget
        offset, end = self.header.entries_at, self.end
        try:
            if self._is_forgotten:  # its entries were counted
                return read_tree(self.data, offset, end, self.abbreviations)
            tree = read_tree(self.data, offset, end, self.abbreviations, budget.entries_left)
        except LimitExceeded as error:
            budget.entries_left = 0  # the next attempt ends at once
            return error.with_traceback(None)
        except DwarfGpuError as error:
            return error.with_traceback(None)
        budget.entries_left -= len(tree.offsets)
        return tree

    @cached_property
    def root(self) -> Die:
        """The entry of the unit itself; `Malformed` where there is none."""
        try:
            code, values_at = 0, self.header.entries_at
            if values_at < self.end:
                code, values_at = read_uleb(self.data, values_at, self.end)
            if code == 0:
                raise Malformed("the unit has no entry of its own")
            abbreviation = self.abbreviations.get(code)
            if abbreviation is None:
                raise Malformed(f"the unit's own entry has the unknown abbreviation {code}")
        except DwarfGpuError as error:
            raise self._located(error)
        return Die(self, self.header.entries_at, abbreviation, values_at)

    def die(self, index: int) -> Die:
        """Return the entry of an index in `tree`."""
        try:
            tree = self.tree
            offset = tree.offsets[index]
            values_at = offset + 1
            if self.data[offset] >= 0x80:  # an abbreviation's code is mostly one byte
                values_at = read_uleb(self.data, offset, self.end)[1]
            return Die(self, offset, tree.abbreviations[index], values_at)
        except FOREIGN:
            require_right_arguments(CompilationUnit.die, self, index)
            if not 0 <= index < len(self.tree.offsets):
                expected = f"an index below {len(self.tree.offsets)}"
                raise wrong_value("index", index, expected) from None
            raise

    def die_at(self, section_offset: int) -> Die:
        """Return the entry at an offset in its section; `IllFormed` where none of this unit
        starts."""
        try:
            if section_offset == self.header.entries_at:
                return self.root
            index = self.tree.find(section_offset)
            if index is None:
                raise IllFormed(
                    f"no entry of the unit at {self.offset:#x} starts at offset {section_offset:#x}"
                )
            return self.die(index)
        except FOREIGN:
            require_right_arguments(CompilationUnit.die_at, self, section_offset)
            raise

    def _located(self, error: DwarfGpuError) -> DwarfGpuError:
        if error.context is None:
            error.context = f"{self.sections.path}: {self.section} unit {self.offset:#x}"
        return error

    # Parts in other places

    @property
    def is_skeleton(self) -> bool:
        """Whether its entries are those of a split unit (DWARF 5 3.1.2; GNU Fission before).

        Clang makes skeletons of units that have nothing to split, as with -g1: without a name of
        the split file and with the ID 0.
        """
        if self.is_split or self.header.is_type_unit:
            return False
        if self.format.version >= 5 and self.header.kind != dw.UT_SKELETON:
            return False
        has_id = self.format.version >= 5 and self.header.signature
        return bool(has_id) or any(map(self.root.has, dw.SPLIT_NAMES))

    @property
    def full(self) -> CompilationUnit:
        """The unit with the entries: of a skeleton its split unit, else itself.

        `MissingContext` where it is not found, `InconsistentContext` where another one is.
        """
        try:
            return value_or_raise(self._full)
        except DwarfGpuError as error:
            raise self._located(error)

    @cached_property
    def _full(self) -> CompilationUnit | DwarfGpuError:
        try:
            return self.info.split_unit_of(self) if self.is_skeleton else self
        except DwarfGpuError as error:
            self.info.note_unread(self._located(error))
            return error.with_traceback(None)  # it would keep the frames of the search

    @property
    def linked(self) -> CompilationUnit:
        """The unit with what a linker changes: of a split unit its skeleton, else itself."""
        if not self.is_split:
            return self
        if self.skeleton is None:
            raise MissingContext(
                "a split file has no addresses, because the linker decides them: use the file "
                "that names it"
            )
        return self.skeleton

    @property
    def ranges_base(self) -> int:
        """Bytes from the start of `.debug_ranges` to the range lists of the split unit, which GNU
        Fission leaves in the linked file."""
        base = self.root.attribute(dw.AT_GNU_RANGES_BASE)
        return base.raw if base and isinstance(base.raw, int) else 0

    # What the unit says of itself

    @cached_property
    def producer(self) -> str:
        """DW_AT_producer; empty if it is absent, or in a missing file or damaged and the dialect
        does not depend on it. Damage is remembered."""
        try:
            return self.root.string(dw.AT_PRODUCER) or ""
        except (MissingContext, InconsistentContext, Malformed, WrongHeader) as error:
            program = self.sections.program
            if self.sections.object.machine == "AMDGPU" and program.forced_dialect is None:
                raise
            if isinstance(error, Malformed | WrongHeader):
                self.info.main.note_unknown_compiler(error)
            return ""

    @cached_property
    def has_legacy_attributes(self) -> bool:
        """Whether DW_AT_LLVM attributes may have the numbers of LLVM 18 and before."""
        forced = self.sections.program.forced_dialect
        if forced is not None:
            return forced.startswith("amd-direct")
        return has_legacy_attributes(self.producer)

    @cached_property
    def language(self) -> int | None:
        """DW_LANG code; for a partial unit without one, that of the units that import it."""
        own = self.root.integer(dw.AT_LANGUAGE)
        if own is None and self.root.tag == dw.TAG_PARTIAL_UNIT:
            return self.info.language_of_partial_unit(self)
        return own

    @property
    def is_shared(self) -> bool:
        """Whether units of several languages share it, so that it has none of its own."""
        return self.language is None and self.root.tag == dw.TAG_PARTIAL_UNIT

    @property
    def is_cplusplus(self) -> bool:
        """Whether it is written in a language with the rules of C++."""
        return self.language in dw.CPLUSPLUS

    @cached_property
    def is_opencl(self) -> bool | None:
        """Whether it is written in OpenCL C or C++ for OpenCL, which clang describes as C++.

        None where it is unknown: a unit of C++ that is damaged, or that has no kernel and is in a
        file with kernels of OpenCL.
        """
        if self.language in dw.OPENCL:
            return True
        if not self.is_cplusplus or self.language in dw.HIP:
            return False
        if self.sections.object.machine != "AMDGPU":
            return False
        try:
            if self.info.has_opencl_kernel(self):
                return True
        except DwarfGpuError:
            return None
        return None if self.info.main.has_opencl_kernels else False

    @property
    def joint(self) -> str:
        """What is between the name of a module, namespace or class and that of what is in it."""
        return "." if self.language == dw.LANG_D else "::"

    @cached_property
    def style(self) -> dw.Style:
        """The style in which types and values are written."""
        if self.language in dw.FORTRAN:
            return "fortran"
        if self.language == dw.LANG_PASCAL83:
            return "pascal"
        return "ada" if self.language in dw.ADA else "c"

    @cached_property
    def name(self) -> str:
        return self.root.string(dw.AT_NAME) or ""

    @cached_property
    def primary_file(self) -> str:
        """DW_AT_name; of a skeleton without one that of its split unit, if that is found."""
        name = self.root.string(dw.AT_NAME)
        if name is None and self.is_skeleton:
            with suppress(DwarfGpuError):
                name = self.full.root.string(dw.AT_NAME)
        return name or ""

    @cached_property
    def line_table(self) -> LineTable | None:
        """The line table that DW_AT_stmt_list names."""
        unit = self if self.header.is_type_unit else self.linked
        return unit.info.line_table_of(unit)

    @cached_property
    def with_directory(self) -> CompilationUnit:
        """The unit to whose DW_AT_comp_dir the names in the line table are relative: type units
        have none (DWARF 4 3.1.3), and their tables have the directory only since DWARF 5."""
        has_own = not self.header.is_type_unit or self.format.version >= 5
        has_own = has_own or self.root.has(dw.AT_COMP_DIR)
        return self if has_own else self.info.unit_with_directory(self)

    @cached_property
    def base_address(self) -> int | None:
        """The base address of its lists (DWARF 5 3.1.1), an address of the file.

        0 for a unit of an unlinked file that has none: relocations make its lists addresses.
        """
        own = self.root.address(dw.AT_LOW_PC)
        if own is None and self.skeleton is not None:
            return self.skeleton.base_address
        return 0 if own is None and self.sections.object.is_relocatable else own

    @cached_property
    def dialect(self) -> Dialect:
        """The dialect of vendor encodings: from the producer, or forced by the user."""
        return self.info.dialect_of(self)

    # Strings, addresses and locations in other sections

    def string_of(self, attribute: Attribute) -> bytes:
        """Return the bytes of a string attribute; `IllFormed` for an attribute of another class."""
        try:
            raw = attribute.raw
            if isinstance(raw, bytes):
                if attribute.kind == "string":
                    return raw
            elif attribute.kind == "strp":
                return self.sections.string(".debug_str", raw)
            elif attribute.kind == "line_strp":
                return self.sections.string(".debug_line_str", raw)
            elif attribute.kind == "strx":
                return self.sections.string(".debug_str", self.tables.string_offset(raw))
            elif attribute.kind == "supplementary_string":
                return self.info.supplementary.sections.string(".debug_str", raw)
            raise IllFormed(f"an attribute of class {attribute.kind} is in place of a string")
        except FOREIGN:
            require_right_arguments(CompilationUnit.string_of, self, attribute)
            raise

    def text_of(self, attribute: Attribute) -> str:
        """Return a string attribute as text, a very long one cut; errors as `string_of`."""
        try:
            raw, kind = attribute.raw, attribute.kind
            if isinstance(raw, int):
                if kind == "strp":
                    return self.sections.text(raw)
                if kind == "strx":
                    return self.sections.text(self.tables.string_offset(raw))
            return self.sections.budget.text(self.string_of(attribute))
        except FOREIGN:
            require_right_arguments(CompilationUnit.text_of, self, attribute)
            raise

    def address_of(self, attribute: Attribute) -> int:
        """Return the address of the file that an address attribute gives."""
        try:
            raw = attribute.raw
            assert isinstance(raw, int)
            match attribute.kind:
                case "addrx":
                    return self.address(raw)
                case "addrx_offset":
                    return self.address(raw >> 32) + (raw & 0xFFFFFFFF) & self.address_mask
                case _:
                    return raw
        except FOREIGN:
            require_right_arguments(CompilationUnit.address_of, self, attribute)
            raise

    def forget_entries(self) -> None:
        """Free the entries that were read: a reader of the whole file no longer needs them.

        Entries that something asks for afterwards are read once more, and then kept.
        """
        if not self._is_kept and self.__dict__.pop("tree", None) is not None:
            self._is_forgotten = True

    def forget_locations(self) -> None:
        """Free the location lists that were read, as `forget_entries` does the entries."""
        if "lists" in self.__dict__:
            self.lists.forget_locations()

    def location_of(self, die: Die, name: int) -> ExprLoc | LocList | None:
        """Return the expression or location list of an attribute, as loaded; None if it is
        absent."""
        try:
            attribute = die.attribute(name)
            if attribute is None:
                return None
            try:
                return self._location(die, attribute, name)
            except DwarfGpuError as error:
                raise die.located(error)
        except FOREIGN:
            require_right_arguments(CompilationUnit.location_of, self, die, name)
            raise

    def _location(self, die: Die, attribute: Attribute, name: int) -> ExprLoc | LocList:
        if attribute.kind in ("loclistx", "sec_offset"):
            return self._listed(die, attribute, name)
        if isinstance(attribute.raw, bytes) and attribute.kind in ("exprloc", "block"):
            return ExprLoc(attribute.raw, self)
        is_offset = attribute.form in (dw.FORM_DATA4, dw.FORM_DATA8) and self.format.version < 4
        if not is_offset:
            raise IllFormed(f"attribute {name:#x} of class {attribute.kind} is not a location")
        return self._listed(die, attribute, name)

    def _listed(self, die: Die, attribute: Attribute, name: int) -> LocList:
        views = die.attribute(dw.AT_GNU_LOCVIEWS) if name == dw.AT_LOCATION else None
        offset = None if views is None else views.raw
        return self.lists.locations_of(attribute, offset if isinstance(offset, int) else None)

    # The protocol `dwarfgpu.expr.context.Unit`

    def base_type(self, unit_offset: int) -> BaseType:
        """Return the DW_TAG_base_type at an offset from the unit's start; `IllFormed` if it is
        none."""
        if unit_offset not in self._base_types:
            section_offset = self.section_offset(unit_offset)
            self._base_types[unit_offset] = self.info.base_type_of(self.die_at(section_offset))
        return self._base_types[unit_offset]

    def address(self, index: int) -> int:
        """Return entry `index` of the unit's part of `.debug_addr`, an address of the file."""
        try:
            return self.tables.address(index)
        except FOREIGN:
            require_right_arguments(CompilationUnit.address, self, index)
            raise

    def relocate(self, address: int) -> int:
        """Return an address of the file as loaded."""
        try:
            own = address if type(address) is int else plain_integer(address)
            return own + self.sections.program.load_address & self.address_mask
        except FOREIGN:
            require_right_arguments(CompilationUnit.relocate, self, address)
            raise

    def section_offset(self, unit_offset: int) -> int:
        """Return the offset in the section for an offset in the unit; `IllFormed` outside the
        unit."""
        offset = self.offset + unit_offset
        if not self.header.entries_at <= offset < self.end:
            raise IllFormed(f"entry at {unit_offset:#x} is outside its unit")
        return offset

    def location_at(self, section_offset: int) -> LocationAttribute | None:
        """Return DW_AT_location, or else DW_AT_const_value, of the entry at an offset in
        `.debug_info`.

        In a type unit of `.debug_types`, of its own entries.
        """
        die = self.referred(section_offset)
        return die.unit.location_attribute(die)

    def referred(self, section_offset: int) -> Die:
        """Return the entry that an expression of this unit refers to, as `location_at`."""
        is_own = self.header.section != ".debug_info"
        return self.die_at(section_offset) if is_own else self.info.die_at(section_offset)

    def location_attribute(self, die: Die) -> LocationAttribute | None:
        """Return DW_AT_location, or else DW_AT_const_value, of an entry of this unit."""
        location = self.location_of(die, dw.AT_LOCATION)
        if location is not None:
            return location
        value = die.attribute(dw.AT_CONST_VALUE)
        if value is None:
            return None
        try:
            if value.kind in ("strp", "strx", "line_strp"):
                return ConstValue(self.string_of(value) + b"\0")
            if value.kind in ("address", "addrx"):  # relocated, as in GDB
                return ExprLoc(self._address_as_value(value), self)
            return ConstValue(constant_bytes(value, self.info.size_of_object(die), self.endian))
        except DwarfGpuError as error:
            raise die.located(error)

    def _address_as_value(self, attribute: Attribute) -> bytes:
        """Return the expression of an address that is the value of an object."""
        from dwarfgpu.base.leb128 import encode_uleb  # few values are addresses

        assert isinstance(attribute.raw, int)
        number = attribute.raw
        if attribute.kind == "addrx":
            return bytes([_OP_ADDRX, *encode_uleb(number), _OP_STACK_VALUE])
        address = number.to_bytes(self.format.address_size, self.endian)
        return bytes([_OP_ADDR, *address, _OP_STACK_VALUE])

    def variable_value(self, section_offset: int) -> NumberAt:
        """Return where the value of a variable is; `UndefinedBits` for one that has neither a
        location nor DW_AT_const_value, `IllFormed` for one that is no number."""
        die = self.referred(section_offset)
        location = die.unit.location_attribute(die)
        if location is None:
            raise UndefinedBits(f"{_variable(die)} has no location")
        return NumberAt(location, self.number_type(die))

    def number_type(self, die: Die) -> BaseType:
        """Return the type as which the value of a variable is a number; `IllFormed` if it is
        none."""
        number_type = self.info.number_type_of_object(die)
        if number_type is None:
            raise IllFormed(f"{_variable(die)} is not an integer, an enumeration or a pointer")
        return number_type

    def tls_address(self, offset: int, wave: WaveId, target: Target | None) -> int:
        """Return an address in thread-local storage (`dwarfgpu.dwarf.thread_local.tls_address`)."""
        loaded = self.sections.program.loaded
        return tls_address(loaded, self.thread_offset(offset), wave, target)

    def thread_offset(self, number: int) -> int:
        """Return the offset in thread-local storage that a number in a location there means.

        In `.debug_addr` it may be an address, but for clang, as assemblers have a relocation for
        the offset (`dwarfgpu.dwarf.split.thread_offsets`).
        """
        if not self.is_split or parse_producer(self.producer).is_clang:
            return number
        from dwarfgpu.dwarf.split.thread_offsets import offset_in_thread  # few units are split

        program, debug = self.sections.program.loaded, self.info.main.sections.object
        return offset_in_thread(program, debug, number, lambda: self._names_in_thread(number))

    def _names_in_thread(self, number: int) -> Iterator[str]:
        """Yield the names of the variables with a number in their locations, linkage names too."""
        from dwarfgpu.expr.thread_location import number_in_thread

        for index, abbreviation in enumerate(self.tree.abbreviations):
            if abbreviation.tag == dw.TAG_VARIABLE and abbreviation.has_location:
                with suppress(DwarfGpuError):  # other variables are readable
                    die = self.die(index)
                    if number_in_thread(self.location_attribute(die)) == number:
                        yield from filter(None, (die.linkage_name, die.name))


def _variable(die: Die) -> str:
    return f"the variable {die.name or f'without a name at {die.offset:#x}'}"
