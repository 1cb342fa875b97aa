"""A frame and a unit with explicit data, for the command line, conformance cases and tests.

Anything not given is absent; using it raises `MissingContext`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.argument_types import names_wrong_arguments, require_right_fields
from dwarfgpu.base.arguments import contents, integer, is_integer, wrong_type, wrong_value
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import Factory, field, fields, frozen, plain_fields
from dwarfgpu.errors import EvaluationError, IllFormed, MissingContext
from dwarfgpu.expr.context import FrameWithoutSubprogram, LocationAttribute, UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD, Dialect
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Register
from dwarfgpu.model.value import Value

NO_CFA: Final = "the context has no canonical frame address (CFA)"


@frozen
class ExplicitAddress:
    """An address that the user gives."""

    space: int
    """DWARF number of its address space."""
    address: int


@frozen(eq=False)
class ExplicitFrame:
    """A call frame with explicitly given facts."""

    architecture: Architecture | None = None
    level: int = 0
    registers: Mapping[int, Location] = Factory(dict)
    """Where registers are, in a frame that is not the top one."""
    entry_registers: Mapping[int, Location] = Factory(dict)
    given_cfa: Location | None = None
    given_frame_base: Location | None = None
    entry_values: Mapping[bytes, Value] = Factory(dict)
    """Keyed by the bytes of the expression."""
    given_caller: tuple[ExplicitFrame, int] | None = None
    inactive_lanes: frozenset[int] = frozenset()
    """Lanes that were not active on entry."""
    given_program_location: int | None = None
    parameter_values: Mapping[int, Value] = Factory(dict)
    """On entry, by the offset of the parameter in `.debug_info`."""

    def __attrs_post_init__(self) -> None:
        """Raise `UsageError` for a wrong fact at once: few evaluations use each of them."""
        plain_fields(self, "level", "given_program_location")
        require_right_fields(self, fields)
        integer("ExplicitFrame.level", self.level, 0)
        if self.given_program_location is not None:
            integer("ExplicitFrame.given_program_location", self.given_program_location, 0)
        for location in (
            self.given_cfa,
            self.given_frame_base,
            *self.registers.values(),
            *self.entry_registers.values(),
        ):
            if location is not None:
                location.require_single_locations()
        for name in ("registers", "entry_registers", "parameter_values"):
            for number in getattr(self, name):
                if number < 0:
                    raise wrong_value(f"key of ExplicitFrame.{name}", number, "at least 0")
        if self.given_caller is not None:
            match self.given_caller:
                case (ExplicitFrame(), number) if is_integer(number):
                    pass
                case wrong:
                    expected = "an ExplicitFrame and an integer"
                    raise wrong_type("ExplicitFrame.given_caller", wrong, expected)

    @names_wrong_arguments
    def register(self, number: int) -> Location:
        """Return where the frame's value of a register is, by DWARF number, from `registers`.

        `MissingContext` for a register that is not given; the top frame asks the machine instead
        (A.2.5.4.4.4, DW_OP_regx).
        """
        if number not in self.registers:
            raise MissingContext(f"call frame {self.level} does not say where register {number} is")
        return self.registers[number]

    @names_wrong_arguments
    def entry_register(self, number: int) -> Location:
        """Return where the value of a register was on entry, by DWARF number, from
        `entry_registers`.

        `MissingContext` for one that is not given (A.2.5.4.4.1, DW_OP_LLVM_call_frame_entry_reg).
        """
        if number not in self.entry_registers:
            raise MissingContext(
                f"the context has no call frame information for register {number} on entry"
            )
        return self.entry_registers[number]

    def cfa(self) -> Location:
        """Return `given_cfa`; `MissingContext` without one (A.2.5.4.4.3, DW_OP_call_frame_cfa)."""
        if self.given_cfa is None:
            raise MissingContext(NO_CFA)
        return self.given_cfa

    def frame_base(self) -> Location:
        """Return `given_frame_base`; `MissingContext` without one (A.2.5.4.4.3, DW_OP_fbreg)."""
        if self.given_frame_base is None:
            raise MissingContext("the context has no frame base")
        return self.given_frame_base

    def caller(self) -> tuple[ExplicitFrame, int]:
        """Return `given_caller`: the calling frame, and the program location of the call in it, as
        loaded; `MissingContext` without one (A.2.5.4.3.4, DW_OP_entry_value).
        """
        if self.given_caller is None:
            raise MissingContext("the context has no calling frame, nor a call-site parameter")
        return self.given_caller

    @names_wrong_arguments
    def entry_value(self, expression: bytes) -> Value | None:
        """Return the value on entry of an expression, by its bytes; None if it is not given
        (A.2.5.4.3.4, DW_OP_entry_value).
        """
        return self.entry_values.get(contents("expression", expression))

    @names_wrong_arguments
    def parameter_value(self, section_offset: int) -> Value | None:
        """Return the value on entry of the formal parameter at an offset in bytes in `.debug_info`;
        None if it is not given (DW_OP_GNU_parameter_ref).
        """
        return self.parameter_values.get(section_offset)

    def lane_was_active(self, lane: int) -> bool | None:
        """Return False for a lane of `inactive_lanes`; None, unknown, for any other (A.3.3.5,
        DW_AT_LLVM_lane_pc).
        """
        return False if any(lane == inactive for inactive in self.inactive_lanes) else None

    def program_location(self, lane: int | None) -> int | None:
        """Return `given_program_location`, as loaded and the same for each lane; None if it is not
        given (A.2.5.1).
        """
        return self.given_program_location


NO_UNWINDING: Final = "the context has no program location, needed to start unwinding"
NO_SUBPROGRAM: Final = "the context has no subprogram, whose frame base is needed"


@frozen(eq=False)
class FrameWithoutProgram(FrameWithoutSubprogram):
    """The top call frame of a wave without a program location: it has only given addresses."""

    architecture: Architecture
    wave: WaveId
    stop: int | None
    given_cfa: Location | None = None
    given_frame_base: Location | None = None

    @property
    def level(self) -> int:
        return 0

    @property
    def has_frame_base(self) -> bool:
        """Whether a function describes it."""
        return False

    @property
    def starts_private_memory(self) -> bool:
        """Whether it is that of a kernel of upstream clang."""
        return False

    def register(self, number: int) -> Location:
        raise MissingContext(NO_UNWINDING)

    def entry_register(self, number: int) -> Location:
        """Apply the architecture's default rule (A.2.5.4.4.1), if it has one."""
        if not self.architecture.has_default_rules:
            raise MissingContext(NO_UNWINDING)
        storage = Register(self.architecture.register(number), self.wave)
        return Location((SingleLocation(storage),), self.stop)

    def cfa(self) -> Location:
        if self.given_cfa is None:
            raise MissingContext(NO_CFA)
        return self.given_cfa

    def frame_base(self) -> Location:
        if self.given_frame_base is None:
            raise MissingContext(NO_SUBPROGRAM)
        return self.given_frame_base

    def caller(self) -> tuple[FrameWithoutProgram, int]:
        raise MissingContext(NO_UNWINDING)


@frozen(eq=False)
class ExplicitUnit:
    """A compilation unit with explicitly given facts."""

    format: UnitFormat = Factory(UnitFormat)
    dialect: Dialect = AMD
    base_types: Mapping[int, BaseType] = Factory(dict)
    """Keyed by offset in the unit."""
    addresses: Mapping[int, int] = Factory(dict)
    """`.debug_addr`, by index."""
    offset: int = 0
    """The offset of the unit in `.debug_info`."""
    locations: Mapping[int, LocationAttribute | None] = Factory(dict)
    """Keyed by offset in `.debug_info`."""
    variable_values: Mapping[int, int] = Factory(dict)
    tls: Mapping[int, int] = Factory(dict)
    """Addresses by offset in the thread-local block."""
    load_bias: int = field(default=0, repr=hex)

    def __attrs_post_init__(self) -> None:
        """Raise `UsageError` for a wrong fact at once: few evaluations use each of them."""
        plain_fields(self, "offset", "load_bias")
        require_right_fields(self, fields)
        integer("ExplicitUnit.offset", self.offset, 0)

    @names_wrong_arguments
    def base_type(self, unit_offset: int) -> BaseType:
        """Return the base type at an offset in bytes from the unit's start, from `base_types`;
        `IllFormed` where there is none (A.2.5.4.3.1, DW_OP_const_type).
        """
        if unit_offset not in self.base_types:
            raise IllFormed(f"no DW_TAG_base_type at offset {unit_offset:#x} of the unit")
        return self.base_types[unit_offset]

    @names_wrong_arguments
    def address(self, index: int) -> int:
        """Return an entry of `.debug_addr` by its index, as in the file; `IllFormed` where there is
        none (A.2.5.4.3.1, DW_OP_constx).
        """
        if index not in self.addresses:
            raise IllFormed(f".debug_addr has no entry {index}")
        return self.addresses[index]

    @names_wrong_arguments
    def relocate(self, address: int) -> int:
        """Return an address of the file as loaded: `load_bias` more (A.2.5.4.4.3, DW_OP_addr)."""
        return address + self.load_bias

    @names_wrong_arguments
    def section_offset(self, unit_offset: int) -> int:
        """Return the offset in bytes in `.debug_info` of one from the unit's start."""
        return self.offset + unit_offset

    @names_wrong_arguments
    def location_at(self, section_offset: int) -> LocationAttribute | None:
        """Return the location attribute of the DIE at an offset in bytes in `.debug_info`, or None
        if it is given without one; `IllFormed` where no DIE is given (A.2.5.4.2, DW_OP_call4).
        """
        if section_offset not in self.locations:
            raise IllFormed(f"no DIE at offset {section_offset:#x} of .debug_info")
        return self.locations[section_offset]

    @names_wrong_arguments
    def variable_value(self, section_offset: int) -> int:
        """Return the value of the variable at an offset in bytes in `.debug_info`;
        `EvaluationError` for one that is not given (DW_OP_GNU_variable_value).
        """
        if section_offset not in self.variable_values:
            raise EvaluationError(f"the variable at {section_offset:#x} has no value")
        return self.variable_values[section_offset]

    @names_wrong_arguments
    def tls_address(self, offset: int, wave: WaveId, target: Target | None) -> int:
        """Return the address of an offset in bytes in the thread-local block, from `tls`, for each
        wave alike; `MissingContext` for one that is not given (A.2.5.4.4.3,
        DW_OP_form_tls_address).
        """
        if offset not in self.tls:
            raise MissingContext(f"the context has no thread-local storage at offset {offset:#x}")
        return self.tls[offset]
