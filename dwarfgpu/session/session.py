"""A session: the code objects of a program, its machine, and the focus of the user.

It moves the focus (frames, lanes, waves) and makes the evaluation context of it;
`dwarfgpu.session.focused_names` finds what names mean there, `dwarfgpu.session.read_variable` reads
what is found.
"""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType
from typing import TYPE_CHECKING, Final

from dwarfgpu.access.compare_single_locations import Comparison
from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.argument_types import wrong_field
from dwarfgpu.base.arguments import integer
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve, field, force_setattr, frozen, plain_fields
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import CodeObjects, as_code_objects, split_by_machine
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.symbols_by_name import (
    AT_ADDRESS,
    IN_THREAD,
    UntypedSymbol,
    symbol_of_variable,
)
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.thread_local import tls_address
from dwarfgpu.errors import (
    DwarfGpuError,
    LimitExceeded,
    MissingContext,
    UsageError,
    shown,
)
from dwarfgpu.expr.context import Context, ExprLoc, LocationAttribute
from dwarfgpu.expr.dialect.dialect import VgprContents, vgpr_contents
from dwarfgpu.expr.evaluate import Observer
from dwarfgpu.expr.explicit_context import NO_UNWINDING, ExplicitAddress
from dwarfgpu.machine.target import Target, Versioned, WaveId
from dwarfgpu.model.location import Location
from dwarfgpu.session.description_notes import assumptions, register_assumptions
from dwarfgpu.session.focused_frame import FocusedFrame, WriteCount
from dwarfgpu.session.focused_names import FocusedNames
from dwarfgpu.session.frame import SubprogramFrame
from dwarfgpu.session.lane_states import KnownLaneLocations
from dwarfgpu.session.read_variable import VariableLocation, filled, located, require_frame_of
from dwarfgpu.session.reading import Presenter, Reading
from dwarfgpu.session.resolve_type import Resolver

if TYPE_CHECKING:
    from dwarfgpu.cfi.call_stack import CallStack
    from dwarfgpu.cfi.unwind import CfiFrame
    from dwarfgpu.dwarf.unit import CompilationUnit

MAX_CALLERS: Final = 32
"""Evaluations of values on entry within one another, which no call site announces."""
NOT_STARTED: Final = "no state is given: writable memory has its initial contents"


@frozen(eq=False)
class Session(FocusedNames):
    """Code objects, a machine, and where the user looks."""

    architecture: Architecture = field(repr=lambda architecture: architecture.name)
    code_objects: tuple[CodeObject, ...] = field(default=(), repr=False)
    target: Target | None = field(default=None, repr=False)
    wave: WaveId = 0
    lane: int | None = None
    iteration: int | None = None
    pc: int | None = None
    """The wave's program location, as loaded."""
    function: Subprogram | None = field(default=None, kw_only=True)
    """The function that runs, where the program location is unknown: its frame base is used."""
    is_pc_forced: bool = field(default=False, kw_only=True)
    """Take every lane of the top frame to be at `pc`, wherever DW_AT_LLVM_lane_pc puts it."""
    given_lanes: int | None = None
    """The lane count, where the user gives it."""
    given_cfa: ExplicitAddress | None = None
    given_frame_base: ExplicitAddress | None = None
    strict: bool = False
    """Read what compilers write literally."""
    is_mangled: bool = field(default=False, kw_only=True)
    """Functions and symbols are shown by their names in the file, not as people write them."""
    quirks: frozenset[str] = field(default=frozenset(), kw_only=True)
    """Mistakes in call frame information to correct (`dwarfgpu.cfi.quirks`), and what vector
    registers hold where upstream clang does not say it (`vgpr_holds`)."""
    is_heuristic: bool = field(default=False, kw_only=True)
    """Find callers of AMD GPU functions by their machine code if no frame information does."""
    limits: Limits = field(factory=Limits, repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    """What the user should know of how the session was made."""
    has_frames: bool = field(default=False, kw_only=True)
    """True for front ends with `up`/`down`: an inlined frame sees only its own variables.

    Otherwise a name also finds variables of the functions into which the frame is inlined.
    """
    knows_loaded: bool = field(default=False, kw_only=True)
    """Whether the program location is the machine's or the loaded files are known: then a location
    outside all code objects is not a wrong request."""
    other_code_objects: tuple[CodeObject, ...] = field(default=(), repr=False, kw_only=True)
    """What the process has loaded for other processors: for GPUs, for threads of the CPU."""
    top: Session | None = field(default=None, repr=False, kw_only=True)
    """The session for the top frame, if an outer one is in focus."""
    level: int = field(default=0, kw_only=True)
    """The level of the frame in focus, inlined functions not counted."""
    inline_level: int = field(default=0, kw_only=True)
    """How many functions are inlined into the function in focus, one into the other."""
    not_entered: int = field(default=0, kw_only=True)
    """How many inlined functions that begin at the wave's program location are not entered yet, as
    where a step ends before their call: they have no frames."""
    source_unit: CompilationUnit | None = field(default=None, repr=False, kw_only=True)
    """The unit in which names are looked up where no program location is known, in place of that of
    `main`: of the source file that the user looks at."""
    comparison: Comparison | None = field(default=None, repr=False, kw_only=True)
    """Compare all single locations of each read location (A.2.5.3)."""
    callers: int = field(default=0, kw_only=True)
    """Evaluations of values on entry that are under way, one within the other."""
    presenter: Callable[[Session], Presenter] | None = field(default=None, repr=False, kw_only=True)
    """What gives readings their text and plain data; `dwarfgpu.Session` has one."""
    _stacks: dict[int | None, CallStack] = field(factory=dict, init=False, repr=False)
    _contexts: dict[int | None, tuple[SubprogramFrame, Context]] = field(
        factory=dict, init=False, repr=False
    )
    """Keyed by the stop for which it was made: `focus`."""
    write_count: WriteCount = field(factory=WriteCount, repr=False, kw_only=True)
    """Writes since the machine was opened; every session made from this one counts with it."""
    known_notes: dict[Variable, tuple[str, ...]] = field(factory=dict, init=False, repr=False)
    """The assumptions about variables, kept by `assumptions`."""
    known_lane_locations: KnownLaneLocations = field(
        factory=KnownLaneLocations, init=False, repr=False
    )
    """Shared by the sessions that `focused` makes."""
    focused_frame: FocusedFrame = field(init=False, repr=False)
    """The frame in focus, as files alone describe it."""

    @focused_frame.default
    def _focused_frame(self) -> FocusedFrame:
        if type(self.pc) is not int or type(self.lane) is not int or type(self.wave) is not int:
            plain_fields(self, "wave", "lane", "pc")  # before it uses them
        if (
            type(self.level) is not int
            or type(self.inline_level) is not int
            or type(self.not_entered) is not int
            or type(self.notes) is not tuple
            or type(self.limits) is not Limits
            or type(self.quirks) is not frozenset
            or type(self.given_lanes) not in (int, NoneType)
            or type(self.iteration) not in (int, NoneType)
        ):
            self._require_fields()
        if self.level < 0 or self.inline_level < 0 or self.not_entered < 0:
            integer("Session.level", self.level, 0)
            integer("Session.inline_level", self.inline_level, 0)
            integer("Session.not_entered", self.not_entered, 0)
        if type(self.code_objects) is tuple:  # once for all frames and threads
            force_setattr(self, "code_objects", CodeObjects(self.code_objects))
        can_be_anywhere = bool(self.level or self.knows_loaded)
        return FocusedFrame(
            self.architecture,
            self.code_objects,
            self.pc,
            can_be_anywhere,
            self.given_lanes,
            self.strict,
            self.target,
            self.function,
        )

    def _require_fields(self) -> None:
        """Raise `WrongType` for a field of a wrong type, which a later question might not use."""
        plain_fields(self, "level", "inline_level", "not_entered", "given_lanes", "iteration")
        wrong = wrong_field(self)
        if wrong is not None:
            raise wrong

    @property
    def stop(self) -> int | None:
        """The stop of the machine, which changes when it runs; None without one."""
        return None if self.target is None else self.target.stop

    @property
    def code_object(self) -> CodeObject | None:
        """The code object of the program location; the only one where there is no location.

        `UsageError` for a program location in no code object.
        """
        return self.focused_frame.code_object

    @property
    def frame(self) -> SubprogramFrame:
        """The call frame in focus, with its function."""
        return SubprogramFrame(self, self.code_object, self.pc, self.level)

    @property
    def call_stack(self) -> CallStack | None:
        """The frames of the wave; None without a program location."""
        if self.top is not None:
            return self.top.call_stack
        if self.pc is None:
            return None
        stop = self.stop
        stack = self._stacks.get(stop)
        if stack is None:
            from dwarfgpu.session.cfi_frames import call_stack_of  # few questions need callers

            context = Context(
                self.architecture,
                self.wave,
                self.lane,
                target=self.target,
                limits=self.limits,
                comparison=self.comparison,
            )
            self._stacks.clear()
            stack = self._stacks[stop] = call_stack_of(
                context,
                self.pc,
                self.code_objects,
                self.quirks,
                is_heuristic=self.is_heuristic,
            )
        return stack

    def forget_frames(self) -> None:
        """Drop cached results after a write: they may depend on it."""
        (self.top or self)._stacks.clear()
        self.write_count.writes += 1

    @property
    def physical_frame(self) -> CfiFrame | None:
        """The call frame in focus as it is unwound; None without a program location."""
        stack = self.call_stack
        return None if stack is None else stack.frame(self.level)

    @property
    def frame_source(self) -> str | None:
        """The source of the frame's registers if it is not call frame information."""
        return None

    def at_level(self, level: int, inline_level: int = 0) -> Session:
        """Return the session in a frame; `MissingContext` with the reason if there are not as many
        frames."""
        if (number := min(level, inline_level)) < 0:
            raise UsageError(f"frames are numbered from 0: there is no frame {shown(number)}")
        stack = self.call_stack
        frame = None if stack is None else stack.frame(level)
        if frame is None:
            raise MissingContext(
                NO_UNWINDING if stack is None else f"the context has no calling frame: {stack.end}"
            )
        top = self.top or self
        if not level and not inline_level:
            return top
        return evolve(top, pc=frame.location, top=top, level=level, inline_level=inline_level)

    def calling(self) -> tuple[Session, int]:
        """Return the session in the calling frame, and the return address."""
        caller = self.at_level(self.level + 1)
        physical = caller.physical_frame
        assert physical is not None
        return evolve(caller, callers=self.callers) if self.callers else caller, physical.pc

    def nested(self) -> Session:
        """Return the same session for an evaluation within another one; `LimitExceeded` beyond a
        depth."""
        if self.callers >= MAX_CALLERS:
            raise LimitExceeded(f"values on entry nested more than {MAX_CALLERS} deep")
        return evolve(self, callers=self.callers + 1)

    def focused(self, lane: int | None) -> Session:
        """Return the same session, looking at another lane; `UsageError` for a lane that the wave
        does not have."""
        lane = None if lane is None else self.existing_lane(lane)
        top = None if self.top is None else self.top.focused(lane)
        session = evolve(self, lane=lane, top=top)
        force_setattr(session, "known_lane_locations", self.known_lane_locations)
        return session

    def of_wave(self, wave: WaveId, pc: int | None) -> Session:
        """Return the same machine at a wave or thread, which may be of another processor."""
        if self.target is None:
            raise MissingContext("the session has no target, and so no other wave")
        arch, top = self.target.architecture_of(wave), self.top or self
        if arch is self.architecture:
            return evolve(top, wave=wave, pc=pc, not_entered=0)
        own, of_other_machines = split_by_machine(top.loaded, arch)
        return evolve(
            top,
            architecture=arch,
            code_objects=own,
            other_code_objects=of_other_machines,
            wave=wave,
            pc=pc,
            not_entered=0,
        )

    @cached_property
    def loaded(self) -> CodeObjects:
        """What the process has loaded, for all processors."""
        return CodeObjects((*self.code_objects, *self.other_code_objects))

    @property
    def program(self) -> CodeObject | None:
        """The program, also where a wave of its process is in focus; None where its file is missing
        or not known."""
        own = as_code_objects(self.code_objects).program
        return own or as_code_objects(self.other_code_objects).program

    def comparing(self) -> Session:
        """Return the same session, which compares all single locations of each read location."""
        comparison = Comparison()
        top = None if self.top is None else evolve(self.top, comparison=comparison)
        return evolve(self, comparison=comparison, top=top)

    @property
    def widens_bases(self) -> bool:
        """Whether SGPRs are extended by zeros as bases of addresses, as compilers mean them."""
        return self.architecture.widens_bases and not self.strict

    @property
    def merges_signed(self) -> bool:
        """Whether a signed type of the size of the generic type is one with it, as clang means."""
        return not self.strict

    @property
    def vgpr_holds(self) -> VgprContents | None:
        """What a vector register is assumed to hold where upstream clang does not say it."""
        return vgpr_contents(self.quirks) if self.quirks else None

    def focus(self) -> tuple[SubprogramFrame, Context]:
        """Return the frame in focus and its evaluation context, without a unit.

        Law: they are cached for a stop of the target if files alone determine them: neither
        DW_AT_LLVM_lane_pc nor DW_AT_LLVM_iterations is evaluated. Then writes do not change them. A
        frame that recorded assumptions about registers is not cached.
        """
        stop = self.stop
        context = self._contexts.get(stop)
        if context is not None and not context[0].preserved_by_callees:
            return context
        frame = self.frame
        outcome = frame, self._context(frame)
        if self.iteration is None and not self.focused_frame.has_lane_pc:
            self._contexts.clear()
            self._contexts[stop] = outcome
        return outcome

    def context(self, frame: SubprogramFrame | None = None) -> Context:
        """Return the evaluation context of the focus, without a unit."""
        return self.focus()[1] if frame is None else self._context(frame)

    def _context(self, frame: SubprogramFrame) -> Context:
        count, _ = self.lane_count()
        context = Context(
            architecture=self.architecture,
            wave=self.wave,
            lane=self.lane,
            iteration=self.iteration,
            frame=frame,
            pc=frame.lane_location(self.lane).pc,
            target=self.target,
            lane_count=count,
            limits=self.limits,
            comparison=self.comparison,
            widens_bases=self.widens_bases,
            x87_as_compilers=not self.strict,
            merges_signed=self.merges_signed,
            vgpr_holds=self.vgpr_holds,
        )
        if self.iteration is None or frame.is_scalar:
            return context
        return evolve(context, iteration_count=frame.iteration_count())

    def locate(self, attribute: LocationAttribute, observe: Observer | None = None) -> Location:
        """Return where an attribute says the object is, in the context of the focus."""
        return located(attribute, self.context(), observe)

    def locate_variable(
        self, attribute: LocationAttribute, variable: Variable | None = None
    ) -> VariableLocation:
        """Locate a variable that is then read: `read` does not evaluate its location again.

        `variable`: upstream clang describes a parameter otherwise. `InconsistentContext` if it
        needs a frame of another function.
        """
        frame, context = self.focus()
        stop, writes = self.stop, self.write_count.writes
        if variable is not None:
            require_frame_of(variable, frame, context)
        location = located(attribute, context, None, variable)
        return VariableLocation(frame, context, location, stop, writes)

    def _is_fresh(self, variable_location: VariableLocation) -> bool:
        """Return whether the machine has not run, and nothing was written, since a location was
        found."""
        return (variable_location.stop, variable_location.writes) == (
            self.stop,
            self.write_count.writes,
        )

    def at_symbol(self, variable: Variable) -> Location | None:
        """Return the location of `symbol_of` a variable; None if it has none.

        For a thread-local variable raises what `tls_address` raises.
        """
        if variable.kind != "global":  # no linker knows most of them: no call is made
            location = variable.location
            if not isinstance(location, ExprLoc) or (
                location.expression[:1] not in AT_ADDRESS
                and location.expression[-1:] not in IN_THREAD
            ):
                return None
        symbol = self.symbol_of(variable)
        if symbol is None:
            return None
        address, file = symbol.address, symbol.thread_local_in
        if file is not None:
            address = tls_address(file, address, self.wave, self.target)
        return self.frame.location_of(ExplicitAddress(0, address))

    def symbol_of(self, variable: Variable) -> UntypedSymbol | None:
        """Return the symbol to which a dynamic linker binds a variable's name, if the variable has
        no location, also where it has its first value, or that of another file; else None."""
        if variable.location is None or variable.has_first_value:
            if variable.kind != "global":
                return None
            objects = dict.fromkeys((*self.objects_with(variable.name), *self.loaded_objects()))
            return symbol_of_variable(objects, variable)
        if self.architecture.is_simt:
            return None
        from dwarfgpu.session.linker_binding import bound_symbol  # few variables are exported

        return bound_symbol(self, variable)

    def read(
        self,
        variable: Variable,
        observe: Observer | None = None,
        variable_location: VariableLocation | None = None,
    ) -> Reading:
        """Read the variable's contents for the focus; the result keeps an error instead of raising
        it.

        `variable_location`: from `locate_variable`, evaluated again only where it may have changed.

        A global variable needs no call frame: it is there for a lane that is not in this one too.
        A static one is read in every frame. For another one, a frame that is not of its function,
        or of that into which it is inlined, is `InconsistentContext`.
        """
        if variable.kind == "global" and self.is_absent:
            return evolve(self.focused(None).read(variable, observe), lane=self.lane)
        before = self.reads_before_start
        variable_location = (
            variable_location
            if variable_location is not None and self._is_fresh(variable_location)
            else None
        )
        presenter = None if self.presenter is None else self.presenter(self)
        reading = Reading(variable, None, self.lane, presenter=presenter)
        reading = filled(self, reading, observe, variable_location)
        if self.reads_before_start == before:
            return reading
        return evolve(reading, notes=(*reading.notes, NOT_STARTED))

    def machine_state(self) -> object | None:
        """Return what equals itself while nothing that an evaluation reads has changed; None if
        that is unknown, and while all locations are compared."""
        target = self.target
        version = target.version_of(self.wave) if isinstance(target, Versioned) else None
        if version is None or self.comparison is not None:
            return None
        return self.stop, self.write_count.writes, self.reads_before_start, version

    @property
    def reads_before_start(self) -> int:
        """How many reads were of memory as it is before the program starts."""
        target = self.focused_frame.not_started
        return 0 if target is None else target.reads_before_start

    def notes_on(self, variable: Variable) -> tuple[str, ...]:
        """Return the assumptions about the focus and the variable's description; it is not read."""
        try:
            frame, context = self.focus()
            return assumptions(self, variable, frame, context.pc)
        except DwarfGpuError:
            return ()  # the reading itself reports it

    def register_notes_on(self, variable: Variable) -> tuple[str, ...]:
        """Return what vector registers of the variable's description are assumed to hold; it is
        not read."""
        try:
            frame, context = self.focus()
            return register_assumptions(variable, frame, context.pc)
        except DwarfGpuError:
            return ()  # the reading itself reports it

    def resolver(self) -> Resolver:
        """Return the resolver of types that depend on the program, for the focus."""
        return Resolver(self.context, self.loaded_objects)
