"""Read the contents of a variable, and report what is known about it.

Law: a reading keeps the error that ended it (`filled`); the steps of reading raise theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Final, Protocol

from dwarfgpu.arch.amdgpu import VECTOR_REGISTERS
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import evolve, field, frozen, no_number
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die, constant_excess
from dwarfgpu.dwarf.scope.declarations import around, declaration_of, qualified_name, scope_name
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, CONTAINERS
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import (
    Array,
    Enum,
    Function,
    Pointer,
    Struct,
    Type,
    Unspecified,
    strip,
)
from dwarfgpu.errors import (
    GUESS,
    Ambiguous,
    DwarfGpuError,
    IllFormed,
    MissingContext,
    Unavailable,
    UndefinedBits,
    UsageError,
    counted,
    shortened,
)
from dwarfgpu.expr.bind import Program, prepare
from dwarfgpu.expr.context import ConstValue, Context, ExprLoc, LocationAttribute, LocList
from dwarfgpu.expr.dialect.upstream_clang import (
    SCRATCH,
    notes_that_hold,
    pointer_read_two_ways,
    unplaced,
)
from dwarfgpu.expr.dialect.vgpr_contents import (
    assumption_notes,
    is_in_private_memory,
    register_of_address,
)
from dwarfgpu.expr.evaluate import Observer, evaluate_attribute
from dwarfgpu.expr.implicit_conversions import constant_location
from dwarfgpu.expr.instruction import Instructions
from dwarfgpu.expr.lane_zero import lane_zero_notes
from dwarfgpu.expr.narrow_bases import narrow_base_notes
from dwarfgpu.expr.segments import has_zero_offset
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import ImplicitPointer, Memory, Register
from dwarfgpu.objfile.file_bytes import OfOpenFile
from dwarfgpu.session.focused_frame import FocusedFrame
from dwarfgpu.session.frame import SubprogramFrame
from dwarfgpu.session.kernel_start import Stopped, at_start
from dwarfgpu.session.resolve_type import Resolver, TypedObject, may_point, object_bits
from dwarfgpu.session.unknown_members import has_all_members


class Presenter(Protocol):
    """What shows the contents of a reading: it knows the language, which is above this module."""

    def text(self, reading: Reading) -> str:
        """Return the contents as GDB prints them."""
        ...

    def value(self, reading: Reading) -> object:
        """Return the contents as plain data."""
        ...


@no_number("value")
@frozen
class Reading(OfOpenFile):
    """A variable's location and contents, for one lane."""

    variable: Variable
    type: Type | None
    lane: int | None
    location: Location | None = None
    bits: Bits | None = None
    """Its contents; None if nothing could be read."""
    pointer: ImplicitPointer | None = None
    """An implicit pointer, in place of contents."""
    failure: DwarfGpuError | None = None
    """Why nothing could be read."""
    notes: tuple[str, ...] = ()
    presenter: Presenter | None = field(default=None, eq=False, repr=False)
    """None for readings of the command line, which shows them itself."""
    resolver: Callable[[], Resolver] | None = field(default=None, eq=False, repr=False)
    """Returns what finds virtual base classes; None where all bits are known, or none are."""

    @property
    def text(self) -> str:
        """The contents as GDB prints them; `<optimized out>` or `<error: …>` where there are none.

        `UsageError` for a reading of no `dwarfgpu.Session`.
        """
        return self._presenter().text(self)

    @property
    def value(self) -> object:
        """The contents as numbers, texts, lists and dictionaries: `data` of `eval --json`
        (docs/types.md); None without contents.

        Raises `UsageError` for a reading without a `dwarfgpu.Session`.
        """
        return self._presenter().value(self)

    def _presenter(self) -> Presenter:
        if self.presenter is None:
            raise UsageError("the reading is from a session without text: use dwarfgpu.Session")
        return self.presenter

    @property
    def error(self) -> DwarfGpuError | None:
        """Why contents are missing, all of them or some bits; None if `is_complete`."""
        if self.failure is not None or self.is_complete:
            return self.failure
        name, bits = self.variable.name, self.bits
        if bits is None:
            return Unavailable(f"{name} has not been read")
        missing = bits.unavailable or bits.undefined
        state = "unavailable" if bits.unavailable else "optimized out"
        text = f"{missing.bit_count()} of {bits.size_bits} bits of {name} are {state}"
        text += f": {bits.reasons[0]}" if bits.reasons else ""
        return Unavailable(text) if bits.unavailable else UndefinedBits(text)

    @property
    def is_complete(self) -> bool:
        """Whether every bit of the variable is known; of a structure, those of its members."""
        if self.failure is not None or self.bits is None:
            return self.failure is None and self.pointer is not None
        if self.pointer is not None or self.bits.is_complete:
            return True
        endian = self.variable.unit.endian
        return has_all_members(self.bits, self.type, endian, self.location, self.resolver)


@frozen(eq=False)
class VariableLocation:
    """Where the description of a variable says that it is, and what that was evaluated in."""

    frame: SubprogramFrame
    context: Context
    location: Location
    stop: int | None
    """The stop of the machine."""
    writes: int
    """How often something had been written."""
    object: TypedObject | None = None
    """The object at the location with its resolved type; None before it is resolved."""


class ReadingFocus(Stopped, Protocol):
    """Where a variable is read; `dwarfgpu.session.session.Session` is one."""

    @property
    def lane(self) -> int | None: ...

    @property
    def code_object(self) -> CodeObject | None: ...

    @property
    def focused_frame(self) -> FocusedFrame: ...

    @property
    def known_notes(self) -> dict[Variable, tuple[str, ...]]: ...

    def focus(self) -> tuple[SubprogramFrame, Context]: ...

    def lane_count(self) -> tuple[int, str | None]: ...

    def at_symbol(self, variable: Variable) -> Location | None: ...

    def loaded_objects(self) -> Iterable[CodeObject]: ...


def filled(
    focus: ReadingFocus,
    reading: Reading,
    observe: Observer | None,
    variable_location: VariableLocation | None,
) -> Reading:
    """Return the reading with the type, the location and the contents of its variable, or with the
    error that ended it. `variable_location`: where the variable is, if that is known."""
    variable = reading.variable
    try:
        reading = evolve(reading, type=variable.type)
        frame, context = (
            (variable_location.frame, variable_location.context)
            if variable_location
            else focus.focus()
        )
        reading = evolve(reading, notes=assumptions(focus, variable, frame, context.pc))
        typed = None if variable_location is None else variable_location.object
        if typed is not None:  # then something describes it here, and no symbol has its name
            reading = _with_assumed_registers(reading, frame)
            reading = evolve(reading, type=typed.type, location=typed.location)
            return contents(reading, context)
        attribute = variable.location
        symbol = focus.at_symbol(variable)
        if symbol is not None:
            reading = resolved(focus, evolve(reading, location=symbol), context)
            return contents(reading, context)
        if attribute is None and variable.is_only_declared:
            raise _only_declared(variable.die)
        if variable_location is None:
            require_frame_of(variable, frame, context)
        why = why_not_described(variable, focus.code_object, context.pc)
        if attribute is None or why is not None:
            raise UndefinedBits(why or _without_location(variable))
        location = (
            variable_location.location
            if variable_location
            else located(attribute, context, observe, variable)
        )
        storage = location.single_locations[0].storage
        if isinstance(storage, Register) and variable.unit.dialect.upstream_clang:
            _check_upstream(location, _described_size(variable) or 0)
        reading = evolve(reading, location=location)
        reading = _with_assumed_registers(reading, frame)
        reading = resolved(focus, reading, context)
        return contents(_with_assumed_registers(reading, frame), context)
    except DwarfGpuError as error:
        return evolve(reading, failure=at_start(focus, error))


def require_frame_of(variable: Variable, frame: SubprogramFrame, context: Context) -> None:
    """Raise `InconsistentContext` for a variable of a function that the frame does not execute."""
    if variable.kind == "global":
        return
    own = frame.subprogram
    if own is not None and own.die == variable.function:
        return
    from dwarfgpu.session.own_frame import require_own_frame  # most frames are of its function

    require_own_frame(variable.name, variable.function, variable.location, frame, context.pc)


def _with_assumed_registers(reading: Reading, frame: SubprogramFrame) -> Reading:
    """Return the reading with the assumptions about registers so far, of its location or type."""
    if not frame.preserved_by_callees:
        return reading
    notes = dict.fromkeys((*reading.notes, *frame.notes_on_preserved_registers()))
    return evolve(reading, notes=tuple(notes))


def _without_location(variable: Variable) -> str:
    """Return what is said of a variable without a location, at no program location."""
    if variable.why_dropped is not None:
        return f"{variable.name} is optimized out: {variable.why_dropped}"
    return f"{variable.name} has no location: it is optimized out"


def _only_declared(die: Die) -> DwarfGpuError:
    """Return the error of a variable that no code object defines; as in GDB, a member of a class is
    optimized out."""
    above = declaration_of(die).parent()
    if above is not None and above.tag in CLASSES:
        name = qualified_name(die)
        return UndefinedBits(f"{name} is declared, but no code object defines it: optimized out")
    if above is not None and above.tag == dw.TAG_COMMON_BLOCK:
        where = f"where {die.name} is in the common block {above.name}"
        return MissingContext(f"the debug information does not say {where}")
    # In a block, it is a member of the innermost namespace, not of a class (C++ [basic.link]).
    namespaces = [scope for scope in around(die) if scope.tag in CONTAINERS]
    scopes = (scope_name(scope) for scope in reversed(namespaces))
    name = die.unit.joint.join((*scopes, die.name or ""))
    from dwarfgpu.dwarf.names.demangle import demangled  # few variables are so

    linked = die.linkage_name
    if linked is not None and demangled(linked) is None:
        name = linked  # `extern int x asm("y")`
    why = "it is only declared, and no code object defines it"
    return MissingContext(f'Missing ELF symbol "{shortened(name)}": {why}')


def assumptions(
    focus: ReadingFocus, variable: Variable, frame: SubprogramFrame, pc: int | None
) -> tuple[str, ...]:
    """Return the assumptions about the focus and about the description of a variable."""
    notes = focus.known_notes.get(variable)
    if notes is None:
        count, note = focus.lane_count()
        assumed = filter(None, [variable.note, note, frame.lane_location(focus.lane).note])
        notes = (*assumed, *_notes_on_location(variable, frame, pc, count))
        if not focus.focused_frame.has_lane_pc:  # the machine does not decide where lanes are
            focus.known_notes[variable] = notes
    return tuple(dict.fromkeys([*variable.remarks, *notes]))


def located(
    attribute: LocationAttribute,
    context: Context,
    observe: Observer | None,
    variable: Variable | None = None,
) -> Location:
    """Return where an attribute, of a variable, says that its object is."""
    if isinstance(attribute, ConstValue):
        return constant_location(attribute.data, context.endian)
    if variable is not None and variable.kind == "global":
        _require_no_frame_base(variable, attribute, context.pc)
    is_of_parameter = variable is not None and variable.kind == "parameter"
    context = evolve(
        context, unit=attribute.unit, result_kind="location", is_of_parameter=is_of_parameter
    )
    # Few are so: the others are not asked first, unless an observer would see the attempt.
    is_asked = observe is not None or context.vgpr_holds is not None
    at_address = _at_address(variable, attribute, context.pc) if is_asked else None
    if at_address is None:
        try:
            location = _evaluated(attribute, context, observe)
            if variable is not None and variable.unit.language == dw.LANG_GO:
                location = _without_repeats(variable, location, attribute, context.pc)
            return _without_left_frame(location, attribute, context)
        except Ambiguous:
            at_address = None if is_asked else _at_address(variable, attribute, context.pc)
            if at_address is None:
                raise
    location = _evaluated(attribute, evolve(context, vgpr_holds="address"), observe)
    if variable is not None and isinstance(context.frame, SubprogramFrame):
        _require_private(variable, at_address, context.frame)
    return location


def _without_repeats(
    variable: Variable, location: Location, attribute: ExprLoc | LocList, pc: int | None
) -> Location:
    """Return the location of a variable of Go without the pieces that its compiler repeats."""
    size, unit = _described_size(variable), attribute.unit
    if size is None or location.is_undefined:
        return location
    from dwarfgpu.session.excess_pieces import without_repeats  # few programs are of Go

    expressions = _expressions(attribute, pc)
    programs = (prepare(expression, unit.dialect, unit.format) for expression in expressions)
    return without_repeats(variable, size, location, programs)


def _without_left_frame(
    location: Location, attribute: ExprLoc | LocList, context: Context
) -> Location:
    """Return the location without what is in a frame that was given back before a tail call."""
    frame = context.frame
    left = frame.left_frame() if isinstance(frame, SubprogramFrame) else None
    if left is None:
        return location
    unit = attribute.unit
    programs = (
        prepare(expression, unit.dialect, unit.format)
        for expression in _expressions(attribute, context.pc)
    )
    return left.without(location, programs)


def _require_no_frame_base(
    variable: Variable, attribute: ExprLoc | LocList, pc: int | None
) -> None:
    """Raise `IllFormed` for a variable outside of functions at an offset from a frame base: none is
    its own, and that of the function in focus would lead to something else (A.2.5.4.4.3)."""
    unit = attribute.unit
    for expression in _expressions(attribute, pc):
        if _FBREG in expression and any(  # few expressions are decoded for it
            instruction.operation.name == "fbreg"
            for instruction in prepare(expression, unit.dialect, unit.format).instructions.distinct
        ):
            raise IllFormed(
                f"the location of {variable.name} has DW_OP_fbreg, but it is outside of functions: "
                "no frame base is its own"
            )


def _evaluated(
    attribute: ExprLoc | LocList, context: Context, observe: Observer | None
) -> Location:
    location = evaluate_attribute(attribute, context, observe=observe)
    assert isinstance(location, Location)
    return location


def resolved(focus: ReadingFocus, reading: Reading, context: Context) -> Reading:
    """Return the reading with the type that the object has now, and the location of its
    data."""
    assert reading.location is not None
    resolver = Resolver(lambda: context, focus.loaded_objects)
    placed = resolver.variable(reading.type, reading.location)
    if resolver.unknown_tags:
        reading = evolve(reading, notes=(*reading.notes, *resolver.unknown_tags))
    return evolve(reading, type=placed.type, location=placed.location)


def contents(reading: Reading, context: Context) -> Reading:
    """Return the reading with the bits of the object, or with its implicit pointer.

    Raises the errors of reading, and `IllFormed` and `UsageError` if its type has no size.
    """
    location = reading.location
    assert location is not None
    size = size_bits(reading.type)
    if reading.type is None:
        raise IllFormed(f"{reading.variable.name} has no DW_AT_type: its size is unknown")
    bare = strip(reading.type)
    if size is None and isinstance(bare, Struct):
        _ = bare.members  # raises the reason if its type unit cannot be read
    if size is None and isinstance(bare, Array | Struct | Enum):
        size = 0  # as in GDB, an array of unknown length or incomplete type has a location only
    is_function = isinstance(bare, Function)
    if is_function:
        size = 8  # it has no contents, but as in GDB, its first byte must be readable
    if size is None:
        raise UsageError(f"the type of {reading.variable.name} is incomplete: it has no size")
    if reading.variable.unit.dialect.upstream_clang:
        _check_upstream(location, size)
        if SCRATCH in reading.notes and _is_pointer_in_memory(reading.type, location):
            raise pointer_read_two_ways(reading.variable.name, location)
    described = location.remaining_bits
    is_whole = described is None or described >= size
    if is_whole and may_point(reading.type):
        pointer = context.access.pointer(location, size)
        if pointer is not None:
            return evolve(reading, pointer=pointer)
    bits = object_bits(reading.type, size, location, context)
    if bits.size_bits < size:
        sizes = f"{counted(size // 8, 'byte')}: the first {bits.size_bits // 8} are read"
        note = f"{reading.variable.name} has {sizes}"
        reading = evolve(reading, notes=(*reading.notes, note))
    elif is_function and bits.is_complete:
        bits = Bits(0, 0)
    if not bits.is_complete:
        reading = evolve(reading, resolver=lambda: Resolver(lambda: context))
    return evolve(reading, bits=bits)


def require_one_reading(variable: Variable, location: Location, pc: int | None) -> None:
    """Raise `Ambiguous` for the location of a pointer that upstream clang describes as it does the
    address that another one holds."""
    unit = variable.unit
    if not unit.dialect.upstream_clang or not _is_pointer_in_memory(variable.type, location):
        return
    for expression in _expressions(variable.location, pc):
        if SCRATCH in prepare(expression, unit.dialect, unit.format).notes:
            raise pointer_read_two_ways(variable.name, location)


def _is_pointer_in_memory(type_: Type | None, location: Location) -> bool:
    is_in_memory = isinstance(location.single_locations[0].storage, Memory)
    return is_in_memory and isinstance(strip(type_), Pointer)


def _check_upstream(location: Location, size: int) -> None:
    single = location.single_locations[0]
    storage = single.storage
    if isinstance(storage, Register) and storage.register.number in VECTOR_REGISTERS and size > 32:
        raise Unavailable(
            f"upstream clang: {size} bits in one lane of {storage.register}, which holds 32"
        )


_BREGX: Final = b"\x92"
_FBREG: Final = 0x91
"""The encoding of DW_OP_bregx, before its operands."""
_PIECES: Final = frozenset({"piece", "bit_piece"})
_OF_A_PART: Final = (
    "{}: DW_AT_const_value is a number, as LLVM also writes the value of one member or element: "
    "the others may be optimized out, and its place in the object may be another one"
)


def _notes_on_location(
    variable: Variable, frame: SubprogramFrame, pc: int | None, lane_count: int
) -> tuple[str, ...]:
    """Return the assumptions about the description of a variable at a program location."""
    try:
        attribute, unit = variable.location, variable.unit
        expressions = _expressions(attribute, pc)
        if len(expressions) > frame.session.limits.places:
            return ()  # the reading itself reports it
        programs = [prepare(expression, unit.dialect, unit.format) for expression in expressions]
        notes = notes_that_hold(chain.from_iterable(program.notes for program in programs), frame)
        if unit.dialect.upstream_clang and any(
            has_zero_offset(program.instructions, unit) for program in programs
        ):
            from dwarfgpu.session.lds_layout import is_alone_in_lds  # for variables in LDS only

            if not is_alone_in_lds(variable, frame):
                notes = (*notes, unplaced(variable.name))
        own = frame.subprogram
        if lane_count > 1 and own is not None and own.die != variable.function:
            from dwarfgpu.session.own_frame import kernel_note  # most frames are of its function

            note = kernel_note(variable.name, variable.function, attribute, frame, pc)
            notes += () if note is None else (note,)
        if isinstance(attribute, ConstValue):
            notes += _notes_on_constant(variable)
        elif variable.die.has(dw.AT_CONST_VALUE) and variable.die.has(dw.AT_LOCATION):
            message = "has both DW_AT_location and DW_AT_const_value: its location is read"
            notes += (f"{variable.name} {message}",)
        if programs:
            notes += _notes_on_pieces(variable, programs)
        kind = strip(variable.type)
        if programs and isinstance(kind, Unspecified) and kind.size_bytes is None:
            notes = (
                *notes,
                f"the type {kind.name} has no size: the bits are those of the location",
            )
        session = frame.session
        architecture = session.architecture
        if session.widens_bases:
            for used in (*programs, *_frame_base_programs(programs, frame)):
                notes += narrow_base_notes(used.instructions, architecture, unit.dialect)
        for program in programs:
            notes += _notes_on_vector_registers(variable, program, frame)
        if lane_count > 1:
            for program in programs:
                notes += lane_zero_notes(
                    program.instructions, size_bits(variable.type), architecture
                )
        return notes
    except DwarfGpuError:
        return ()  # the reading itself reports it


def register_assumptions(
    variable: Variable, frame: SubprogramFrame, pc: int | None
) -> tuple[str, ...]:
    """Return the assumptions about vector registers of a variable's description."""
    unit, notes = variable.unit, dict[str, None]()
    for expression in _expressions(variable.location, pc):
        program = prepare(expression, unit.dialect, unit.format)
        notes |= dict.fromkeys(_notes_on_vector_registers(variable, program, frame))
    return tuple(notes)


def _notes_on_vector_registers(
    variable: Variable, program: Program, frame: SubprogramFrame
) -> tuple[str, ...]:
    """Return notes on what vector registers are assumed to hold, or on one that can hold only the
    address of the object."""
    instructions, session = program.instructions, frame.session
    if not instructions or instructions[0].operation.name != "bregx":
        return assumption_notes(instructions, session.vgpr_holds, session.architecture)
    size = _described_size(variable)
    number = register_of_address(instructions, size)
    if number is None:
        return assumption_notes(instructions, session.vgpr_holds, session.architecture)
    register = session.architecture.register(number)
    memory = ""
    if is_in_private_memory(instructions):
        from dwarfgpu.session.lds_layout import why_perhaps_in_lds  # few variables are so

        if why_perhaps_in_lds(frame) is not None:
            return ()  # the error has the text
        memory = ", in private memory"
    return (
        f"upstream clang: {register} holds the address of {variable.name}{memory}: {size} bits do "
        "not fit into one lane of it",
    )


def _described_size(variable: Variable) -> int | None:
    """Return the size of a variable in bits; None if its type does not determine it."""
    try:
        return size_bits(variable.type)
    except DwarfGpuError:  # reading it reports the error
        return None


def _notes_on_constant(variable: Variable) -> tuple[str, ...]:
    """Return notes on DW_AT_const_value: where it has more bits than the object, the lowest are
    read, as in GDB; where it is a number, it may be that of a part."""
    from dwarfgpu.dwarf.scope.partial_constants import may_be_of_a_part  # few are constants

    for die in variable.die.origins():
        value = die.attribute(dw.AT_CONST_VALUE)
        if value is not None:
            size = size_bits(variable.type)
            excess = None if size is None else constant_excess(value, -(-size // 8))
            if excess is not None:
                return (f"{variable.name}: {excess}",)
            return (_OF_A_PART.format(variable.name),) if may_be_of_a_part(variable) else ()
    return ()


def _notes_on_pieces(variable: Variable, programs: Iterable[Program]) -> tuple[str, ...]:
    """Return a note where pieces have more bits than the object, which begins where they do
    (A.2.5.4.4.6)."""
    for program in programs:
        instructions, size = program.instructions, size_bits(variable.type)
        if not instructions or instructions[-1].operation.name not in _PIECES:
            continue
        from dwarfgpu.session.excess_pieces import bits_of_pieces, note_on_repeats  # few have them

        count = bits_of_pieces(instructions)
        if size is None or count <= size:
            continue
        if variable.unit.language == dw.LANG_GO:
            note = note_on_repeats(variable, instructions, size)
            return () if note is None else (note,)
        return (
            f"{variable.name}: its pieces have {count} bits, and the object {size}: the first "
            f"are read, and some may be those of another part: {GUESS}",
        )
    return ()


def _expressions(attribute: LocationAttribute | None, pc: int | None) -> tuple[bytes, ...]:
    """Return the expressions of an attribute that apply at a program location, each once."""
    if isinstance(attribute, LocList):
        return attribute.expressions(pc)
    return (attribute.expression,) if isinstance(attribute, ExprLoc) else ()


def _at_address(
    variable: Variable | None, attribute: ExprLoc | LocList, pc: int | None
) -> Instructions | None:
    """Return the description of a variable whose address alone a vector register can hold; None for
    others."""
    expressions = _expressions(attribute, pc)
    if variable is None or len(expressions) != 1 or expressions[0][:1] != _BREGX:
        return None
    unit = attribute.unit
    instructions = prepare(expressions[0], unit.dialect, unit.format).instructions
    number = register_of_address(instructions, _described_size(variable))
    return None if number is None else instructions


def _require_private(variable: Variable, described: Instructions, frame: SubprogramFrame) -> None:
    """Raise `Ambiguous` for a variable at the address in a vector register that may be one in LDS
    instead of private memory."""
    if not is_in_private_memory(described):
        return
    from dwarfgpu.session.lds_layout import why_perhaps_in_lds  # few variables are so

    why = why_perhaps_in_lds(frame)
    if why is None:
        return
    number, displacement = described[0].operands
    assert isinstance(number, int)
    assert isinstance(displacement, int)
    register = frame.session.architecture.register(number).name
    address = f"${register}[$_lane]"
    if displacement:
        address = f"({address} {'-' if displacement < 0 else '+'} {abs(displacement)})"
    raise Ambiguous(
        f"{variable.name} is in private memory or in LDS, at the address in {register}: LLVM moves "
        f"variables of kernels to LDS and leaves their descriptions, and {why}; with its type T, "
        f"*(T @private_lane *){address} is the one and *(T @local *){address} the other"
    )


def register_described(variable: Variable, pc: int | None) -> int | None:
    """Return the DWARF number of the register in which a variable is described to be at a program
    location; None for other descriptions."""
    attribute, unit = variable.location, variable.unit
    for expression in _expressions(attribute, pc):
        instructions = list(prepare(expression, unit.dialect, unit.format).instructions)
        if len(instructions) != 1:
            continue
        [instruction] = instructions
        name = instruction.operation.name
        number = instruction.operands[0] if name == "regx" else name.removeprefix("reg")
        if isinstance(number, int) or is_decimal(str(number)):
            return int(number)
    return None


def _frame_base_programs(
    programs: Iterable[Program], frame: SubprogramFrame
) -> tuple[Program, ...]:
    """Return the frame base expression that other expressions use; empty if it is a list, or
    explicit."""
    names = {
        instruction.operation.name
        for program in programs
        for instruction in program.instructions.distinct
    }
    if "fbreg" not in names or not frame.has_frame_base or frame.session.given_frame_base:
        return ()
    _, attribute = frame.described_frame_base()
    if not isinstance(attribute, ExprLoc):
        return ()
    return (prepare(attribute.expression, attribute.unit.dialect, attribute.unit.format),)


def why_not_described(
    variable: Variable, code_object: CodeObject | None, pc: int | None
) -> str | None:
    """Return why nothing describes a variable at a program location; None if something does."""
    why = None if pc is None else variable.why_optimized_out_at(pc)
    if why is None or not variable.described or code_object is None:
        return why
    if not code_object.load_address or not variable.has_bits_somewhere:
        return why
    return f"{why}; {code_object.name} is loaded at {code_object.load_address:#x}"
