"""A session: code objects, a target and a focus; variables as plain data.

Everything that a user asks of a program goes through here: the command line, the prompt and
scripts only choose and show.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from attrs import evolve, field, frozen

from dwarfgpu.arch.amdgpu import VECTOR_REGISTERS
from dwarfgpu.arch.model import Architecture
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.low_level import frame_base
from dwarfgpu.dwarf.scopes import Variable
from dwarfgpu.dwarf.types import Base, MemberPointer, Pointer, Type, size_bits, strip
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    InconsistentContext,
    MissingContext,
    Unavailable,
    UndefinedBits,
    Unsupported,
    UsageError,
)
from dwarfgpu.expr.context import (
    ConstValue,
    Context,
    ExprLoc,
    Limits,
    LocationAttribute,
    LocList,
)
from dwarfgpu.expr.convert import constant_location, memory_location
from dwarfgpu.expr.evaluate import Observer, evaluate_attribute, matching_entries
from dwarfgpu.expr.prepare import prepare
from dwarfgpu.frames import GivenAddress, TopFrame
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Composite, ImplicitPointer, Register, Repeated, Selected
from dwarfgpu.target import Target, WaveId


@frozen
class Reading:
    """What is known of a variable, for one lane."""

    variable: Variable
    type: Type | None
    lane: int | None
    location: Location | None = None
    bits: Bits | None = None
    """Its contents; None where nothing could be read."""
    pointer: ImplicitPointer | None = None
    """A removed pointer, in place of contents."""
    error: DwarfGpuError | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every bit of the variable is known."""
        return self.error is None and (
            self.pointer is not None or (self.bits is not None and self.bits.is_complete)
        )


@frozen(eq=False)
class Session:
    """Code objects, a machine, and where the user looks."""

    architecture: Architecture
    code_objects: tuple[CodeObject, ...] = ()
    target: Target | None = None
    wave: WaveId = 0
    lane: int | None = None
    iteration: int | None = None
    pc: int | None = None
    """The wave's program location, as loaded."""
    given_lanes: int | None = None
    """The lane count, where the user gives it."""
    given_cfa: GivenAddress | None = None
    given_frame_base: GivenAddress | None = None
    strict: bool = False
    """Read what compilers write literally."""
    limits: Limits = field(factory=Limits)
    notes: tuple[str, ...] = ()
    """What the user should know of how the session was made."""

    @property
    def stop(self) -> int | None:
        return None if self.target is None else self.target.stop

    @property
    def code_object(self) -> CodeObject | None:
        """The code object of the program location; the only one where there is no location.

        `UsageError` for a program location in no code object.
        """
        if self.pc is None:
            return self.code_objects[0] if len(self.code_objects) == 1 else None
        for each in self.code_objects:
            if each.covers(self.pc):
                return each
        if not self.code_objects:
            return None
        names = ", ".join(
            f"{each.name} loaded at {each.load_address:#x}" for each in self.code_objects
        )
        raise UsageError(f"pc {self.pc:#x} is in the code of no code object ({names})")

    @property
    def frame(self) -> TopFrame:
        return TopFrame(self, self.code_object, self.pc)

    def place(self, given: GivenAddress) -> Location:
        """Where an address given by hand is, for the focus."""
        arch = self.architecture
        context = Context(architecture=arch, wave=self.wave, lane=self.lane, target=self.target)
        space = arch.address_space(given.space)
        return memory_location(context, space, given.address, bind_lane=False)

    def offset_text(self, address: int) -> str | None:
        """`k.co+0x1a40` for an address in what a code object loads; None for any other."""
        for each in self.code_objects:
            for image in each.images():
                if 0 <= address - image.address < image.size_bytes:
                    return each.offset_text(address)
        return None

    def focused(self, lane: int | None) -> Session:
        """The same session, looking at another lane."""
        return evolve(self, lane=lane)

    def lane_count(self) -> tuple[int, str | None]:
        """Lanes of the wave (DW_AT_LLVM_lanes, A.3.3.5), and a note where that was assumed."""
        subprogram = self.frame.subprogram
        lanes = None if subprogram is None else subprogram.lanes
        given = self.given_lanes
        if lanes is not None:
            if given not in (None, lanes):
                raise InconsistentContext(
                    f"lane count {given} and DW_AT_LLVM_lanes {lanes} of the subprogram disagree"
                )
            return lanes, None
        if given is not None:
            return given, None
        if subprogram is not None and self.strict:
            return 1, None
        count = self.architecture.lane_count
        if subprogram is None or count == 1:
            return count, None
        return count, f"DW_AT_LLVM_lanes absent: wave size {count} assumed"

    def is_active(self, lane: int) -> bool | None:
        """Whether the execution mask has the lane; None where it cannot be read."""
        register = self.architecture.register_named("exec")
        if self.target is None or register is None:
            return None
        try:
            mask = self.target.read_register(self.wave, register)
        except Unavailable:
            return None
        return bool(int.from_bytes(mask, self.architecture.endian) >> lane & 1)

    def context(self, frame: TopFrame | None = None) -> Context:
        """The evaluation context of the focus, without a unit."""
        count, _ = self.lane_count()
        return Context(
            architecture=self.architecture,
            wave=self.wave,
            lane=self.lane,
            iteration=self.iteration,
            frame=frame or self.frame,
            pc=self.pc,
            target=self.target,
            lane_count=count,
            # A.3.3.5: 1 where DW_AT_LLVM_iterations, which has no number today, is absent.
            iteration_count=None if self.frame.subprogram is None else 1,
            limits=self.limits,
        )

    def frame_base(self, frame: TopFrame, attribute: ExprLoc | LocList) -> Location:
        """The frame base that an attribute describes (A.3.3.5)."""
        context = self.context(frame.for_frame_base())
        return frame_base(attribute, context, is_outer=frame.level > 0)

    def variables(self) -> list[Variable]:
        """Every variable in scope at the program location, innermost first."""
        code_object = self.code_object
        if code_object is None or self.pc is None:
            raise MissingContext("the context has no program location")
        return code_object.scopes.variables_at(self.pc)

    def functions(self) -> list[str]:
        """The functions at the program location, the innermost inlined one first."""
        code_object = self.code_object
        if code_object is None or self.pc is None:
            return []
        return code_object.scopes.functions_at(self.pc)

    def first_active_lane(self) -> int | None:
        """The first lane of the execution mask; lane 0 where that is unknown, None on a CPU."""
        if not self.architecture.is_simt:
            return None
        count, _ = self.lane_count()
        return next((lane for lane in range(min(count, 1024)) if self.is_active(lane)), 0)

    def variable(self, name: str) -> Variable:
        """The variable that a name means; `UsageError` in GDB's words where there is none."""
        for found in self._candidates(name):
            return found
        raise UsageError(f'No symbol "{name}" in current context.{self._why_unknown(name)}')

    def _why_unknown(self, name: str) -> str:
        without = [each.name for each in self.code_objects if not each.info.units]
        if without and len(without) == len(self.code_objects):
            return f" {', '.join(without)} has no debugging information"
        if self.pc is None:
            return " Without a program location only global variables are known; give --pc ADDR"
        known = [each.name for each in self.variables()]
        close = get_close_matches(name, known, n=1, cutoff=0.7)
        return f' Did you mean "{close[0]}"?' if close else ""

    def _candidates(self, name: str) -> Iterator[Variable]:
        code_object = self.code_object
        if code_object is not None and self.pc is not None:
            found = code_object.scopes.variable_at(self.pc, name)
            if found is not None:
                yield found
        for each in self.code_objects:
            found = each.scopes.global_named(name)
            if found is not None:
                yield found

    def locate(self, attribute: LocationAttribute, observe: Observer | None = None) -> Location:
        """Where an attribute says the object is, in the context of the focus."""
        context = self.context()
        if isinstance(attribute, ConstValue):
            return constant_location(attribute.data, context.endian)
        context = evolve(context, unit=attribute.unit, result_kind="location")
        location = evaluate_attribute(attribute, context, observe=observe)
        assert isinstance(location, Location)
        return location

    def read(self, variable: Variable, observe: Observer | None = None) -> Reading:
        """The variable's contents for the focus; an error is kept, not raised."""
        reading = Reading(variable, None, self.lane, notes=self._notes(variable))
        try:
            reading = evolve(reading, type=variable.type)
            attribute = variable.location
            why = self._why_not(variable)
            if attribute is None or why is not None:
                raise UndefinedBits(why or f"{variable.name} has no location: it is optimized out")
            reading = evolve(reading, location=self.locate(attribute, observe))
            return self._contents(reading)
        except DwarfGpuError as error:
            return evolve(reading, error=error)

    def _why_not(self, variable: Variable) -> str | None:
        """Why nothing describes the variable here; None where something does."""
        why = None if self.pc is None else variable.why_not(self.pc)
        code_object = self.code_object
        if why is None or not variable.described or code_object is None:
            return why
        if not code_object.load_address:
            return why
        return f"{why}; {code_object.name} is loaded at {code_object.load_address:#x}"

    def _contents(self, reading: Reading) -> Reading:
        location = reading.location
        assert location is not None
        size = size_bits(reading.type)
        if reading.type is None:
            raise IllFormed(f"{reading.variable.name} has no DW_AT_type: its size is not known")
        if size is None:
            raise Unsupported(
                f"the size of the type of {reading.variable.name} is not a constant: sizes that "
                "are computed at run time are not evaluated yet"
            )
        if reading.variable.unit.dialect.upstream_clang:
            self._check_upstream(location, size)
        access = self.context().access
        pointer = access.pointer(location, size) if _may_point(reading.type) else None
        if pointer is not None:
            return evolve(reading, pointer=pointer)
        held_bits = size - _padding_bits(reading.type)
        if location.remaining_bits == held_bits:
            # An x87 register: the padding that the type has in memory is no part of the value.
            held = access.read(location, held_bits)
            return evolve(reading, bits=evolve(held, size_bits=size))
        described = location.remaining_bits
        if described is not None and described < size and _is_composite(location):
            # Producers leave out the pieces that they know nothing of: docs/spec-notes.md.
            held = access.read(location, described).slice(0, size, access.endian)
            why = f"the location describes {described} of {size} bits"
            return evolve(reading, bits=evolve(held, reasons=(*held.reasons, why)))
        return evolve(reading, bits=access.read(location, size))

    def _check_upstream(self, location: Location, size: int) -> None:
        place = location.places[0]
        storage = place.storage
        if (
            isinstance(storage, Register)
            and storage.register.number in VECTOR_REGISTERS
            and size > 32
        ):
            raise Unavailable(
                f"upstream clang: {size} bits in one lane of {storage.register}, which holds 32"
            )

    def _notes(self, variable: Variable) -> tuple[str, ...]:
        """What was assumed about the variable's description."""
        notes: list[str] = []
        _, note = self.lane_count()
        try:
            attribute = variable.location
            if isinstance(attribute, LocList):
                entries = matching_entries(attribute.entries, self.pc)
                expressions = [each.expression for each in entries]
            else:
                expressions = [attribute.expression] if isinstance(attribute, ExprLoc) else []
            for expression in expressions:
                unit = variable.unit
                notes += prepare(expression, unit.dialect, unit.format).notes
        except DwarfGpuError:
            pass  # the reading itself reports it
        return tuple(dict.fromkeys([*([note] if note else []), *notes]))


def _may_point(kind: Type | None) -> bool:
    """Whether an object of the type can be a removed pointer: it has the size of one."""
    return isinstance(strip(kind), Pointer | MemberPointer | Base)


def _is_composite(location: Location) -> bool:
    compounds = Composite | Repeated | Selected
    return all(isinstance(place.storage, compounds) for place in location.places)


def _padding_bits(kind: Type | None) -> int:
    """Bits of a floating point type above those of its format, as x87 numbers have in memory."""
    bare = strip(kind)
    if not isinstance(bare, Base) or bare.base.float_format is None:
        return 0
    return bare.base.bit_size - bare.base.float_format.size_bits


__all__ = ["GivenAddress", "Reading", "Session", "TopFrame"]
