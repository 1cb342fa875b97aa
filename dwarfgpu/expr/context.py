"""The evaluation context (AMD text A.2.5.1) and the narrow protocols that it consists of.

What attributes give is here too: an expression (`ExprLoc`), a location list (`LocList`) or a
constant.

Law: an absent element is None; using it is `MissingContext`, never a guess.
"""

from __future__ import annotations

from functools import lru_cache
from operator import is_
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from dwarfgpu.access.access_protocol import Access, HasAccess
from dwarfgpu.access.compare_single_locations import Comparison
from dwarfgpu.access.one_lane import ScalarAccess
from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.argument_types import refuse_wrong_field
from dwarfgpu.base.arguments import integer, is_integer, wrong_type, wrong_value
from dwarfgpu.base.base_type import BaseType, generic_type
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve, field, frozen, plain_fields
from dwarfgpu.errors import InconsistentContext, MissingContext, counted
from dwarfgpu.expr.dialect.dialect import Dialect, VgprContents
from dwarfgpu.expr.location_list_entry import (
    EntriesByPc,
    LocationListEntry,
    distinct_expressions,
    matching_entries,
)
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.model.location import Entry, Location
from dwarfgpu.model.value import Value

if TYPE_CHECKING:
    from dwarfgpu.base.kept_answers import KeptAnswers

ResultKind = Literal["value", "location"]
T = TypeVar("T")
_MOST_FUNCTIONS: Final = 1_000
"""Functions of one location list whose beginnings are kept."""
_SHORT_LIST: Final = 16
"""Entries of a location list that are compared one by one."""


def require(element: T | None, name: str) -> T:
    """Return the context element, or `MissingContext` by its name in A.2.5.1."""
    if element is None:
        raise MissingContext(f"the context has no {name}")
    return element


def require_frame(frame: T | None) -> T:
    """Return the call frame of a context; `MissingContext` that says how to give one."""
    if frame is None:
        raise MissingContext(
            "the context has no call frame; give one as frame=, such as ExplicitFrame(architecture)"
        )
    return frame


_FORMAT_NUMBERS: Final = (
    ("address_size", (1, 2, 4, 8), "an integer (1, 2, 4 or 8)"),
    ("offset_size", (4, 8), "an integer (4 or 8)"),
    ("version", (2, 3, 4, 5), "an integer (2 to 5)"),
)
"""The numbers that the header of a unit may have, and how messages call them."""


@frozen(cache_hash=True)
class UnitFormat:
    """What decoding an expression needs to know of its unit."""

    address_size: int = 8
    """Bytes of an address."""
    offset_size: int = 4
    """Bytes of a reference into a section: 4 in 32-bit DWARF, 8 in 64-bit DWARF."""
    version: int = 5
    endian: Endian = "little"

    def __attrs_post_init__(self) -> None:
        for name, accepted, expected in _FORMAT_NUMBERS:
            number = getattr(self, name)
            if type(number) is not int:
                plain_fields(self, name)
                number = integer(f"UnitFormat.{name}", getattr(self, name), expected=expected)
            if number not in accepted:
                raise wrong_value(f"UnitFormat.{name}", number, expected)
        if self.endian not in ("little", "big"):
            raise wrong_value("UnitFormat.endian", self.endian, "'little' or 'big'")


@lru_cache(maxsize=16)
def format_of(architecture: Architecture | None) -> UnitFormat:
    """Return the format of an expression that belongs to no unit, with the architecture's sizes."""
    if architecture is None:
        return UnitFormat()
    return UnitFormat(address_size=architecture.address_bits // 8, endian=architecture.endian)


class ExprLoc(NamedTuple):
    """An attribute of class exprloc: an operation expression."""

    expression: bytes
    unit: Unit

    def expressions(self, _pc: int | None) -> tuple[bytes, ...]:
        """Return the one expression, which applies at every program location."""
        return (self.expression,)


@frozen(slots=False)
class LocList:
    """An attribute of class loclist: a location list expression."""

    entries: tuple[LocationListEntry, ...]
    unit: Unit
    empty: tuple[LocationListEntry, ...] = ()
    """Entries that cover no program location: they have no meaning (DWARF 5 2.6.2)."""
    in_order: tuple[LocationListEntry, ...] = ()
    """All entries in the order of the list, if some are empty."""

    @cached_property
    def by_pc(self) -> EntriesByPc | None:
        """The entries of a long list by program location; None for a short one."""
        return EntriesByPc(self.entries) if len(self.entries) > _SHORT_LIST else None

    def matching(self, pc: int | None) -> list[LocationListEntry]:
        """Return the entries that match a program location: bounded ones, or else the default
        (A.2.5.5). `EvaluationError` without a location."""
        if pc is None or self.by_pc is None:
            return matching_entries(self.entries, pc)
        return self.by_pc.matching(pc)

    def expressions(self, pc: int | None) -> tuple[bytes, ...]:
        """Return the expressions of the entries that match a program location, each once."""
        if pc is None or self.by_pc is None:
            return distinct_expressions(matching_entries(self.entries, pc))
        return self.by_pc.expressions(pc)

    def first_from(self, address: int) -> bytes | None:
        """Return the expression of the first entry with bounds that covers an address or, empty,
        begins there; None if none does. Each frame of a function asks where that begins."""
        return self._first_from.answer(address, self._read_first_from)

    @cached_property
    def _first_from(self) -> KeptAnswers[int, bytes | None]:
        from dwarfgpu.base.kept_answers import KeptAnswers  # expressions alone have no functions

        return KeptAnswers(_MOST_FUNCTIONS)

    def _read_first_from(self, address: int) -> bytes | None:
        for expression, begin, end, _ in self.in_order or self.entries:
            if begin is None or end is None:
                continue
            if begin <= address < end or begin == end == address:
                return expression
        return None


_NUMBERS: Final = ("wave", "lane", "pc", "lane_count", "iteration", "iteration_count")


@frozen
class ConstValue:
    """DW_AT_const_value: the bytes of the object, in the target's byte order."""

    data: bytes


LocationAttribute: TypeAlias = ExprLoc | LocList | ConstValue


class NumberAt(NamedTuple):
    """A variable that is a number."""

    location: LocationAttribute
    type: BaseType
    """An integral one, as which the number is read."""


class Unit(Protocol):
    """The current compilation unit, as expressions see it."""

    @property
    def format(self) -> UnitFormat:
        """The sizes of addresses and offsets, in bytes, the version and the byte order."""
        ...

    @property
    def dialect(self) -> Dialect:
        """What the numbers of the unit's operations mean."""
        ...

    def base_type(self, unit_offset: int) -> BaseType:
        """Return the DW_TAG_base_type at an offset from the unit's start; `IllFormed` if it is
        none."""
        ...

    def address(self, index: int) -> int:
        """Return an entry of `.debug_addr`, as in the file (DW_OP_constx)."""
        ...

    def relocate(self, address: int) -> int:
        """Return an address of the code object as loaded (DW_OP_addr, DW_OP_addrx)."""
        ...

    def section_offset(self, unit_offset: int) -> int:
        """Return the offset in `.debug_info` of an offset from the unit's start."""
        ...

    def location_at(self, section_offset: int) -> LocationAttribute | None:
        """Return DW_AT_location, else DW_AT_const_value, of the DIE at an offset in `.debug_info`.

        None if the DIE has neither; raises `IllFormed` if no DIE starts there.
        """
        ...

    def variable_value(self, section_offset: int) -> int | NumberAt:
        """Return the value of the variable at an offset in `.debug_info`, or where to read it
        (DW_OP_GNU_variable_value)."""
        ...

    def tls_address(self, offset: int, wave: WaveId, target: Target | None) -> int:
        """Return the address of an offset in the wave's thread-local block of this module."""
        ...


class Frame(Protocol):
    """A call frame of the current thread."""

    @property
    def level(self) -> int:
        """0 for the top call frame, the one that executes."""
        ...

    @property
    def architecture(self) -> Architecture | None:
        """The target architecture of the frame; None if unknown."""
        ...

    def register(self, number: int) -> Location:
        """Return the location of the frame's value of a register, by CFI; not used for the top
        frame."""
        ...

    def entry_register(self, number: int) -> Location:
        """Return the location of the register's value on entry to the frame's subprogram, by
        CFI."""
        ...

    def cfa(self) -> Location:
        """Return the Canonical Frame Address."""
        ...

    def frame_base(self) -> Location:
        """Return DW_AT_frame_base of the frame's subprogram (A.3.3.5)."""
        ...

    def caller(self) -> tuple[Frame, int]:
        """Return the calling frame and the call site's program location in it."""
        ...

    def entry_value(self, expression: bytes) -> Value | None:
        """Return the entry value from a call-site parameter; None if none describes it."""
        ...

    def parameter_value(self, section_offset: int) -> Value | None:
        """Return the value on entry of the formal parameter at an offset in `.debug_info`.

        None if no call-site parameter describes it.
        """
        ...

    def lane_was_active(self, lane: int) -> bool | None:
        """Return whether the lane was active on entry (DW_AT_LLVM_lane_pc); None if unknown."""
        ...

    def program_location(self, lane: int | None) -> int | None:
        """Return the location of the frame: for a lane by DW_AT_LLVM_lane_pc, else its pc or call
        site.

        None if unknown.
        """
        ...


def require_same_architecture(arch: Architecture, of_wave: object, wave: WaveId) -> None:
    """Raise `InconsistentContext` if the architecture of a wave is another one, `UsageError` if a
    target has given something else."""
    if not isinstance(of_wave, Architecture):
        raise wrong_type("Target.architecture_of", of_wave, "an Architecture")
    if of_wave is not arch and of_wave != arch:
        raise InconsistentContext(
            f"target architecture {arch.name} and the architecture {of_wave.name} "
            f"of thread {wave} disagree"
        )


class FrameWithoutSubprogram:
    """What a frame whose subprogram is unknown has no answer to."""

    __slots__ = ()

    def entry_value(self, expression: bytes) -> Value | None:
        return None

    def parameter_value(self, section_offset: int) -> Value | None:
        return None

    def lane_was_active(self, lane: int) -> bool | None:
        return None

    def program_location(self, lane: int | None) -> int | None:
        return None


@frozen
class Context:
    """The elements of A.2.5.1, the target and the limits. Checked when it is made."""

    architecture: Architecture | None = None
    wave: WaveId | None = None
    """The current thread."""
    lane: int | None = None
    iteration: int | None = None
    frame: Frame | None = None
    """The current call frame."""
    pc: int | None = None
    """The current program location, as loaded."""
    unit: Unit | None = None
    object: Location | None = None
    initial_stack: tuple[Entry, ...] = ()
    result_kind: ResultKind | None = None
    target: Target | None = field(default=None, repr=False)
    lane_count: int | None = None
    """DW_AT_LLVM_lanes of the subprogram, possibly by default; None: the architecture's."""
    iteration_count: int | None = None
    """DW_AT_LLVM_iterations of the subprogram, possibly by default."""
    limits: Limits = Limits()
    comparison: Comparison | None = field(default=None, eq=False, repr=False)
    """Records how the single locations of each location compare."""
    widens_bases: bool = field(default=False, kw_only=True)
    """Whether a scalar register narrower than an address is extended by zeros as its base, which
    the text does not allow and compilers rely on."""
    x87_as_compilers: bool = field(default=False, kw_only=True)
    """Whether an x87 register holds a number of the extended format for objects of any
    floating-point type, as compilers mean it, and not their low bits, and has padding in a
    larger piece."""
    merges_signed: bool = field(default=False, kw_only=True)
    """Whether a signed base type of the size of the generic type is one type with it as the type of
    operands, which DWARF 5 does not allow and clang relies on: GDB's generic type is signed."""
    is_of_parameter: bool = field(default=False, kw_only=True)
    """Whether the expression locates a parameter of a function, which upstream clang describes
    otherwise than a variable."""
    vgpr_holds: VgprContents | None = field(default=None, kw_only=True)
    """What a vector register is assumed to hold where upstream clang does not say whether that is
    the value or its address; None: such a location is refused."""
    access: Access = field(init=False, repr=False, eq=False)

    @access.default
    def _access(self) -> Access:
        endian: Endian = "little"
        if self.architecture is not None:
            endian = self.architecture.endian
        elif self.unit is not None:
            endian = self.unit.format.endian
        if isinstance(self.target, HasAccess):
            return self.target.access(endian, self.limits)
        limits = self.limits
        return ScalarAccess(self.target, endian, limits.read_bytes, limits.runs, self.comparison)

    def __attrs_post_init__(self) -> None:
        for number in (
            self.wave, self.lane, self.pc, self.lane_count, self.iteration, self.iteration_count,
        ):  # fmt: skip
            if number is not None and type(number) is not int:
                self._plain_numbers()
                break
        if self.object is not None:
            if not isinstance(self.object, Location):
                raise wrong_type("Context.object", self.object, "Location")
            if type(self.object.single_locations) is not tuple:
                refuse_wrong_field(self.object)
        for entry in self.initial_stack:
            if not isinstance(entry, Entry):
                raise wrong_type("Context.initial_stack", entry, "entries")
            if type(entry) is Value:
                if type(entry.bits) is not int or type(entry.type) is not BaseType:
                    refuse_wrong_field(entry)
                if entry.bits >> entry.type.bit_size:
                    size = counted(entry.type.bit_size, "bit")
                    expected = f"an unsigned integer of {size}"
                    raise wrong_value("Context.initial_stack: Value.bits", entry.bits, expected)
            elif type(entry) is Location and type(entry.single_locations) is not tuple:
                refuse_wrong_field(entry)
        if self.result_kind not in (None, "value", "location"):
            expected = "'value', 'location' or None"
            raise wrong_value("Context.result_kind", self.result_kind, expected)
        if self.vgpr_holds not in (None, "value", "address"):
            expected = "'value' or 'address' or None"
            raise wrong_value("Context.vgpr_holds", self.vgpr_holds, expected)
        for name, index, count_name, count in (
            ("lane", self.lane, "lane count", self.lane_count),
            ("iteration", self.iteration, "iteration count", self.iteration_count),
        ):
            if count is not None and count <= 0:
                raise InconsistentContext(f"{count_name} {count}: must be greater than 0")
            if index is not None and index < 0:
                raise InconsistentContext(f"{name} {index}: must be at least 0")
            if index is not None and count is not None and index >= count:
                raise InconsistentContext(
                    f"{name} {index} and {count_name} {count} disagree: "
                    f"the {name} must be below {count}"
                )
        self._check_wave()
        self._check_architecture()
        self._check_frame()

    def _plain_numbers(self) -> None:
        """Replace integers of NumPy in the fields; `WrongType` for what is no integer."""
        plain_fields(self, *_NUMBERS)
        for name in _NUMBERS:
            number = getattr(self, name)
            if number is not None and not is_integer(number):
                raise wrong_type(f"Context.{name}", number, "an integer")

    def _check_wave(self) -> None:
        """Check the lane: without a lane count, the lane must be one of the architecture's wave."""
        arch, lane = self.architecture, self.lane
        if lane is None or self.lane_count is not None or arch is None or not arch.is_simt:
            return
        if lane >= arch.lane_count:
            raise InconsistentContext(
                f"lane {lane} and target architecture {arch.name} disagree: "
                f"its waves have {arch.lane_count} lanes"
            )

    def _check_frame(self) -> None:
        frame, lane = self.frame, self.lane
        if frame is None:
            return
        if lane is not None and frame.lane_was_active(lane) is False:
            raise InconsistentContext(
                f"lane {lane} and call frame {frame.level} disagree: "
                "the lane was not active on entry to the frame"
            )
        location = None if self.pc is None else frame.program_location(lane)
        if location is not None and location != self.pc:
            subject = "the frame" if lane is None else f"lane {lane}"
            raise InconsistentContext(
                f"program location {self.pc:#x} and call frame {frame.level} disagree: "
                f"{subject} is at {location:#x}"
            )

    def _check_architecture(self) -> None:
        arch, frame, unit = self.architecture, self.frame, self.unit
        if arch is None:
            return
        top = frame is None or frame.level == 0
        if top and self.target is not None and self.wave is not None:
            require_same_architecture(arch, self.target.architecture_of(self.wave), self.wave)
        if frame is not None and frame.architecture not in (None, arch):
            raise InconsistentContext(
                f"target architecture {arch.name} and the architecture "
                f"{frame.architecture.name} of call frame {frame.level} disagree"
            )
        if unit is not None and unit.format.address_size * 8 != arch.address_bits:
            raise InconsistentContext(
                f"target architecture {arch.name} ({arch.address_bits // 8}-byte addresses) and "
                f"compilation unit (address_size {unit.format.address_size}) disagree"
            )
        if unit is not None and unit.format.endian != arch.endian:
            raise InconsistentContext(
                f"target architecture {arch.name} ({arch.endian}-endian) and "
                f"compilation unit ({unit.format.endian}-endian) disagree"
            )

    @property
    def generic(self) -> BaseType:
        """The generic type: of the architecture, else of the unit's address size."""
        if self.architecture is not None:
            return self.architecture.generic
        unit = require(self.unit, "target architecture (nor compilation unit)")
        return generic_type(unit.format.address_size * 8, unit.format.endian)

    @property
    def endian(self) -> Endian:
        """The byte order of the machine."""
        return self.access.endian

    @property
    def stop(self) -> int | None:
        """The stop of the target; None without one."""
        return None if self.target is None else self.target.stop

    def nested(
        self,
        *,
        unit: Unit,
        frame: Frame | None = None,
        pc: int | None = None,
        result_kind: ResultKind | None = "location",
        object: Location | None = None,
    ) -> Context:
        """Return a context for a separate evaluation: initial stack and object default to empty."""
        if frame is None:
            frame = self.frame
        key = unit, frame, self.pc if pc is None else pc, result_kind, object
        mine = self.unit, self.frame, self.pc, self.result_kind, self.object
        if all(map(is_, key, mine)) and not self.initial_stack:
            return self
        return evolve(
            self,
            unit=unit,
            frame=frame,
            pc=self.pc if pc is None else pc,
            result_kind=result_kind,
            object=object,
            initial_stack=(),
        )
