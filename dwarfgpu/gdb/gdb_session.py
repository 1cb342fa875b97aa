"""What a frame of GDB's selected thread sees, as a session; frames are found once for a stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial

import gdb

from dwarfgpu import language
from dwarfgpu.base.bits import from_bytes
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.cfi.call_stack import CallStack
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.line_unit import LineUnit
from dwarfgpu.dwarf.names.qualified import parts
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import (
    DwarfGpuError,
    MissingContext,
    UndefinedBits,
    UsageError,
)
from dwarfgpu.expr.context import Context, Frame
from dwarfgpu.expr.implicit_conversions import memory_location
from dwarfgpu.gdb.convenience_variables import convenience_variable
from dwarfgpu.gdb.files import LoadedFiles
from dwarfgpu.gdb.frame_levels import FrameLevels, code_address, inline_level_of
from dwarfgpu.gdb.limit_settings import limits, quirks
from dwarfgpu.gdb.machine.gdb_target import (
    GdbTarget,
    architecture_named,
    frame_architecture,
    frame_cfa,
    frame_register,
    selected_wave,
    symbol_text,
)
from dwarfgpu.gdb.machine.gdb_values import address_of, language_selected, path_of
from dwarfgpu.gdb.machine.interruptions import interruptions
from dwarfgpu.gdb.machine.rocm import selected_lane
from dwarfgpu.gdb.print_options import print_options
from dwarfgpu.language import Options, TypedValue
from dwarfgpu.machine.target import WaveId
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location, SingleLocation
from dwarfgpu.model.storage import Implicit
from dwarfgpu.model.value import Value
from dwarfgpu.service.file.source_language import language_of
from dwarfgpu.service.value.expression_settings import ExpressionSettings
from dwarfgpu.session.call_site_values import (
    EntryValueSource,
    call_site_returning_to,
    entry_value_from_call_site,
)
from dwarfgpu.session.frame import SubprogramFrame
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.search_order import search_order
from dwarfgpu.session.session import Session
from dwarfgpu.view.values import FormatOptions

_UNKNOWN = "No symbol "
"""The beginning of the error for an unknown name."""
_LANGUAGES = ("ada", "c", "c++", "d", "fortran", "go", "rust")
"""Languages whose rules GDB knows."""


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

    def _passed(self, source: EntryValueSource) -> Value | None:
        subprogram = self.subprogram
        if subprogram is None:
            return None
        try:
            calling, return_address = self.session.calling()
            call = call_site_returning_to(calling.code_object, return_address)
        except (MissingContext, UsageError):
            return None
        return entry_value_from_call_site(subprogram, call, source, calling.nested().context())


@frozen(eq=False)
class GdbSession(Session):
    """The session of a frame of the selected thread."""

    debugger: Debugger | None = field(default=None, repr=False)
    gdb_frame: gdb.Frame = None
    """Set only if the frame is not one of those of call frame information."""

    def find_variable(self, name: str) -> Variable | None:
        """Return the variable of a name by the rules of the language in focus; None if it means
        none."""
        if not self.has_own_names:
            return super().find_variable(name)
        from dwarfgpu.language.name_resolution import Names  # most names are of C

        return Names(self).find_variable(name)

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
        """Why there is no frame information: GDB has unwound the frame itself."""
        if self.gdb_frame is None:
            return None
        return "GDB's unwinder gives it: no call frame information in the open files describes it"

    def forget_frames(self) -> None:
        """Drop cached frames after a write."""
        self.write_count.writes += 1
        if self.debugger is not None:
            self.debugger.forget_frames()

    def at_level(self, level: int, inline_level: int = 0) -> GdbSession:
        """Return the session in a frame; its file is read, or a note says why not."""
        frame = Session.at_level(self, level, inline_level)
        assert isinstance(frame, GdbSession)
        if not level or self.debugger is None or frame.pc is None:
            return frame
        objects, notes = self.debugger.objects_at(frame.pc)
        return evolve(frame, code_objects=objects, notes=notes, gdb_frame=None)

    def calling(self) -> tuple[Session, int]:
        """Return the session in the calling frame, and the return address."""
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
        """Yield every variable that is visible in the function of the selected frame."""
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

    def loaded_objects(self) -> tuple[CodeObject, ...]:
        """Return all files of the program, the program first."""
        if self.debugger is None:
            return self.code_objects
        return self.debugger.files.in_load_order()

    def objects_with(self, name: str) -> tuple[CodeObject, ...]:
        """Return the code object of the frame, that of `main` in code without a unit, and those to
        which GDB attributes a name; in the order of a process, where a file comes after the
        program that needs it."""
        objects = list(super().objects_with(name))
        if self.debugger is None:
            return tuple(objects)
        pieces = [part.text for part in parts(name)]  # scopes say which part is unknown
        outer = ["::".join(pieces[:count]) for count in range(1, len(pieces))] or pieces
        here = self.code_object
        unit = None if here is None or self.pc is None else here.scopes.unit_at(self.pc)
        if unit is None:
            outer.append("main")
        with _rules_of(unit):
            for candidate in dict.fromkeys((*outer, name)):
                named = self.debugger.code_objects_with(candidate, self.pc)
                objects += [item for item in dict.fromkeys(named) if item not in objects]
        if len(objects) < 2 or here is None or self.architecture.is_simt:
            return tuple(objects)
        order = search_order(self.debugger.files.in_load_order(), here)
        positions = {item: position for position, item in enumerate(order)}
        return tuple(sorted(objects, key=lambda item: positions.get(item, -1)))

    def text(self, reading: Reading, options: FormatOptions) -> str:
        """Return the contents of a variable as GDB prints them; raises the error of reading it."""
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
        looked_at: Callable[[Variable, Session], None] | None = None,
        *,
        read_only: str | None = None,
    ) -> TypedValue:
        """Return the value of an expression of the source language in the frame; raises its errors.

        An assignment writes to the program. `$name` is a register of the frame, or GDB's own value
        of that name. `looked_at` is called with each variable on which the value depends, and the
        session of its frame; `read_only` is the error of a forbidden assignment.
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
        looked_at: Callable[[Variable, Session], None] | None = None,
        *,
        read_only: str | None = None,
    ) -> Options:
        """Return the options for `evaluate`."""
        return Options(
            partial(convenience_variable, self), looked_at=looked_at, read_only=read_only
        )

    def expression_settings(self, read_only: str) -> ExpressionSettings:
        """Return the settings for expressions that assign nothing, inside GDB."""

        def options_of(session: Session) -> Options:
            assert isinstance(session, GdbSession)
            return session.options(read_only=read_only)

        return ExpressionSettings(options_of, print_options(), symbol_text, batch=False)

    def value_text(self, value: TypedValue, options: FormatOptions) -> str:
        """Return the contents of a value as GDB prints them; raises the error of reading it."""
        return language.format(value, self, options, symbol_text)


class Debugger:
    """The running GDB: one target, the opened files, and the stack of a thread."""

    def __init__(self) -> None:
        self.target = GdbTarget()
        self.files = LoadedFiles(self.target)
        self._stack: tuple[object, CallStack] | None = None
        """The stack of a thread, until it moves or memory is written."""
        self._levels: FrameLevels | None = None
        self._interruptions = 0

    def session(self, frame: gdb.Frame | None = None) -> GdbSession:
        """Return the session of a frame of the selected thread, by default the selected one.

        Its registers are found by call frame information, starting from those of the newest frame.
        Without a running program, it has global variables only.

        `UsageError` if GDB has no program, `Unsupported` for an unknown architecture; GDB's own
        error while the thread runs.
        """
        self.target.forget_reads()
        if self._interruptions != (count := interruptions().count):
            self._stack = self._levels = None
            self.files.forget()
            self._interruptions = count
        wave = selected_wave()
        if wave is None:
            return self._static_session()
        frame = frame or gdb.selected_frame()
        top = self._newest(wave)
        stack = top.call_stack
        assert stack is not None
        if self._levels is None or self._levels.stack is not stack:
            self._levels = FrameLevels(stack)
        level, why = self._levels.of(frame)
        if why is None:
            return top.at_level(level, inline_level_of(top.at_level(level), frame))
        pc = code_address(frame)
        objects, notes = self.objects_at(pc)
        session = evolve(top, pc=pc, level=level, code_objects=objects, gdb_frame=frame)
        note = f"dwarfgpu has no such frame ({why}): its registers come from GDB and are read-only"
        inline_level = inline_level_of(session, frame)
        return evolve(session, inline_level=inline_level, notes=(*notes, note))

    def _newest(self, wave: WaveId) -> GdbSession:
        """Return what the newest frame sees."""
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
            quirks=quirks(),
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
        """Return the file that has a program location, or a note that says why it cannot be
        read."""
        try:
            code_object = self.files.at(pc)
        except DwarfGpuError as error:
            return (), (f"the file of {pc:#x} is not read: {error}",)
        return (() if code_object is None else (code_object,)), ()

    def _static_session(self) -> GdbSession:
        if path_of(gdb.current_progspace()) is None:
            raise UsageError("GDB has no program: give it one with `file`")
        name = gdb.selected_inferior().architecture().name()
        machine = architecture_named(name)
        return GdbSession(machine, (), self.target, debugger=self, has_frames=True, limits=limits())

    def code_objects_with(self, name: str, pc: int | None) -> list[CodeObject]:
        """Return the code objects of what GDB finds by a name outside of functions: a variable, a
        function, an enumerator or a typedef, and a type by its tag. `pc`: where the namespaces and
        the imports count."""
        known = map(self._code_object_of, _symbols(name, pc))
        return [code_object for code_object in known if code_object is not None]

    def _code_object_of(self, symbol: gdb.Symbol) -> CodeObject | None:
        """Return the code object with an entity outside of functions. The address of a variable
        may be that of a copy in the program."""
        code_object = self.files.named(symbol.symtab.objfile)
        has_address = symbol.addr_class in (gdb.SYMBOL_LOC_STATIC, gdb.SYMBOL_LOC_BLOCK)
        if code_object is None and has_address:
            address = address_of(symbol.value())
            code_object = None if address is None else self.files.at(int(address))
        return code_object


def _rules_of(unit: LineUnit | None) -> AbstractContextManager[None]:
    """Select the language of a unit for a block: GDB looks names up by the rules of the language of
    its own selected frame."""
    language = None if unit is None else language_of(unit)
    return language_selected(language) if language in _LANGUAGES else nullcontext()


def _symbols(name: str, pc: int | None) -> Iterator[gdb.Symbol]:
    """Yield what GDB finds by a name outside of functions: by the namespaces and the imports at a
    program location, and anywhere."""
    is_global = name.startswith("::")  # GDB ends at such a name
    name = name.removeprefix("::")
    block = None if pc is None or pc < 0 or is_global else gdb.block_for_pc(pc)
    for domain in (gdb.SYMBOL_VAR_DOMAIN, gdb.SYMBOL_STRUCT_DOMAIN):
        visible = None if block is None else gdb.lookup_symbol(name, block, domain)[0]
        if visible is not None and (visible.needs_frame or visible.is_argument):
            visible = None
        symbol = gdb.lookup_global_symbol(name, domain) or gdb.lookup_static_symbol(name, domain)
        for candidate in (visible, symbol):
            defined = None if candidate is None else _defined(candidate, name, domain)
            if defined is not None:
                yield defined


def _defined(symbol: gdb.Symbol, name: str, domain: int) -> gdb.Symbol | None:
    """Return the definition of a symbol: where it is a declaration, the files are asked. None for a
    symbol of no file."""
    if not _is_defined(symbol):
        of_files = (file.lookup_global_symbol(name, domain) for file in gdb.objfiles())
        symbol = next((item for item in of_files if _is_defined(item)), symbol)
    return None if symbol.symtab is None else symbol


def _is_defined(symbol: gdb.Symbol | None) -> bool:
    return symbol is not None and symbol.addr_class != gdb.SYMBOL_LOC_UNRESOLVED
