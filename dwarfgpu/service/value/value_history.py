"""Evaluate expressions for commands, with the value history and convenience variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from dwarfgpu import language
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.types.types import Base, strip
from dwarfgpu.errors import Unavailable, UndefinedBits, Unsupported, UsageError
from dwarfgpu.language import Options, TypedValue
from dwarfgpu.language.typed_value import is_of_memory, no_access
from dwarfgpu.language.wave_variables import integer_value, text_value, wave_variable
from dwarfgpu.machine.target import WaveId
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import REASON_UNDEFINED
from dwarfgpu.model.storage import Composite, Register
from dwarfgpu.service.machine.siginfo import siginfo_value
from dwarfgpu.service.value.expression_answer import NOT_DESCRIBED, READ_ONLY, is_undescribed
from dwarfgpu.service.value.expression_settings import ExpressionSettings
from dwarfgpu.service.value.subject import misspelt
from dwarfgpu.session.session import Session
from dwarfgpu.session.unknown_members import reasons_of_member
from dwarfgpu.view.values import DEFAULT_OPTIONS, FormatOptions

if TYPE_CHECKING:
    from dwarfgpu.language.function_context import DebuggerFunction

_HISTORY = pattern(r"(?P<back>\$)(?P<count>[0-9]*)|(?P<number>[0-9]*)")
_MAX_DIGITS = 18
_OF_HISTORY: Final = pattern(r"\$\$?[0-9]*")
_MUST_HAVE_INTEGER: Final = "Convenience variable must have integer value"


class ValueHistory:
    """`$1`, `$2` … as GDB numbers them, and the values of `$name`."""

    def __init__(
        self,
        functions: Mapping[str, DebuggerFunction] = MappingProxyType({}),
        names: Mapping[tuple[WaveId, int | None], str] = MappingProxyType({}),
        warn: Callable[[str], None] | None = None,
    ) -> None:
        """`functions`: `$_name(…)` of the debug session. `names`: of waves and lanes, set in it.

        `warn` is called with a warning about a doubtful assignment.
        """
        self._values: list[TypedValue] = []
        self.named: dict[str, TypedValue] = {}
        self.functions = functions
        self.names = names
        self.warn = warn
        self.has_written = False
        """Whether an expression assigned to something of the machine."""
        self.notes: dict[str, None] = {}
        """Notes on evaluated expressions that are not shown yet, in their order."""
        self._shown = 1
        """The value that `show values +` shows first."""
        self.siginfo: Callable[[WaveId], bytes | None] | None = None
        """The `siginfo_t` of a thread of a core file, empty without one, None for a wave."""
        self.radix: Callable[[], int] = lambda: 10
        """The base of integers without a prefix in expressions."""
        self.real_types: Callable[[], bool] = lambda: False
        """Whether `->` finds members of the class that the object was created as."""
        self.thread_count: int | None = None
        """How many waves or threads the prompt has to choose from; None without a prompt."""

    def wrote(self) -> None:
        self.has_written = True

    def keep(self, value: TypedValue) -> int:
        """Return the number of a new value, which is immutable from now on."""
        self._values.append(evolve(value, is_fixed=True, convenience=None))
        return len(self._values)

    def examined(self, address: TypedValue, contents: TypedValue) -> None:
        """Record the last examined memory: `$_` is its address, `$__` its contents."""
        self.named["_"] = evolve(address, convenience="_", location=None, variable=None)
        self.named["__"] = evolve(contents, convenience="__")

    @contextmanager
    def examined_kept(self) -> Iterator[None]:
        """Keep `$_` and `$__`, which only a command that examines memory sets."""
        before = {name: self.named.get(name) for name in ("_", "__")}
        try:
            yield
        finally:
            for name, value in before.items():
                if value is not None:
                    self.named[name] = value
                else:
                    self.named.pop(name, None)

    def absolute(self, number: int) -> TypedValue:
        if not 1 <= number <= len(self._values):
            raise UsageError(f"History has not yet reached ${number}.")
        return self._values[number - 1]

    def listed(self, around: int | None = None) -> list[tuple[int, TypedValue]]:
        """Return ten values with their numbers: the last ones, or those around a number."""
        return self._listed(len(self._values) - 9 if around is None else around - 5)

    def listed_next(self) -> list[tuple[int, TypedValue]]:
        """Return up to ten values with their numbers, after those that were listed last."""
        return self._listed(self._shown)

    def _listed(self, first: int) -> list[tuple[int, TypedValue]]:
        count = len(self._values)
        first = max(first, 1)
        last = min(first + 9, count)
        self._shown = last + 1
        return [(number, self._values[number - 1]) for number in range(first, last + 1)]

    def convenience(self, session: Session, name: str) -> TypedValue:
        """Return `$name`; void if it was never set."""
        value = _dollar(session, self, name)
        value = wave_variable(session, name) if value is None else value
        return TypedValue(None) if value is None else value

    def back(self, count: int) -> TypedValue:
        """Return the last value for 0, the one before it for 1."""
        if not self._values and not count:
            raise UsageError("The history is empty.")
        if count >= len(self._values):
            raise UsageError(f"History does not go back to $${count}.")
        return self._values[-1 - count]


def evaluated(session: Session, history: ValueHistory, text: str) -> TypedValue:
    """Return the value of an expression, read; an empty text is the last value.

    An error in place of the contents is raised, except for optimized out values and those in a
    register.
    """
    try:
        value = language.evaluate(text or "$", session, options_of(session, history))
    except UsageError as wrong:
        raise misspelt(session, text, wrong) from None
    error, bits = value.error, value.bits
    why = None if bits is None else bits.why_unavailable
    if isinstance(error, Unavailable) and why is not None:
        if _is_in_registers(value.location) and value.variable is None:
            return evolve(value, error=None)  # <unavailable> in place, as in GDB
        raise UsageError(no_access(why if is_of_memory(why) else error.message))
    if error is not None and not isinstance(error, UndefinedBits):
        raise error
    return value


def _is_in_registers(location: Location | None) -> bool:
    """Return whether it is a register, or made of some."""
    singles = () if location is None else location.single_locations
    if len(singles) == 1 and isinstance(singles[0].storage, Composite):
        return all(_is_in_registers(part.location) for part in singles[0].storage.parts)
    return bool(singles) and all(isinstance(single.storage, Register) for single in singles)


def whole_number(session: Session, history: ValueHistory, text: str) -> int:
    """Return the integer value of an expression; `UsageError` if it has none."""
    try:
        bits = evaluated(session, history, f"(long long) ({text})").bits
    except UsageError:
        evaluated(session, history, text)  # raises the errors of the text
        raise
    if bits is None or not bits.is_complete:
        raise UsageError("value is not available")
    return bits.value - (1 << 64) if bits.value >> 63 else bits.value


def convenience_integer(session: Session, history: ValueHistory, word: str) -> int:
    """Return the integer that `$NAME`, `$N` or `$$N` has in a list of numbers; `UsageError` with
    GDB's wording for others: registers and the debugger's variables (`$_thread`) have none
    there."""
    is_of_history = _OF_HISTORY.fullmatch(word) is not None
    if is_of_history or word[1:] in history.named:
        value = evaluated(session, history, word)
        kind = strip(value.type)
        if isinstance(kind, Base) and kind.base.is_integral and kind.base.encoding != "boolean":
            return whole_number(session, history, word)
    noun = "History value must have integer type" if is_of_history else _MUST_HAVE_INTEGER
    raise UsageError(f"{noun}.")


def reasons(value: TypedValue, session: Session) -> tuple[str, ...]:
    """Return why a value is, or has, unknown bits; padding does not count."""
    if value.error is not None:
        return (NOT_DESCRIBED if is_undescribed(value) else value.error.message,)
    if value.bits is None or value.bits.is_complete:
        return ()
    reasons = reasons_of_member(
        value.bits, value.type, value.location, session.context(), session.resolver
    )[:1]
    return ("bits of it are optimized out",) if reasons == (REASON_UNDEFINED,) else reasons


def options_of(
    session: Session, history: ValueHistory, *, writes: bool = True, notes: bool = True
) -> Options:
    """Return the meaning of `$names` at the prompt, whether an expression may assign, and whether
    the history collects notes on its value."""
    dollar = partial(_dollar, session, history)
    if not writes:
        return Options(
            dollar,
            read_only=READ_ONLY,
            noted=history.notes.setdefault if notes else None,
            functions=history.functions,
            real_types=history.real_types(),
            radix=history.radix(),
        )
    return Options(
        dollar,
        history.named.__setitem__,
        wrote=history.wrote,
        warn=history.warn,
        noted=history.notes.setdefault if notes else None,
        functions=history.functions,
        real_types=history.real_types(),
        radix=history.radix(),
    )


def expression_settings_of(
    history: ValueHistory, options: FormatOptions = DEFAULT_OPTIONS
) -> ExpressionSettings:
    """Return the settings of a debug session for expressions that assign nothing; an answer has its
    own notes."""
    without_notes = partial(options_of, history=history, writes=False, notes=False)
    return ExpressionSettings(without_notes, options, batch=True)


def _dollar(session: Session, history: ValueHistory, name: str) -> TypedValue | None:
    """Return an earlier value, or a convenience variable."""
    match = _HISTORY.fullmatch(name)
    if match is not None:
        if match["back"]:
            return history.back(_small(match["count"] or "1"))
        number = _small(match["number"] or "0")
        return history.absolute(number) if number else history.back(0)
    if name in history.named:
        return history.named[name]
    return BUILT_IN[name].value(session, history) if name in BUILT_IN else None


def _thread(session: Session, history: ValueHistory) -> TypedValue | None:
    """Return the number of the wave or thread in focus, 0 if there is none; None without a prompt:
    the session knows it."""
    if history.thread_count is None:
        return None
    number = session.wave if history.thread_count else 0
    return integer_value(session.architecture, number)


def _inferior(session: Session, history: ValueHistory) -> TypedValue:
    return integer_value(session.architecture, 1)


def _thread_count(session: Session, history: ValueHistory) -> TypedValue | None:
    if history.thread_count is None:
        return None
    return integer_value(session.architecture, history.thread_count)


def _siginfo(session: Session, history: ValueHistory) -> TypedValue | None:
    """Return the signal of the thread in focus; None if nothing is known of signals."""
    if history.siginfo is None:
        return None
    if type(session.wave) is not int:
        raise Unsupported("the signal differs between lanes")
    data = history.siginfo(session.wave)
    if data is None:  # a wave: as the architecture of AMD GPUs has no siginfo in ROCgdb
        return None
    if not data:
        raise UsageError("Unable to read siginfo")
    return siginfo_value(session.architecture, data)


def _name_of_lane(session: Session, history: ValueHistory) -> TypedValue | None:
    """Return the name of the lane in focus; None if it has none."""
    if type(session.wave) is not int or type(session.lane) not in (int, type(None)):
        raise Unsupported("the text differs between lanes")
    name = None if session.lane is None else history.names.get((session.wave, session.lane))
    return None if name is None else text_value(session.architecture, name)


@frozen
class BuiltIn:
    """A convenience variable that no command sets."""

    about: str
    value: Callable[[Session, ValueHistory], TypedValue | None]


BUILT_IN: Final = {
    "_thread": BuiltIn("the wave or thread in focus", _thread),
    "_gthread": BuiltIn("the wave or thread in focus", _thread),  # the same: there is one program
    "_inferior": BuiltIn("the number of the program", _inferior),
    "_inferior_thread_count": BuiltIn("how many waves or threads there are", _thread_count),
    "_siginfo": BuiltIn("the signal of the thread in focus", _siginfo),
    "_lane_name": BuiltIn("the name of the lane in focus", _name_of_lane),
}


def _small(digits: str) -> int:
    """Return the number of a value; no history has one of many digits."""
    if len(digits) > _MAX_DIGITS:
        raise UsageError("Numeric constant too large.")
    return int(digits)


def required(argument: str) -> str:
    """Return the expression; `UsageError` with GDB's wording if it is missing."""
    if not argument:
        raise UsageError("Argument required (expression to compute).")
    return argument
