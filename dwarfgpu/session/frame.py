"""The call frame in which a session evaluates (AMD text A.2.5.1, `dwarfgpu.expr.context.Frame`).

Law: a frame asks its session and caches nothing of the machine beyond one evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol
from weakref import ref

from dwarfgpu.access.coalesced_reads import READ_BUDGET, ReadBudget
from dwarfgpu.access.exact_reads import register_bytes
from dwarfgpu.arch.amdgpu import PRIVATE_LANE
from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.argument_types import require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, contents
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve, field, force_setattr, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf import frame_attributes, lane_attributes
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.subprogram import FunctionsAround, Subprogram
from dwarfgpu.errors import DwarfGpuError, IllFormed, MissingContext
from dwarfgpu.expr.context import Context, ExprLoc, Frame, LocList, UnitFormat
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect.dialect import AMD, VgprContents
from dwarfgpu.expr.evaluate import Observer, register_of
from dwarfgpu.expr.explicit_context import NO_CFA, NO_SUBPROGRAM, NO_UNWINDING, ExplicitAddress
from dwarfgpu.expr.implicit_conversions import memory_location
from dwarfgpu.expr.ops.special_value import TYPED_REGISTERS
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Register
from dwarfgpu.model.value import Value
from dwarfgpu.session.focused_frame import FocusedFrame, LaneLocation
from dwarfgpu.session.lane_states import FrameLanes, KnownLaneLocations

# Most questions are about the innermost frame: functions import what reads calls and callers.
if TYPE_CHECKING:
    from dwarfgpu.cfi.call_stack import CallStack
    from dwarfgpu.cfi.unwind import CfiFrame
    from dwarfgpu.dwarf.calls.call_sites import CallSite
    from dwarfgpu.session.call_site_values import EntryValueSource
    from dwarfgpu.session.left_frames import LeftFrame


@frozen
class PendingCall:
    """A call, and the function that it runs."""

    callee: Subprogram
    call: CallSite


class FrameSession(Protocol):
    """What a frame needs from its session."""

    @property
    def architecture(self) -> Architecture: ...

    @property
    def has_ended(self) -> bool: ...

    @property
    def wave(self) -> WaveId: ...

    @property
    def lane(self) -> int | None: ...

    @property
    def target(self) -> Target | None: ...

    @property
    def stop(self) -> int | None: ...

    @property
    def given_cfa(self) -> ExplicitAddress | None: ...

    @property
    def given_frame_base(self) -> ExplicitAddress | None: ...

    @property
    def widens_bases(self) -> bool: ...

    @property
    def merges_signed(self) -> bool: ...

    @property
    def vgpr_holds(self) -> VgprContents | None: ...

    @property
    def call_stack(self) -> CallStack | None:
        """The frames of the wave; None without a program location."""
        ...

    @property
    def physical_frame(self) -> CfiFrame | None:
        """The frame as call frame information sees it; None without a program location."""
        ...

    def at_level(self, level: int) -> FrameSession:
        """Return the session as a frame sees it; `MissingContext` if there is no such frame."""
        ...

    def calling(self) -> tuple[FrameSession, int]:
        """Return the session in the calling frame, and the return address.

        `MissingContext` where there is none.
        """
        ...

    def nested(self) -> FrameSession:
        """Return the same focus for an evaluation within another one; `LimitExceeded` beyond a
        depth."""
        ...

    @property
    def known_lane_locations(self) -> KnownLaneLocations: ...

    def machine_state(self) -> object | None: ...

    @property
    def limits(self) -> Limits: ...

    @property
    def program_location(self) -> int | None: ...

    @property
    def code_objects(self) -> tuple[CodeObject, ...]: ...

    @property
    def is_pc_forced(self) -> bool:
        """Whether every lane of the top frame is taken to be where the wave is."""
        ...

    @property
    def code_object(self) -> CodeObject | None: ...

    @property
    def inline_level(self) -> int: ...

    @property
    def has_frames(self) -> bool: ...

    @property
    def focused_frame(self) -> FocusedFrame:
        """The frame as files alone describe it."""
        ...

    @property
    def frame(self) -> SubprogramFrame: ...

    def context(self, frame: SubprogramFrame | None = None) -> Context:
        """Return the evaluation context of the focus in a frame, without a unit."""
        ...


@frozen(eq=False)
class SubprogramFrame(FrameLanes):
    """The call frame that executes, of a wave at a program location in a code object."""

    session: FrameSession = field(repr=False)
    code_object: CodeObject | None
    pc: int | None
    level: int = 0
    is_for_frame_base: bool = field(default=False, kw_only=True)
    """While its own frame base is evaluated (A.3.3.5: it may not use DW_OP_fbreg)."""
    is_scalar: bool = field(default=False, kw_only=True)
    """Set while lane locations are evaluated: every lane is at the thread's pc."""
    passing: PendingCall | None = field(default=None, kw_only=True)
    """The call that is waited for, while what its callee found on entry is evaluated."""
    cfi_only: bool = field(default=False, kw_only=True)
    """Use CFI only: do not infer registers from callees (-fipa-ra holds for compiler-generated
    expressions, not for the user's, nor for the state at a call)."""
    preserved_by_callees: dict[int, Location] = field(factory=dict, kw_only=True, repr=False)
    """Locations of registers that the callees preserve, found in their frames (-fipa-ra)."""
    _lanes: dict[int, LaneLocation] = field(factory=dict, init=False, repr=False)
    """The lane locations so far: valid because a frame lives no longer than its context."""
    _known_base: tuple[ref[ReadBudget], Location] | None = field(
        default=None, init=False, repr=False
    )
    """The frame base that DW_OP_fbreg had last, with the evaluation that asked for it: not kept,
    which would be in every copy of the session."""

    @property
    def architecture(self) -> Architecture | None:
        return self.session.architecture

    @property
    def is_innermost(self) -> bool:
        """Whether the frame is asked for itself, and not for what a call in it passed."""
        return not (self.passing or self.cfi_only or self.is_for_frame_base)

    @property
    def described(self) -> FocusedFrame:
        """The static facts about the frame: those of the session, unless it is at another
        program location."""
        described = self.session.focused_frame
        return described if described.pc == self.pc else evolve(described, pc=self.pc)

    @property
    def subprogram(self) -> Subprogram | None:
        return self.described.subprogram

    def is_of(self, function: Die | None) -> bool:
        """Return whether it is known by a function, None for what is outside of functions:
        `dwarfgpu.session.own_frame` knows what else it may execute, and what needs no frame."""
        if function is None:
            return True
        try:
            own = self.subprogram
        except DwarfGpuError:  # as of a missing split file
            return False
        return own is not None and own.die == function

    @property
    def subprograms(self) -> FunctionsAround:
        """The functions at the program location, inlined ones too, innermost first."""
        return self.described.subprograms

    @property
    def _around_lane(self) -> FunctionsAround:
        """The functions where the lane in focus is, as `subprograms` where the wave is."""
        pc = self.program_location(self.session.lane)
        if pc == self.pc or pc is None or self.code_object is None:
            return self.subprograms
        return self.code_object.scopes.subprograms_at(pc)

    @property
    def _physical(self) -> CfiFrame:
        physical = self.session.physical_frame
        if physical is None:
            raise MissingContext(NO_UNWINDING)
        return physical

    def register(self, number: int) -> Location:
        """Return where the frame has a register. One that call frame information has lost is found
        by the call site that passes it, or because the callees preserve it (-fipa-ra)."""
        location = self._physical.register(number)
        passing = self.passing
        if not location.is_undefined:
            return location
        from dwarfgpu.cfi.lost_registers import lost_register  # few values are lost

        location = lost_register(self._physical, number, on_entry=False)
        if passing is None:
            return location if self.cfi_only else self._preserved_by_callees(number) or location
        from dwarfgpu.session.call_site_values import register_from_call_site

        context = self.session.context()
        return register_from_call_site(passing.callee, passing.call, number, context) or location

    def _preserved_by_callees(self, number: int) -> Location | None:
        """Return the location of a register that the inner calls preserve under -fipa-ra."""
        from dwarfgpu.session.ipa_ra import preserved_by_callees

        preserved = preserved_by_callees(
            self._physical, number, lambda e: self.session.at_level(e).code_object
        )
        if preserved is not None:
            self.preserved_by_callees[number] = preserved
        return preserved

    def notes_on_preserved_registers(self) -> Iterator[str]:
        """Yield the assumptions about registers found in callees."""
        if not self.preserved_by_callees:
            return
        from dwarfgpu.cfi.lost_registers import assumed_preserved  # few values are lost

        for number in self.preserved_by_callees:
            yield assumed_preserved(self.session.architecture.register(number).name)

    def entry_register(self, number: int) -> Location:
        """Return where a register was on entry; without a program location by the architecture's
        default rule (A.2.5.4.4.1)."""
        try:
            session = self.session
            if self.pc is None and session.architecture.has_default_rules:
                storage = Register(session.architecture.register(number), session.wave)
                return Location((SingleLocation(storage),), session.stop)
            location = self._physical.entry_register(number)
            if location.is_undefined:
                from dwarfgpu.cfi.lost_registers import lost_register  # few values are lost

                return lost_register(self._physical, number, on_entry=True)
            return location
        except FOREIGN:
            require_right_arguments(SubprogramFrame.entry_register, self, number)
            raise

    def cfa(self) -> Location:
        explicit = self.session.given_cfa
        if explicit is not None and not self.level:
            return self.location_of(explicit)
        if self.pc is None:
            raise MissingContext(NO_CFA)
        try:
            return self._physical.cfa()
        except MissingContext as error:
            raise MissingContext(f"{NO_CFA}: {error.message}") from None

    def location_of(self, address: ExplicitAddress) -> Location:
        """Return the location of an explicit address, for the focus."""
        try:
            focus, arch = self.session, self.session.architecture
            context = Context(
                architecture=arch, wave=focus.wave, lane=focus.lane, target=focus.target
            )
            space = arch.address_space(address.space)
            return memory_location(context, space, address.address, bind_lane=False)
        except FOREIGN:
            require_right_arguments(SubprogramFrame.location_of, self, address)
            raise

    def frame_base(self) -> Location:
        if self.is_for_frame_base:
            raise IllFormed("DW_AT_frame_base contains DW_OP_fbreg")
        # An evaluation reads one state of the machine: what it counts its reads for names it.
        evaluation, known = READ_BUDGET.get(), self._known_base
        if evaluation is None:
            return self._frame_base()
        if known is not None and known[0]() is evaluation:
            return known[1]
        base = self._frame_base()
        force_setattr(self, "_known_base", (ref(evaluation), base))
        return base

    def _frame_base(self) -> Location:
        explicit = self.session.given_frame_base
        if explicit is not None and not self.level:
            return self.location_of(explicit)
        if self.starts_private_memory:
            return self.location_of(ExplicitAddress(PRIVATE_LANE, 0))
        _, attribute = self.described_frame_base()
        return self.frame_base_of(attribute)

    def described_frame_base(self) -> tuple[Subprogram, ExprLoc | LocList]:
        """Return the function that provides the frame base at the lane in focus, and its attribute.

        Raises `MissingContext` outside of functions, `IllFormed` if none has the attribute.
        """
        subprogram = self.subprogram
        if subprogram is None:
            raise MissingContext(NO_SUBPROGRAM)
        described = self._around_lane.describing(dw.AT_FRAME_BASE)
        if described is None:
            raise IllFormed(f"{subprogram.name} has no DW_AT_frame_base")
        return described

    @property
    def has_frame_base(self) -> bool:
        """Whether a function at the program location describes its frame base (A.3.3.5)."""
        return self._around_lane.describing(dw.AT_FRAME_BASE) is not None

    @property
    def starts_private_memory(self) -> bool:
        """Whether it is a kernel's, which has no DW_AT_frame_base because its base is the start of
        the lane's private memory: upstream clang leaves it out."""
        outermost = self._around_lane.outermost
        return outermost is not None and outermost.starts_private_memory

    def frame_base_of(
        self, attribute: ExprLoc | LocList, observe: Observer | None = None
    ) -> Location:
        """Return the frame base that an attribute describes (A.3.3.5)."""
        try:
            context = self.session.context(evolve(self, is_for_frame_base=True))
            is_outer = self.level > 0
            return frame_attributes.frame_base(
                attribute, context, is_outer=is_outer, observe=observe
            )
        except FOREIGN:
            require_right_arguments(SubprogramFrame.frame_base_of, self, attribute, observe)
            raise

    def return_address(self) -> Location | None:
        """Return where the return address is stored: DW_AT_return_addr (A.3.3.5); None if
        absent."""
        described = self._around_lane.describing(dw.AT_RETURN_ADDR)
        if described is None:
            return None
        return frame_attributes.return_address(described[1], self.session.context(self))

    def static_link(self) -> Location | None:
        """Return the CFA of the enclosing function: DW_AT_static_link (A.3.3.5); None if absent."""
        described = self._around_lane.describing(dw.AT_STATIC_LINK)
        if described is None:
            return None
        return frame_attributes.static_link(described[1], self.session.context(self))

    @property
    def lanes(self) -> int | None:
        """Return DW_AT_LLVM_lanes (A.3.3.5); None if absent."""
        return self.described.lanes

    def left_frame(self) -> LeftFrame | None:
        """Return what the function had until it jumped to its callee; None if it has not."""
        physical = self.session.physical_frame if self.level else None
        if physical is None or not physical.is_tail_call:
            return None
        from dwarfgpu.session.left_frames import left_frame  # few frames are so

        info = None if self.code_object is None else self.code_object.info
        address = 0 if info is None else info.in_file(physical.location)
        around = (subprogram.die for subprogram in self.subprograms)
        return left_frame(self.session.architecture, info, address, around)

    def call_site(self) -> CallSite | None:
        """Return the call at the location of the lane in focus: about to be made, or waiting to
        return."""
        pc = self.program_location(self.session.lane)
        if self.subprogram is None or pc is None:
            return None
        from dwarfgpu.dwarf.calls.call_sites import call_sites

        return next((site for site in call_sites(self.subprogram.die) if site.is_at(pc)), None)

    def at_call(self, call: CallSite) -> Context:
        """Return the context for the attributes of a call (A.3.4.2;
        `dwarfgpu.dwarf.calls.call_values`).

        Raises `InconsistentContext` unless this is its frame, and the lane in focus is at the call.
        """
        try:
            from dwarfgpu.dwarf.calls.call_values import require_call

            context = self.session.context(self)
            subprogram = self.subprogram
            require_call(call, None if subprogram is None else subprogram.die, context)
            return context
        except FOREIGN:
            require_right_arguments(SubprogramFrame.at_call, self, call)
            raise

    def iteration_count(self) -> int | None:
        """Return DW_AT_LLVM_iterations (A.3.3.5); 1 if it is absent, None outside of functions."""
        if self.subprogram is None:
            return None
        for subprogram in self.subprograms.having(dw.AT_LLVM_ITERATIONS):
            match subprogram.iterations:
                case None:
                    continue
                case int(constant):
                    return constant
                case attribute:
                    return lane_attributes.iterations(attribute, self._of_thread())
        return 1

    def active_lanes(self) -> int | None:
        """Return the mask of DW_AT_LLVM_active_lane (A.3.3.5); None if absent."""
        for subprogram in self.subprograms.having(dw.AT_LLVM_ACTIVE_LANE):
            if (attribute := subprogram.active_lane) is not None:
                return lane_attributes.active_lanes(attribute, self._of_thread())
        return None

    @property
    def execution_mask(self) -> int | None:
        """Return EXEC of the frame; None if it is not completely known, or does not exist."""
        register, target = self.session.architecture.register_named("exec"), self.session.target
        physical = self.session.physical_frame if self.level else None
        if target is None or register is None:
            return None
        try:
            if physical is None or register.number is None:
                mask = register_bytes(target, self.session.wave, register)
                return int.from_bytes(mask, self.session.architecture.endian)
            contents = physical.contents(register.number)
        except DwarfGpuError:
            return None
        return contents.value if contents.is_complete else None

    def _of_thread(self) -> Context:
        """Return the context for evaluating lane locations, which cannot itself use them."""
        return self.session.context(evolve(self, is_scalar=True))

    def caller(self) -> tuple[Frame, int]:
        from dwarfgpu.session.call_site_values import call_site_returning_to

        calling, return_address = self.session.calling()
        calling = calling.nested()
        pc = calling.program_location
        assert pc is not None
        callee, call = self.subprogram, call_site_returning_to(calling.code_object, return_address)
        passing = None if callee is None or call is None else PendingCall(callee, call)
        return evolve(calling.frame, passing=passing, cfi_only=True), pc

    def entry_value(self, expression: bytes) -> Value | None:
        """Return the value of the call-site parameter, where call frame information has lost the
        register."""
        try:
            expression = contents("expression", expression)
            if self.subprogram is None or self.is_preserved_by_callees(expression):
                return None
            from dwarfgpu.session.entry_values import value_on_entry

            return value_on_entry(self, expression)
        except FOREIGN:
            require_right_arguments(SubprogramFrame.entry_value, self, expression)
            raise

    def parameter_value(self, section_offset: int) -> Value | None:
        """Return the value of the call-site parameter that names the formal parameter (DWARF 5
        3.4.2)."""
        if self.subprogram is None:
            return None
        from dwarfgpu.session.entry_values import value_on_entry

        parameter = self.subprogram.die.unit.info.die_at(section_offset)
        return value_on_entry(self, parameter)

    def nested_context(self, preserved_by_callees: dict[int, Location]) -> Context:
        """Return the context of a nested evaluation, which finds registers preserved by callees."""
        session = self.session.nested()
        return session.context(
            evolve(self, session=session, preserved_by_callees=preserved_by_callees)
        )

    def is_preserved_by_callees(self, source: EntryValueSource) -> bool:
        """Return whether the source of a value on entry is a register whose location at the entry
        is known."""
        number = _register_of(source) if isinstance(source, bytes) else None
        try:
            return number is not None and not self.entry_register(number).is_undefined
        except DwarfGpuError:
            return False

    def lane_was_active(self, lane: int) -> bool | None:
        return self.lane_location(lane).was_active

    def program_location(self, lane: int | None) -> int | None:
        location = self.lane_location(lane)
        if location.error is not None:
            raise location.error
        return location.pc


def _register_of(expression: bytes) -> int | None:
    """Return the register of an expression that is one DW_OP_reg*, or reads one as another type."""
    instructions = decode(expression, AMD, UnitFormat()).instructions
    if len(instructions) != 1:
        return None
    if instructions[0].operation.name in TYPED_REGISTERS:
        register = instructions[0].operands[0]
        assert isinstance(register, int)
        return register
    return register_of(instructions[0])
