"""The arguments in a frame's line, with their values on entry: GDB's `set print entry-values`.

`n=5, n@entry=3`: the value now and the one that the caller passed; `n=n@entry=5` where they are the
same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError, InconsistentContext, MissingContext, UndefinedBits
from dwarfgpu.service.answer import listed
from dwarfgpu.service.error_text import error_line
from dwarfgpu.service.frame.focus import contents, frame_pc, shown_name, variables
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import frame_position, function_in_focus
from dwarfgpu.view.frame_line import frame_line, is_aggregate
from dwarfgpu.view.frame_style import DEFAULT_STYLE, FrameStyle
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.values import OPTIMIZED_OUT

if TYPE_CHECKING:
    from dwarfgpu.session.argument_on_entry import OnEntry

_FEW: Final = 100
"""Arguments whose names and scalars are not counted: names may be long."""


@frozen
class ArgumentWords:
    """An argument of a frame's line."""

    name: str
    value: str | None
    """None where only the value on entry is shown."""
    on_entry: str | None = None
    """None where the call does not describe it, or where it is not shown."""
    is_unchanged: bool = False
    """Whether the value is the one on entry."""

    @property
    def text(self) -> str:
        """`n=5`, `n=5, n@entry=3`, `n@entry=3` or `n=n@entry=5`."""
        if self.is_unchanged:
            return f"{self.name}={self.name}@entry={self.value}"
        words = [] if self.value is None else [f"{self.name}={self.value}"]
        words += [] if self.on_entry is None else [f"{self.name}@entry={self.on_entry}"]
        return ", ".join(words)

    def record(self) -> JsonObject:
        """Return the argument as data; what the line does not show is left out."""
        record: JsonObject = {"name": self.name}
        if self.value is not None:
            record["value"] = self.value
        if self.on_entry is not None:
            record["value_on_entry"] = self.on_entry
        if self.is_unchanged:
            record["is_value_on_entry"] = True
        return record


def words_of(record: JsonObject) -> ArgumentWords:
    """Return the argument whose data this is."""

    def text(key: str) -> str | None:
        return None if record.get(key) is None else str(record[key])

    is_unchanged = record.get("is_value_on_entry") is True
    return ArgumentWords(str(record["name"]), text("value"), text("value_on_entry"), is_unchanged)


def focused_frame_line(session: Session, style: FrameStyle = DEFAULT_STYLE) -> str:
    """Return `0x0000000000001640 in nest (limit=3) at nest.hip:12`, or `from /d/k.co`."""
    pc = frame_pc(session)
    described = session.frame.subprogram is not None
    shown = arguments_text(session, variables(session, "parameter") if described else [], style)
    call = f"{function_in_focus(session) or '??'} ({shown})"
    return frame_line(session, pc, frame_position(session, pc), call, style)


def arguments_text(session: Session, arguments: Sequence[Variable], style: FrameStyle) -> str:
    """Return `a=1, b=...`: the text between the parentheses of a frame's line."""
    if style.arguments == "presence":
        return "..." if arguments else ""
    arguments = listed(session, "argument", arguments)
    return ", ".join(words.text for words in words_of_arguments(session, arguments, style))


def words_of_arguments(
    session: Session, arguments: Sequence[Variable], style: FrameStyle
) -> Iterator[ArgumentWords]:
    """Yield what a frame's line says of the arguments, or at the end why the last ones are not
    shown."""
    if style.arguments != "all" and len(arguments) <= _FEW:
        yield from (argument_words(session, argument, style) for argument in arguments)
        return
    from dwarfgpu.service.value.listed_values import ListedValues  # else structures are `...`

    values = ListedValues(session.limits)
    for argument in values.shown(arguments):
        words = argument_words(session, argument, style)
        if style.arguments == "all":
            values.count(argument, words.text)
        else:
            values.count_text(words.text)  # no structure is read
        yield words
    if values.unlisted:
        end = error_line(values.end())
        yield ArgumentWords(shown_name(values.unlisted[0]), f"<error reading variable: {end}>")


def argument_words(session: Session, argument: Variable, style: FrameStyle) -> ArgumentWords:
    """Return what a frame's line says of an argument, or the reason why it cannot."""
    name, manner = shown_name(argument), style.entry_values
    if style.arguments == "none":
        return ArgumentWords(name, "...")
    reading: Reading | None = None
    failure: DwarfGpuError | None = None
    try:
        reading = session.read(argument)
        failure = reading.failure
        value: str | None = _text(session, reading, style)
    except DwarfGpuError as error:
        failure = error.with_traceback(None)
        value = f"<error reading variable: {error.brief or error_line(error)}>"
    is_optimized_out = _is_optimized_out(reading)
    if manner == "no" or (manner == "if-needed" and not is_optimized_out):
        return ArgumentWords(name, value)
    is_outermost = _is_outermost(session, style)
    passed = None if is_outermost else _passed(session, argument)
    on_entry = None if passed is None else _text_on_entry(session, passed, style)
    if manner in ("compact", "default"):
        if passed is not None and _is_unchanged(session, reading, passed):
            return ArgumentWords(name, value, is_unchanged=True)
        if passed is not None and passed.value.failure is not None:
            is_same = on_entry == value or _is_same_error(failure, passed.value.failure)
            is_unknown = isinstance(passed.value.failure, MissingContext | InconsistentContext)
            on_entry = None if is_same or is_unknown else on_entry  # as where no call is described
    if manner in ("only", "both") or (manner == "preferred" and is_optimized_out):
        if is_outermost and (passed := _passed(session, argument)) is not None:
            on_entry = _text_on_entry(session, passed, style)
        on_entry = on_entry or _optimized_out_text(argument, style)
    is_replaced = manner in ("compact", "if-needed") and is_optimized_out
    if on_entry is not None and (manner in ("only", "preferred") or is_replaced):
        value = None
    return ArgumentWords(name, value, on_entry)


def _is_outermost(session: Session, style: FrameStyle) -> bool:
    """Return whether the stack ends at the frame, as GDB shows it: main has no caller then.

    A line that needs no value on entry has none there; one that has a place for it has the value.
    """
    physical = session.physical_frame
    is_jump = physical is not None and physical.is_tail_call
    if style.is_past_main or is_jump or session.architecture.is_simt:
        return False
    from dwarfgpu.session.main_function import is_main  # the demo has none

    return is_main(session)


def _optimized_out_text(argument: Variable, style: FrameStyle) -> str:
    """Return the text of a value on entry that nothing describes."""
    is_short = style.arguments == "scalars" and is_aggregate(argument.type)
    return "..." if is_short else OPTIMIZED_OUT


def _passed(session: Session, argument: Variable) -> OnEntry | None:
    """Return the value on entry; None where it cannot be computed, as what it needs is optimized
    out."""
    if session.architecture.is_simt:
        return None  # compilers describe no calls of GPU code
    from dwarfgpu.session.argument_on_entry import argument_on_entry  # the demo has none

    try:
        passed = argument_on_entry(session, argument)
    except DwarfGpuError:
        return None  # GDB's NO_ENTRY_VALUE_ERROR
    readings = () if passed is None else (passed.value, passed.target)
    is_optimized_out = any(
        reading is not None and isinstance(reading.failure, UndefinedBits) for reading in readings
    )
    return None if is_optimized_out else passed


def _is_optimized_out(reading: Reading | None) -> bool:
    """Return whether bits of a value are optimized out."""
    if reading is None or isinstance(reading.failure, UndefinedBits):
        return reading is not None
    return reading.bits is not None and reading.bits.undefined != 0


def _is_unchanged(session: Session, reading: Reading | None, passed: OnEntry) -> bool:
    """Return whether an argument has the value on entry; a reference, if its object has it too."""
    if reading is None or not _are_same(reading, passed.value):
        return False
    if passed.target is None:
        return True
    from dwarfgpu.language.object_access import ObjectAccess  # few arguments are references
    from dwarfgpu.language.typed_value import TypedValue

    try:
        objects = ObjectAccess(session)
        unit = reading.variable.unit
        reference = TypedValue(reading.type, bits=reading.bits, unit=unit)
        target = objects.read(objects.dereferenced(reference))
    except DwarfGpuError:
        return False
    return _are_same(evolve(passed.target, bits=target.bits), passed.target)


def _are_same(now: Reading, then: Reading) -> bool:
    bits = now.bits
    return bits is not None and bits.is_complete and bits == then.bits


def _is_same_error(now: DwarfGpuError | None, then: DwarfGpuError) -> bool:
    """Return whether errors say the same: an operation may need the value on entry, and fail for
    the same reason."""
    return now is not None and now.message == then.message


def _text_on_entry(session: Session, passed: OnEntry, style: FrameStyle) -> str:
    if passed.target is None or passed.value.bits is None:
        return _text(session, passed.value, style)
    if style.arguments == "scalars" and is_aggregate(passed.value.type):
        return "..."
    address = passed.value.bits.value
    target = _text(session, passed.target, style)
    return f"@{address:#x}: {target}" if style.has_address else target


def _text(session: Session, reading: Reading, style: FrameStyle) -> str:
    is_short = style.arguments == "scalars"
    return contents(
        session, reading, style.options, style.symbolize, is_in_line=True, scalars_only=is_short
    )
