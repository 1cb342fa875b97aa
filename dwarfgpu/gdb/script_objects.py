"""Frames and values for scripts inside GDB: the results of `dwarfgpu.gdb`.

Law: errors are a `gdb.GdbError` of one line. A value belongs to the stop at which it was made;
contents of memory are read at each access.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeAlias

import gdb

from dwarfgpu.base.arguments import contents, require
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Pointer, Struct, strip, strip_reference
from dwarfgpu.errors import DwarfGpuError, Malformed, StaleLocation, UndefinedBits, UsageError
from dwarfgpu.expr.context import Context, format_of
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.evaluate import Observer, Result, evaluate
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.gdb.gdb_session import Debugger, GdbSession
from dwarfgpu.gdb.machine.interruptions import older_frame
from dwarfgpu.gdb.machine.read_dependencies import Reads
from dwarfgpu.gdb.machine.selected_thread import selected_thread
from dwarfgpu.gdb.one_line_errors import gdb_errors
from dwarfgpu.gdb.print_options import PRINT_SETTINGS, parameter, print_options
from dwarfgpu.gdb.script_arguments import integer_argument, part_argument
from dwarfgpu.gdb.script_numbers import (
    number_to_assign,
    pointer_to_convert,
    real_number,
    require_held,
)
from dwarfgpu.gdb.script_scalars import (
    ExactNumber,
    exact_number,
    float_of,
    holds,
    integer_of,
    is_true,
    number_to_hold,
    pointers_compared,
)
from dwarfgpu.language import Options, TypedValue
from dwarfgpu.language import evaluate as evaluate_source
from dwarfgpu.language.containers import element_of
from dwarfgpu.language.frame_of_function import in_enclosing_frame
from dwarfgpu.language.name_resolution import Names
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.session.session import Session
from dwarfgpu.view.coverage_text import variable_name
from dwarfgpu.view.values import FormatOptions

Find: TypeAlias = Callable[[GdbSession], TypedValue]
"""How a value is found in its frame: it is not read yet."""
Contents: TypeAlias = bytes


@cache
def the_debugger() -> Debugger:
    """Return the one of this GDB: it caches files, and receives events."""
    return Debugger()


@cache
def _recent() -> list[Frame]:
    """Return the frame requested last."""
    return []


def frame_of(gdb_frame: gdb.Frame) -> Frame:
    """Return a frame of GDB's; the same object for repeated requests."""
    recent = _recent()
    if not recent or recent[0].gdb_frame != gdb_frame or not recent[0].is_valid():
        recent[:] = [Frame(the_debugger(), gdb_frame)]
    return recent[0]


class Frame:
    """A frame of the selected thread.

    Without a running program, the scope outside of all frames: it has global variables, and
    everything else is a `gdb.GdbError`.
    """

    def __init__(
        self, debugger: Debugger, gdb_frame: gdb.Frame | None, lane: int | None = None
    ) -> None:
        self.debugger = debugger
        self.gdb_frame = gdb_frame
        self.lane_number = lane
        thread = selected_thread()
        self._thread = None if thread is None else thread.global_num
        self._last: tuple[object, GdbSession] | None = None
        self._values: dict[str, Value] = {}
        """The requested variables, while nothing changes."""

    def __repr__(self) -> str:
        if self.gdb_frame is None:
            return "<dwarfgpu frame: no program runs>"
        return "<dwarfgpu frame>" if not self.is_valid() else f"<dwarfgpu frame {self.level}>"

    __hash__ = None  # type: ignore[assignment]  # as gdb.Frame

    def __eq__(self, other: object) -> bool:
        """Return whether it is the same frame of the same thread, for the same lane."""
        return isinstance(other, Frame) and self._identity() == other._identity()

    def _identity(self) -> tuple[object, ...]:
        return self.gdb_frame, self.lane_number, self._thread

    def is_valid(self) -> bool:
        """Return whether it is still there, and of the selected thread."""
        try:
            thread = selected_thread()
        except UsageError:  # it has exited
            return False
        if self.gdb_frame is None or thread is None:
            return self.gdb_frame is None and thread is None
        if thread.global_num != self._thread:
            return False  # GDB's own is valid there, if a frame has the same CFA and function
        try:
            return bool(self.gdb_frame.is_valid())
        except gdb.error:  # no thread has frames
            return False

    def _own(self) -> gdb.Frame:
        """Return GDB's frame; `UsageError` with GDB's wording where no program runs,
        `StaleLocation` if it is not valid."""
        if self.gdb_frame is None:
            raise UsageError("No frame selected.")
        self.require_valid()
        return self.gdb_frame

    def require_valid(self) -> None:
        """Raise `StaleLocation` if it is gone, or of a thread that is not selected."""
        if not self.is_valid():
            raise StaleLocation(
                "the frame no longer exists, or another thread is selected: request the frame again"
            )

    def session(self) -> GdbSession:
        """Return the frame's current session, cached while nothing moves; raises
        `DwarfGpuError`."""
        target = self.debugger.target
        self.require_valid()
        is_known = self._last is not None and self._last[0] == target.contents_version
        if self._last is None or not is_known or target.stops_unseen:
            session = self.debugger.session(self.gdb_frame)
            lane = self.lane_number
            if lane is not None:
                if not session.architecture.is_simt:
                    raise UsageError(f"a thread of {session.architecture.name} has no lanes")
                focused = session.focused(lane)
                assert isinstance(focused, GdbSession)
                session = focused
            self._last = target.contents_version, session
            self._values = {}
        return self._last[1]

    def lane(self, number: int) -> Frame:
        """Return the same frame for a lane of its wave."""
        with gdb_errors():
            number = integer_argument("Frame.lane: number", number)
            frame = Frame(self.debugger, self.gdb_frame, number)
            count, _ = frame.session().lane_count()
            if not 0 <= number < count:
                raise UsageError(f"Lane {number} does not exist on this thread.")
        return frame

    @property
    def level(self) -> int:
        """GDB's number of the frame."""
        with gdb_errors():
            return int(self._own().level())

    @property
    def pc(self) -> int:
        """The program location at which the frame continues."""
        with gdb_errors():
            return int(self._own().pc())

    @property
    def function(self) -> str | None:
        """The name of its function; None if debug information has none."""
        with gdb_errors():
            self._own()
            session = self.session()
            return next(iter(session.functions()[session.inline_level :]), None)

    @property
    def cfa(self) -> Location:
        """The Canonical Frame Address."""
        with gdb_errors():
            self._own()
            return self.session().frame.cfa()

    def older(self) -> Frame | None:
        """Return the frame that called this one, or into which it is inlined; None for the
        outermost."""
        with gdb_errors():
            caller = older_frame(self._own())
        return None if caller is None else Frame(self.debugger, caller, self.lane_number)

    def variables(self) -> list[Value]:
        """Return the variables in scope, the innermost first; of two with one name, the inner one
        alone. Those of namespaces and classes have qualified names."""
        with gdb_errors():
            self._own()
            session = self.session()
            variables = {
                variable_name(variable): variable for variable in reversed(session.variables())
            }
            for name, variable in variables.items():
                if name not in self._values:
                    # A name cannot always be written: that of one in an unnamed namespace.
                    self._values[name] = self._value(name, session.find_variable(name) or variable)
            return [self._values[name] for name in reversed(variables)]

    def variable(self, name: str) -> Value:
        """Return the variable that a name denotes here; also one of a function whose text encloses
        the one of the frame."""
        with gdb_errors():
            require("Frame.variable: name", name, str)
            session = self.session()
            value = self._values.get(name)
            if value is None:
                value = self._values[name] = self._of_name(session, name)
            return value

    def _of_name(self, session: GdbSession, name: str) -> Value:
        variable = session.find_variable(name)
        if variable is not None:
            return self._value(name, variable)
        enclosing = session.meanings(name).in_enclosing_functions(name)
        if enclosing is not None:
            return self._captured(name, enclosing)
        return self._value(name, session.variable(name))  # it raises the error

    def _captured(self, name: str, variable: Variable) -> Value:
        """Return a variable of an enclosing function, in the frame to which static links lead."""

        def find(session: GdbSession) -> TypedValue:
            return ObjectAccess(session).variable(*in_enclosing_frame(session, variable))

        return Value(self, name, find)

    def _value(self, name: str, variable: Variable) -> Value:
        def find(session: GdbSession) -> TypedValue:
            return ObjectAccess(session).variable(variable)

        def read(session: GdbSession) -> TypedValue:
            object_value = TypedValue(variable.type, unit=variable.unit, variable=variable)
            return ObjectAccess(session).read(object_value)

        return Value(self, name, find, read)

    def value(self, expression: str) -> Value:
        """Return an expression of the source language, evaluated at each access, without
        assignments."""
        why = "assignments are not possible in an expression: use assign"

        def find(session: GdbSession) -> TypedValue:
            return session.evaluate(expression, read_only=why)

        with gdb_errors():
            require("Frame.value: expression", expression, str)
        value = Value(self, expression, find)
        value.look()
        return value

    def evaluate(self, operations: str) -> Result:
        """Return the result of DWARF operations here: a value with its `number`, or a location."""
        with gdb_errors():
            require("Frame.evaluate: operations", operations, str)
            return evaluated(self.session(), operations)


def evaluated(session: Session, operations: str, observe: Observer | None = None) -> Result:
    """Return the result of operations as text, in the unit of the frame; raises `DwarfGpuError`."""
    data, context = assembled(session, operations)
    return evaluate(data, context, observe=observe)


def assembled(session: Session, operations: str) -> tuple[bytes, Context]:
    """Return the bytes of operations, and the context of their evaluation."""
    context = session.context(evolve(session.frame, cfi_only=True))
    code_object = session.code_object
    if code_object is not None and context.pc is not None:
        context = evolve(context, unit=code_object.scopes.unit_at(context.pc))
    unit, architecture = context.unit, session.architecture
    dialect = AMD if unit is None else unit.dialect
    form = format_of(architecture) if unit is None else unit.format
    try:
        return assemble(operations, dialect, form, architecture), context
    except Malformed as error:
        raise UsageError(error.message) from None


@frozen
class _CachedValue:
    """A result, and its dependencies."""

    version: object
    reads: Reads
    session: GdbSession
    value: TypedValue


@frozen
class _CachedText:
    """A text, and what it depends on."""

    version: object
    reads: Reads
    settings: tuple[str, ...]
    """Names of GDB's settings on which it depends."""
    values: tuple[object, ...]
    text: str


class Value:
    """An object as a frame sees it, a part of one, or what an expression gives."""

    def __init__(
        self,
        frame: Frame,
        name: str,
        find: Find,
        read: Find | None = None,
        stop: int | None = None,
    ) -> None:
        """`stop`: of the object that this is a part of; by default that of the machine now."""
        self.frame = frame
        self.name = name
        self._find = find
        self._read_by = read or (lambda session: ObjectAccess(session).read(find(session)))
        self._stop = frame.debugger.target.stop if stop is None else stop
        self._located_value: _CachedValue | None = None
        self._contents: _CachedValue | None = None
        self._text: _CachedText | None = None
        self._parts: dict[str | int | None, Value] = {}
        """The requested parts; None is the key of the target."""

    def __repr__(self) -> str:
        return f"<dwarfgpu value {self.name}>"

    def look(self) -> TypedValue:
        """Return the value as `dwarfgpu.language` has it, read; it contains the error of
        reading."""
        with gdb_errors():
            return self._read()[1]

    def _located(self) -> tuple[GdbSession, TypedValue]:
        self._located_value = self._refreshed(self._located_value, self._find)
        return self._located_value.session, self._located_value.value

    def _read(self) -> tuple[GdbSession, TypedValue]:
        self._contents = self._refreshed(self._contents, self._read_by)
        return self._contents.session, self._contents.value

    def _refreshed(self, previous: _CachedValue | None, find: Find) -> _CachedValue:
        """Return the cached result if all its dependencies are unchanged; otherwise a new one."""
        target = self.frame.debugger.target
        if target.stop != self._stop:
            if self.frame.gdb_frame is not None:
                self.frame.require_valid()
            raise StaleLocation(
                f"{self.name} is from an earlier stop: request it from its frame again"
            )
        session = self.frame.session()
        version = target.contents_version
        if previous is not None and previous.version == version and previous.reads.are_same():
            target.uses(previous.reads)
            return previous
        with target.recorded() as reads:
            value = find(session)
        return _CachedValue(version, reads, session, value)

    @property
    def location(self) -> Location | None:
        """The location; None if the value has none, or is only computed."""
        with gdb_errors():
            return self._located()[1].location

    @property
    def type(self) -> str:
        """The type as its language spells it."""
        with gdb_errors():
            value = self._located()[1]
            unit = value.unit
            return type_name(value.type, cplusplus=unit is not None and unit.is_cplusplus)

    @property
    def is_optimized_out(self) -> bool:
        """Whether there is nothing to read, because the compiler kept it nowhere."""
        return isinstance(self.look().error, UndefinedBits)

    @property
    def bits(self) -> Bits:
        """The contents, with masks of the unknown bits."""
        with gdb_errors():
            value = self._read()[1]
            if value.bits is None and value.error is not None:
                raise value.error
            if value.bits is None:
                raise UsageError(f"{self.name} is a synthetic pointer: it has no bits")
            return value.bits

    @property
    def bytes(self) -> bytes:
        """The contents; an error unless every bit is known."""
        with gdb_errors():
            session, value = self._read()
            return ObjectAccess(session).known(value).to_bytes(session.architecture.endian)

    @property
    def text(self) -> str:
        """The contents as GDB prints them, with GDB's settings; `<optimized out>` if they are."""
        current = self._still()
        if current is not None:
            return current
        target = self.frame.debugger.target
        with gdb_errors(), target.recorded() as reads:
            self._contents = None  # so that all reads are recorded
            session, value = self._read()
            names = _settings(value)
            shown = session.value_text(value, print_options() if names else FormatOptions())
            self._text = _CachedText(target.contents_version, reads, names, _values(names), shown)
            return shown

    def _still(self) -> str | None:
        """Return the cached text, if all its dependencies are unchanged."""
        reads = self._text
        target = self.frame.debugger.target
        if reads is None or target.stops_unseen or not self.frame.is_valid():
            return None
        if target.contents_version != reads.version or not reads.reads.are_same():
            return None
        return reads.text if _values(reads.settings) == reads.values else None

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        """Return whether a scalar is not 0; an error for any other object."""
        with gdb_errors():
            session, value = self._read()
            return is_true(session, value, self.name)

    def __int__(self) -> int:
        """Return the number of a scalar without its fraction; of a pointer its address."""
        with gdb_errors():
            session, value = self._read()
            return integer_of(session, value, self.name)

    def __float__(self) -> float:
        """Return the nearest float of Python for the number of a scalar."""
        with gdb_errors():
            session, value = self._read()
            return float_of(session, value, self.name)

    __hash__ = None  # type: ignore[assignment]  # no key: contents change; `v in {1}` is an error

    def __eq__(self, other: object) -> bool:
        return self._compared("==", other)

    def __ne__(self, other: object) -> bool:
        return self._compared("!=", other)

    def __lt__(self, other: object) -> bool:
        return self._compared("<", other)

    def __le__(self, other: object) -> bool:
        return self._compared("<=", other)

    def __gt__(self, other: object) -> bool:
        return self._compared(">", other)

    def __ge__(self, other: object) -> bool:
        return self._compared(">=", other)

    def _compared(self, relation: str, other: object) -> bool:
        """Compare a scalar with a number of Python or GDB, or with another scalar."""
        if other is None:
            return NotImplemented  # type: ignore[no-any-return]  # not equal, as to no gdb.Value
        number: ExactNumber
        with gdb_errors():
            session, value = self._read()
            if isinstance(other, Value):
                other_session, other_value = other._read()
                are_pointers = pointers_compared(session, relation, value, other_value)
                if are_pointers is not None:
                    return are_pointers
                number = exact_number(other_session, other_value, other.name)
            else:
                number = real_number(f"{self.name} {relation}", other)
            return holds(relation, exact_number(session, value, self.name), number)

    def __getitem__(self, part: str | int | gdb.Value) -> Value:
        """Return a member by its name, or an element by its index, an integer of GDB's, too; also
        of the target of a pointer."""
        if type(part) in (str, int) and part in self._parts:
            return self._parts[part]
        with gdb_errors():
            key = part_argument(part, self.name)
        is_name = isinstance(key, str)
        name = f"{self.name}.{key}" if is_name else f"{self.name}[{key}]"

        def find(session: GdbSession) -> TypedValue:
            objects, value = ObjectAccess(session), self._located()[1]
            bare = strip(value.type)
            if isinstance(key, str):
                is_pointer = isinstance(bare, Pointer)
                return objects.member(objects.dereferenced(value) if is_pointer else value, key)
            if isinstance(bare, Pointer | Struct):  # a container has elements in the expression
                return _evaluate(session, f"$_[{key}]", value)
            return objects.element(value, key)

        return self._part(key, name, find)

    def dereference(self) -> Value:
        """Return the target of a pointer or reference."""

        def find(session: GdbSession) -> TypedValue:
            return ObjectAccess(session).dereferenced(self._located()[1])

        return self._part(None, f"*{self.name}", find)

    def _part(self, key: str | int | None, name: str, find: Find) -> Value:
        value = self._parts.get(key)
        if value is None:
            value = Value(self.frame, name, find, stop=self._stop)
            with gdb_errors():
                value._located()  # that there is none is reported on access
            self._parts[key] = value
        return value

    def __iter__(self) -> Iterator[Value]:
        """Yield the elements of an array, or of one that a reference refers to."""
        with gdb_errors():
            bare = strip_reference(self._located()[1].type)
            if not isinstance(bare, Array) or bare.dimensions[0] is None:
                has_elements = isinstance(bare, Struct) and self._has_elements()
                advice = ": take its elements by their index" if has_elements else ""
                raise UsageError(f"{self.name} is not an array of known length{advice}")
            first = bare.lower_bound or 0
        return (self[first + index] for index in range(bare.dimensions[0]))

    def _has_elements(self) -> bool:
        """Return whether it is a container whose elements have an index, or refers to one."""
        session, value = self._located()
        objects = ObjectAccess(session)
        if isinstance(strip(value.type), Pointer):
            value = objects.dereferenced(value)
        try:
            return element_of(objects, value, 0) is not None
        except DwarfGpuError:  # a container that lacks this one
            return True

    def assign(self, new: complex | str | Contents | Value | gdb.Value) -> None:
        """Write it, where it is: a number, another value, an expression of the frame, or all of its
        bytes."""
        with gdb_errors():
            session, value = self._located()
            if isinstance(new, bytes | bytearray | memoryview):
                new, size = contents("Value.assign: new", new), value.size_bits
                if size != 8 * len(new):
                    raise UsageError(f"{self.name} has {size} bits, not {8 * len(new)}")
                ObjectAccess(session).write(value, int.from_bytes(new, session.architecture.endian))
            elif isinstance(new, str):
                _assign(session, value, f"({new})")
            elif isinstance(new, Value):
                other_session, other = new._read()
                number = number_to_hold(other_session, other, new.name, value)
                if number is not None:
                    require_held(value, self.name, number)
                _assign(session, value, "$__", other)
            elif (pointer := pointer_to_convert(value, new)) is not None:
                _assign(session, value, pointer)
            else:
                _assign(session, value, "$__", number_to_assign(session, value, self.name, new))
            self._located_value = self._contents = self._text = None


def _assign(
    session: GdbSession, target: TypedValue, text: str, value: TypedValue | None = None
) -> None:
    """Assign an expression, in which `$__` is a value, to an object."""
    language = Names(session).language
    operator = ":=" if language.is_ada or language.is_pascal else "="  # `=` compares there
    _evaluate(session, f"$_ {operator} {text}", target, value)


def _evaluate(
    session: GdbSession, text: str, value: TypedValue, other: TypedValue | None = None
) -> TypedValue:
    """Evaluate an expression in which `$_` and `$__` are values."""
    named = {"_": value, "__": other}
    return evaluate_source(text, session, Options(named.get))


def _settings(value: TypedValue) -> tuple[str, ...]:
    """Return the settings of GDB that change the text of a value."""
    bare = strip(value.type)
    if isinstance(bare, Base | Enum):
        return ()
    return PRINT_SETTINGS if value.unit is not None else (*PRINT_SETTINGS, "language")


def _values(settings: tuple[str, ...]) -> tuple[object, ...]:
    return tuple([parameter(setting) for setting in settings])
