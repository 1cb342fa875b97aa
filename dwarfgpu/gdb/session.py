"""What a frame of GDB's selected thread sees, as a session; frames are found once for a stop."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Final

import gdb
from attrs import evolve, field

from dwarfgpu import language
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import from_bytes
from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.cfi.call_stack import CallStack
from dwarfgpu.cfi.tail_call_frame import TailFrame
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Base
from dwarfgpu.errors import (
    DwarfGpuError,
    MissingContext,
    UndefinedBits,
    Unsupported,
    UsageError,
)
from dwarfgpu.expr.context import Context, Frame
from dwarfgpu.expr.convert import memory_location
from dwarfgpu.gdb.files import LoadedFiles
from dwarfgpu.gdb.limits import limits
from dwarfgpu.gdb.machine.gdb_values import value_bytes
from dwarfgpu.gdb.machine.rocm import selected_lane
from dwarfgpu.gdb.machine.target import (
    GdbTarget,
    architecture_named,
    frame_architecture,
    frame_cfa,
    frame_register,
    selected_wave,
    symbol_text,
)
from dwarfgpu.language import Options, Typed, TypedValue
from dwarfgpu.machine.target import WaveId
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location, SingleLocation
from dwarfgpu.model.object import Bits
from dwarfgpu.model.storage import Implicit
from dwarfgpu.model.value import Value
from dwarfgpu.service.value.expression_settings import ExpressionSettings
from dwarfgpu.session.call_site_values import (
    EntryValueSource,
    call_site_returning_to,
    entry_value_from_call_site,
)
from dwarfgpu.session.frame import SubprogramFrame
from dwarfgpu.session.session import Reading, Session
from dwarfgpu.session.stack_frames import functions_at
from dwarfgpu.view.values import FormatOptions

_UNKNOWN = "No symbol "
"""The beginning of the error for an unknown name."""
_REGISTER_TYPE = re.compile(r"(u?)int(8|16|32|64|128)_t")
"""Types of GDB's registers, which no program need have."""


@frozen(eq=False)
class GdbFrame(SubprogramFrame):
    """A frame that only GDB knows: its values, not where it found them, which can only be read."""

    frame: gdb.Frame = field(default=None, repr=False)

    def register(self, number: int) -> Location:
        info = self.session.architecture.register(number)
        data = frame_register(self.frame, info)
        if data is None:
            return UNDEFINED_LOCATION  # according to its CFI, the value is lost
        bits = from_bytes(data, info.size_bits, info.type.endian)
        return Location((SingleLocation(Implicit(bits, info.size_bits)),), self.session.stop)

    def entry_register(self, number: int) -> Location:
        raise MissingContext(
            f"no call frame information for the frame: the value of register {number} on entry "
            f"is unknown"
        )

    def cfa(self) -> Location:
        context = self.session.context(self)
        space = self.session.architecture.address_space(0)
        return memory_location(context, space, frame_cfa(self.frame))

    def caller(self) -> tuple[Frame, int]:
        # GDB's registers of the caller are not those at the call: it may have passed on others.
        raise UndefinedBits(
            "no call-site parameter describes its value on entry to the function: it is "
            "optimized out"
        )

    def entry_value(self, expression: bytes) -> Value | None:
        """Evaluate the call site of the frame (DWARF 5 3.4); None if it has no value."""
        return self._passed(expression)

    def parameter_value(self, section_offset: int) -> Value | None:
        """Evaluate the call site of the frame (DWARF 5 3.4.2); None if it does not describe it."""
        subprogram = self.subprogram
        die = None if subprogram is None else subprogram.die.unit.info.die_at(section_offset)
        return None if die is None else self._passed(die)

    def _passed(self, place: EntryValueSource) -> Value | None:
        subprogram = self.subprogram
        if subprogram is None:
            return None
        try:
            calling, return_address = self.session.calling()
            call = call_site_returning_to(calling.code_object, return_address)
        except (MissingContext, UsageError):
            return None
        return entry_value_from_call_site(subprogram, call, place, calling.nested().context())


@frozen(eq=False)
class GdbSession(Session):
    """The session of a frame of the selected thread."""

    debugger: Debugger | None = field(default=None, repr=False)
    gdb_frame: gdb.Frame = None
    """Set only if the frame is not one of those of call frame information."""

    @property
    def frame(self) -> SubprogramFrame:
        if self.gdb_frame is None:
            return SubprogramFrame(self, self.code_object, self.pc, self.level)
        return GdbFrame(self, self.code_object, self.pc, self.level, self.gdb_frame)

    @property
    def call_stack(self) -> CallStack | None:
        """The frames of call frame information; None while the program does not run."""
        if self.debugger is None or self.pc is None:
            return None
        return self.debugger.call_stack(self.wave, self.lane)

    @property
    def physical_frame(self) -> CfiFrame | None:
        """The frame of the program; None for a frame of GDB's."""
        return super().physical_frame if self.gdb_frame is None else None

    @property
    def frame_source(self) -> str | None:
        """GDB, for a frame of its own."""
        if self.gdb_frame is None:
            return None
        return "GDB's own unwinder gives it: no call frame information that is read here does"

    def forget_frames(self) -> None:
        """Drop cached frames after a write."""
        self.write_count.writes += 1
        if self.debugger is not None:
            self.debugger.forget_frames()

    def at_level(self, level: int, inline_level: int = 0) -> GdbSession:
        """What a frame sees; its own file is read, or a note says why not."""
        frame = Session.at_level(self, level, inline_level)
        assert isinstance(frame, GdbSession)
        if not level or self.debugger is None or frame.pc is None:
            return frame
        objects, notes = self.debugger.objects_at(frame.pc)
        return evolve(frame, code_objects=objects, notes=notes, gdb_frame=None)

    def calling(self) -> tuple[Session, int]:
        """What the frame that called this one sees, and the return address."""
        if self.gdb_frame is None or self.debugger is None:
            return Session.calling(self)
        frame = self.gdb_frame
        while frame is not None and frame.type() == gdb.INLINE_FRAME:
            frame = frame.older()
        caller = None if frame is None else frame.older()
        if caller is None:
            raise MissingContext("the context has no calling frame")
        calling = evolve(self.debugger.session(caller), callers=self.callers)
        return calling, int(caller.pc())

    @property
    def reads_before_start(self) -> int:
        """Do nothing: GDB has the memory of the file before the program runs."""
        return 0

    def variables(self) -> list[Variable]:
        """Every variable that the text of the selected frame's function sees."""
        code_object = self.code_object
        if code_object is None or self.pc is None:
            return []
        level = self.inline_level
        variables = code_object.scopes.variables_at(self.pc)
        own = [
            variable
            for variable in variables
            if variable.kind != "global" and variable.inline_level == level
        ]
        return own + [variable for variable in variables if variable.kind == "global"]

    def _why_unknown(self, name: str) -> str:
        """Return why nothing is known about the frame; the base class's advice is for the command
        line."""
        if self.code_objects or not self.notes:
            return ""
        return f" {self.notes[0][:1].upper()}{self.notes[0][1:]}"

    def objects_with(self, name: str) -> tuple[CodeObject, ...]:
        """Return the code object of the frame, or of `main` without one, and the one to which GDB
        attributes a name."""
        objects = list(super().objects_with(name))
        for candidate in (name,) if objects else ("main", name):
            code_object = (
                None if self.debugger is None else self.debugger.code_object_with(candidate)
            )
            if code_object is not None and code_object not in objects:
                objects.append(code_object)
        return tuple(objects)

    def text(self, reading: Reading, options: FormatOptions) -> str:
        """The contents of a variable as GDB prints them; an error of reading is raised."""
        value = TypedValue(
            reading.type,
            reading.location,
            reading.bits,
            reading.pointer,
            reading.failure,
            unit=reading.variable.unit,
            variable=reading.variable,
        )
        return self.value_text(value, options)

    def evaluate(
        self,
        text: str,
        looked_at: Callable[[Variable], None] | None = None,
        *,
        read_only: str | None = None,
    ) -> TypedValue:
        """Return the value of an expression of the source language in the frame; raises its errors.

        An assignment writes to the program. `$name` is a register of the frame, or GDB's own value
        of that name. `looked_at` is called with each variable on which the value depends;
        `read_only` is the error of a forbidden assignment.
        """
        options = self.options(looked_at, read_only=read_only)
        try:
            return language.evaluate(text, self, options)
        except UsageError as error:
            if self.code_objects or not self.notes or not error.message.startswith(_UNKNOWN):
                raise
            raise UsageError(error.message + self._why_unknown(text)) from None

    def options(
        self,
        looked_at: Callable[[Variable], None] | None = None,
        *,
        read_only: str | None = None,
    ) -> Options:
        """What `evaluate` lets an expression use."""
        return Options(partial(_dollar, self), looked_at=looked_at, read_only=read_only)

    def expression_settings(self, read_only: str) -> ExpressionSettings:
        """Return the settings for expressions that assign nothing, inside GDB."""

        def options_of(session: Session) -> Options:
            assert isinstance(session, GdbSession)
            return session.options(read_only=read_only)

        return ExpressionSettings(options_of, print_options(), symbol_text, batch=False)

    def value_text(self, value: TypedValue, options: FormatOptions) -> str:
        """The contents of a value as GDB prints them; an error of reading is raised."""
        return language.format(value, self, options, symbol_text)


def _dollar(session: GdbSession, name: str) -> TypedValue | None:
    """Return GDB's own `$name` (history, convenience variable); None for a register, or void.

    `Unsupported` for a value without bytes in GDB's Python: a structure.
    """
    if name == "pc" or session.architecture.register_named(name) is not None:
        return None
    try:
        value = gdb.parse_and_eval(f"${name}")
    except gdb.error as error:
        raise UsageError(" ".join(str(error).split())) from None
    if value.type.code == gdb.TYPE_CODE_VOID:
        return None
    kind = _named_type(value.type, session)
    endian = session.architecture.endian
    try:
        data = value_bytes(value, endian)
    except (ValueError, gdb.error):
        raise Unsupported(f"GDB does not give the bytes of ${name}, a {value.type}") from None
    bits = Bits(from_bytes(data, 8 * len(data), endian), 8 * len(data))
    if kind is None:
        raise Unsupported(f"the type {value.type} of ${name} is unknown")
    return TypedValue(kind.type, bits=bits, unit=kind.unit, is_fixed=True)


def _named_type(kind: gdb.Type, session: GdbSession) -> Typed | None:
    """GDB's type as ours: one of its registers, or one that the program or C has by that name."""
    match = _REGISTER_TYPE.fullmatch(str(kind))
    if match is not None and kind.code == gdb.TYPE_CODE_INT:
        encoding = "unsigned" if match[1] else "signed"
        endian = session.architecture.endian
        base = BaseType(str(kind), encoding, 8 * kind.sizeof, endian)
        return Typed(Base(base, is_range=True), None)  # GDB shows no characters
    try:
        return language.named_type(str(kind), session)
    except UsageError:  # a type of GDB's own
        return None


class Debugger:
    """The running GDB: one target, the opened files, and the stack of a thread."""

    def __init__(self) -> None:
        self.target = GdbTarget()
        self.files = LoadedFiles(self.target)
        self._stack: tuple[object, CallStack] | None = None
        """The stack of a thread, until it moves or memory is written."""

    def session(self, frame: gdb.Frame | None = None) -> GdbSession:
        """Return the session of a frame of the selected thread, by default the selected one.

        Its registers are found by call frame information, starting from those of the newest frame.
        Without a running program, it has global variables only.

        `UsageError` if GDB has no program, `Unsupported` for an unknown architecture; GDB's own
        error while the thread runs.
        """
        self.target.forget_reads()
        wave = selected_wave()
        if wave is None:
            return self._static_session()
        frame = frame or gdb.selected_frame()
        top = self._newest(wave)
        stack = top.call_stack
        assert stack is not None
        level, why = our_level(stack, frame)
        if why is None:
            return top.at_level(level, _inline_level(top.at_level(level), frame))
        pc = code_address(frame)
        objects, notes = self.objects_at(pc)
        session = evolve(top, pc=pc, level=level, code_objects=objects, gdb_frame=frame)
        note = f"dwarfgpu has no such frame ({why}): its registers are GDB's, and only to be read"
        inline_level = _inline_level(session, frame)
        return evolve(session, inline_level=inline_level, notes=(*notes, note))

    def _newest(self, wave: WaveId) -> GdbSession:
        """What the newest frame sees."""
        frame = gdb.newest_frame()
        pc = int(frame.pc())
        objects, notes = self.objects_at(pc)
        architecture = frame_architecture(frame)
        lane = selected_lane() if architecture.is_simt else None
        return GdbSession(
            architecture,
            objects,
            self.target,
            wave,
            lane,
            pc=pc,
            notes=notes,
            debugger=self,
            has_frames=True,
            limits=limits(),
        )

    def call_stack(self, wave: WaveId, lane: int | None = None) -> CallStack:
        """Return the frames of a thread, unwound once while nothing moves and nothing is
        written."""
        key = wave, lane, self.target.contents_version, limits()
        if self._stack is None or self._stack[0] != key:
            architecture = self.target.architecture_of(wave)
            assert architecture.program_counter is not None
            counter = architecture.register(architecture.program_counter)
            pc = int.from_bytes(self.target.read_register(wave, counter), architecture.endian)
            context = Context(architecture, wave, lane, target=self.target, limits=limits())
            self._stack = key, CallStack(context, pc, self.files, tail_calls=self.files)
        return self._stack[1]

    def forget_frames(self) -> None:
        self._stack = None

    def objects_at(self, pc: int) -> tuple[tuple[CodeObject, ...], tuple[str, ...]]:
        """The file that has a program location, or a note that says why it cannot be read."""
        try:
            code_object = self.files.at(pc)
        except DwarfGpuError as error:
            return (), (f"the file of {pc:#x} is not read: {error}",)
        return (() if code_object is None else (code_object,)), ()

    def _static_session(self) -> GdbSession:
        name = gdb.current_progspace().filename
        if name is None:
            raise UsageError("GDB has no program: give it one with `file`")
        name = gdb.selected_inferior().architecture().name()
        machine = architecture_named(name)
        return GdbSession(machine, (), self.target, debugger=self, has_frames=True, limits=limits())

    def code_object_with(self, name: str) -> CodeObject | None:
        """The code object of the global variable or function that GDB knows by a name."""
        symbol = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
        if symbol is None or symbol.needs_frame or not (symbol.is_variable or symbol.is_function):
            return None
        try:
            address = symbol.value().address
        except gdb.error:  # it has no address yet, as a thread-local variable of a library
            address = None
        code_object = None if address is None else self.files.at(int(address))
        return code_object or self.files.named(symbol.symtab.objfile)


def code_address(frame: gdb.Frame) -> int:
    """The program location of a frame: inside the call for one that waits for a call to return.

    Its pc is after the call, which may already be another scope or another function.
    """
    newer = frame.newer()
    while newer is not None and newer.type() == gdb.INLINE_FRAME:
        newer = newer.newer()
    calls = (gdb.NORMAL_FRAME, gdb.TAILCALL_FRAME)
    is_waiting = newer is not None and newer.type() in calls and frame.type() != gdb.SIGTRAMP_FRAME
    return int(frame.pc()) - is_waiting


def our_level(stack: CallStack, frame: gdb.Frame) -> tuple[int, str | None]:
    """Our level of a frame of GDB's, and why it is none of ours where that is so.

    Both have frames of functions that have called by a jump, though not always the same ones.
    """
    chain: list[gdb.Frame] = []
    while frame is not None:
        if frame.type() != gdb.INLINE_FRAME:
            chain.append(frame)
        elif not chain:
            frame = frame.older()
            continue
        frame = frame.newer()
    level, why = -1, None
    for block in reversed(chain):
        ours = stack.frame(level + 1)
        if block.type() == gdb.TAILCALL_FRAME:
            is_ours = isinstance(ours, TailFrame) and ours.pc == block.pc()
            level, why = level + is_ours, None if is_ours else "it was left by a jump"
            continue
        while isinstance(ours, TailFrame):
            level += 1
            ours = stack.frame(level + 1)
        level += 1
        if ours is None:
            return level, str(stack.end)
        why = None if ours.pc == block.pc() else f"ours is at {ours.pc:#x}"
    return level, why


def _inline_level(physical: Session, frame: gdb.Frame) -> int:
    """Return dwarfgpu's level of GDB's frame among the functions of a physical one.

    A function that tail-called has one frame, that of the innermost function.
    """
    if frame.type() == gdb.TAILCALL_FRAME:
        return 0
    return max(len(functions_at(physical)) - 1 - inline_depth(frame), 0)


def inline_depth(frame: gdb.Frame) -> int:
    """Return how many inlined functions lie between a frame's function and the physical frame."""
    depth = 0
    while frame is not None and frame.type() == gdb.INLINE_FRAME:
        depth += 1
        frame = frame.older()
    return depth


PRINT_SETTINGS: Final = (
    "print pretty", "print array", "print array-indexes", "print null-stop", "print symbol",
    "print union", "print static-members", "print raw-values", "print elements",
    "print repeats", "print max-depth",
)  # fmt: skip
"""The settings of GDB that apply to text of ours."""


def print_options(letter: str | None = None) -> FormatOptions:
    """GDB's own settings of those names."""

    def limit(name: str) -> int:
        value = gdb.parameter(f"print {name}")
        return 1 << 30 if value is None or value < 0 else int(value)

    def is_on(name: str) -> bool:
        return bool(gdb.parameter(f"print {name}"))

    return FormatOptions(
        letter,
        pretty=is_on("pretty"),
        array=is_on("array"),
        array_indexes=is_on("array-indexes"),
        null_stop=is_on("null-stop"),
        symbol=is_on("symbol"),
        union=is_on("union"),
        raw=is_on("raw-values"),
        static_members=is_on("static-members"),
        elements=limit("elements"),
        repeats=limit("repeats"),
        max_depth=limit("max-depth"),
        cplusplus=_language() == "c++",
        utf8=_is_utf8(gdb.target_charset()),
        sevenbit=not _is_utf8(gdb.host_charset()),
    )


def _is_utf8(charset: str) -> bool:
    return charset.upper() in ("UTF-8", "UTF8")


def _language() -> str:
    """The language of the selected frame, as GDB names it."""
    name = gdb.parameter("language")
    if name in ("auto", "local") and selected_wave() is not None:
        name = gdb.selected_frame().language()
    return str(name)
