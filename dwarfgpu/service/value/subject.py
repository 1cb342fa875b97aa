"""The subjects of `eval` and `explain` in the source language: variables and expressions.

Law: the language is imported only for other texts than names of variables, so that a variable costs
no more than its lookup.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.base.suggest import did_you_mean
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError, InconsistentContext, UsageError, shortened
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.service.answer import Answer
from dwarfgpu.service.error_text import error_line, one_line
from dwarfgpu.service.value.reading_answer import of_reading
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject, Plain

if TYPE_CHECKING:
    from dwarfgpu.service.value.expression_settings import ExpressionSettings

_PART: Final = r"[^\W\d][\w$]*+(?><[\w:, *&<>]*>)?+"
_PLAIN_NAME: Final = rf"{_PART}(?:::{_PART})*"
_ONLY_NAME: Final = pattern(_PLAIN_NAME)
_NAME: Final = pattern(rf"{_PLAIN_NAME}|[^'\"\\]*\\[^'\"]*")
"""A name, also of a template; and a text with a backslash, as names with odd characters are
shown."""
_UNKNOWN: Final = "No symbol "
"""The beginning of the error for an unknown name."""
_UNKNOWN_NAME: Final = pattern(r'No symbol "(\w+)" in current context\.')
_IS_UNKNOWN: Final = pattern(
    r'No symbol ".*" in (?:current context|namespace ".*")\.|No \w+ type named .*\.'
)
"""Errors of names that may be in what cannot be read."""
_AT_THE_END: Final = "A syntax error in expression, near `'."
"""What GDB 13 says of an expression that ends too early; newer ones say `near the end of`."""
_TYPE_WORDS: Final = (
    "struct", "union", "enum", "class", "unsigned", "signed", "const", "volatile", "sizeof",
)  # fmt: skip
"""Words of the language that come before a name."""
_TYPE_NAMES: Final = (
    "char", "short", "int", "long", "float", "double", "bool", "void", "unsigned", "signed",
)  # fmt: skip
"""Types that are one word in every program."""
_COMMAND: Final = pattern(r"\s*(?P<name>[a-z]+)(?P<format>/\w+)?\s+[^\s=<>&|^*/%+-].*", re.DOTALL)
"""A command of the prompt with its argument: not an operator, which would follow a variable."""
_PRINTING: Final = frozenset({"print", "p", "inspect", "output", "call", "display"})
"""Commands whose argument is the expression of `eval`."""
_NUMBER: Final = pattern(r"[0-9]+")
_FOCUS_OPTIONS: Final = {"lane": "--lane", "thread": "--wave", "frame": "--frame"}
"""The options of commands that move the focus."""
_COMMANDS: Final = _PRINTING | {"ptype", "whatis", "info", "list", "frame", "set", "explore", "x"}


@frozen
class Expression:
    """An expression of the source language."""

    name: str
    """Its text, by which it is called in answers."""


Subject: TypeAlias = Variable | Expression


def subject(session: Session, text: str) -> Subject:
    """Return the variable of a name; for other text, an expression, which may be invalid."""
    if _NAME.fullmatch(text) is None:
        return Expression(text)
    try:
        if session.has_own_names or "::" in text and _is_path_of_rust(text):
            return _find_as_written(session, text) or Expression(text)
        return _written(session.find_variable(text), text) or Expression(text)
    except UsageError as error:
        if not error.message.startswith(_UNKNOWN):
            raise
        return Expression(text)
    except InconsistentContext:  # as of a lane that is not in the frame
        raise
    except DwarfGpuError:
        return Expression(text)  # a symbol may have the name; else the evaluation raises it


def _written(variable: Variable | None, text: str) -> Variable | None:
    """Return a variable by its name with the scopes and template arguments that are written: of
    several answers, each is that to its question."""
    if variable is None or text.isidentifier():
        return variable
    return evolve(variable, name=text)


def _find_as_written(session: Session, name: str) -> Variable | None:
    """Return the variable of a name by the rules of a language; None also where the file has the
    name in other letters, or with the packages around it: as it is written, it may be one of C, but
    for a path of Rust."""
    from dwarfgpu.language.name_resolution import Names  # most names are of C and its relatives

    names = Names(session)
    spelled = names.spelled(name)
    is_so = spelled == name or _is_path_of_rust(name)
    return names.find_variable(spelled) if is_so else None


def _is_path_of_rust(name: str) -> bool:
    from dwarfgpu.language.syntax.words import PATHS  # few names are in scopes

    return name.startswith(PATHS)


def answer(
    session: Session, subject: Subject, settings: ExpressionSettings | None = None
) -> Answer:
    """Return the answer about a variable or an expression in the focus; `UsageError` if it is
    invalid.

    `settings`: for an expression; by default that of the command line.
    """
    if isinstance(subject, Variable):
        return of_reading(session.read(subject), session)
    from dwarfgpu.service.value.expression_answer import of_expression

    try:
        return of_expression(session, subject.name, settings=settings)
    except UsageError as error:
        name = subject.name
        if settings is not None:
            raise misspelt(session, name, error) from None
        raise or_operations(session, name, misspelt(session, name, error)) from None


def _is_unknown_name(subject: Subject, error: DwarfGpuError | None) -> bool:
    """Return whether a text is one name, and the error says that it is unknown. In a longer
    expression another error may come first where the contents are others."""
    if not isinstance(subject, Expression) or not isinstance(error, UsageError):
        return False
    is_unknown = error.message.startswith(_UNKNOWN)
    return is_unknown and _ONLY_NAME.fullmatch(subject.name) is not None


Focus: TypeAlias = tuple[object, ...]
"""What decides which names are in scope in waves of one machine."""


class Mistakes:
    """The answers about mistakes in the expressions of one command, found once for all waves and
    lanes that have them.

    Law: an unknown name is one wherever the same names are in scope, whatever a wave or a lane
    contains; another mistake belongs to the lanes that were asked together and have it.
    """

    def __init__(self) -> None:
        self._answers: dict[tuple[str, Focus, UsageError | None], Answer] = {}

    @staticmethod
    def focus(session: Session, pc: int | None, *, is_absent: bool) -> Focus:
        """Return the focus in a lane at a program location; one that is absent has none. It is the
        same in one scope of a file, in all its loads."""
        frame = session.architecture, session.level, session.inline_level, is_absent
        location = session.pc
        if location is None:
            return *frame, pc
        here = code_object_at(session.code_objects, location)
        if here is None:
            return *frame, location, pc
        pcs = [location] if pc is None else [location, pc]
        focus = (*frame, here.file, here.info.object, pc is None)
        try:
            return *focus, *map(here.scopes.names_depend_on, pcs)
        except DwarfGpuError:  # the answer has it
            return *focus, *map(here.info.in_file, pcs)

    @classmethod
    def focus_of(cls, session: Session, subject: Subject) -> Focus | None:
        """Return the focus of a session; None for a variable, and where the location of the lane is
        not known."""
        if not isinstance(subject, Expression):
            return None
        try:
            is_absent = session.is_absent
            pc = None if is_absent else session.program_location
            return cls.focus(session, pc, is_absent=is_absent)
        except DwarfGpuError:
            return None

    def get(
        self, subject: Subject, focus: Focus | None, mistake: UsageError | None = None
    ) -> Answer | None:
        """Return the answer about a name that is unknown in a focus, or about a mistake there that
        lanes have together; None if it is not known yet."""
        if not self._answers or focus is None or not isinstance(subject, Expression):
            return None
        return self._answers.get((subject.name, focus, mistake))

    def unknown_name(self, session: Session, text: str) -> Expression | None:
        """Return what a text means that is known to be an unknown name in a focus; else None."""
        asked = Expression(text)
        is_known = self._answers and self.get(asked, self.focus_of(session, asked)) is not None
        return asked if is_known else None

    def kept(
        self,
        subject: Subject,
        focus: Focus | None,
        answer: Answer,
        mistake: UsageError | None = None,
    ) -> Answer:
        """Keep an answer for other waves and lanes if it is that a name is unknown, or about a
        mistake that lanes have together; return it."""
        if focus is not None and isinstance(answer.error, UsageError):
            if mistake is not None:
                self._answers[subject.name, focus, mistake] = answer
            if _is_unknown_name(subject, answer.error):
                self._answers[subject.name, focus, None] = answer
        return answer


def misspelt(session: Session, text: str, error: UsageError) -> UsageError:
    """Return an error about an expression; for an unknown name, the session's error, which may
    suggest a name."""
    message = f'{_UNKNOWN}"{text}" in current context.' if "::" in text else _UNKNOWN
    if _NAME.fullmatch(text) and error.message.startswith(message):
        try:
            session.variable(text)
        except UsageError as unknown:
            return unknown
    return error


def or_operations(session: Session, text: str, error: UsageError) -> UsageError:
    """Return an error about an expression of the command line, with a hint if the text contains
    operations, ends too early or misspells a word of the language, or an unknown name may be in
    what cannot be read."""
    if error.message == _AT_THE_END:
        return UsageError(f"{_AT_THE_END[:-3]}the end of `{shortened(text)}'.")
    unknown = _UNKNOWN_NAME.fullmatch(error.message)
    if unknown:
        meant = _command_instead(text, unknown[1]) or _type_word_instead(text, unknown[1])
        if meant:
            return UsageError(f"{error.message}{meant}")
    if _IS_UNKNOWN.fullmatch(error.message):
        error = UsageError(f"{error.message}{_why_unknown(session)}")
    first = re.split(r"[\s;,]", text, maxsplit=1)[0].removeprefix("DW_OP_")
    if first not in OPERATIONS:
        return error
    return UsageError(f"{error.message.rstrip('.')}; give operations with -e")


def _why_unknown(session: Session) -> str:
    """Return what follows the message that a name of an expression is unknown; may be empty."""
    from dwarfgpu.session.unknown_name import nothing_described, outside_code  # most are known

    if nothing := nothing_described(session.code_objects):
        return nothing
    outside = outside_code(session)
    return session.with_unsearched(f" {outside}" if outside else "")


def _command_instead(text: str, name: str) -> str:
    """Return a hint if an unknown name is that of a command of the prompt, before an argument."""
    command = _COMMAND.fullmatch(text)
    if command is None or command["name"] != name:
        return ""
    argument = text.split(maxsplit=1)[1].strip()
    if name in _FOCUS_OPTIONS and _NUMBER.fullmatch(argument):
        return f" {name} is a command of the prompt: give {_FOCUS_OPTIONS[name]} {argument}"
    if name not in _COMMANDS:
        return ""
    if name in _PRINTING and not command["format"]:
        return f" {name} is a command of the prompt: give the expression alone"
    return f" {name} is a command of the prompt: give it to debug, with -ex"


def _type_word_instead(text: str, name: str) -> str:
    """Return a suggestion if an unknown name is before another name, or alone in parentheses before
    an operand, as in a cast."""
    before = rf"(?<!\w){re.escape(name)}"
    if re.search(rf"{before}\s+[A-Za-z_]", text):
        return did_you_mean(name, _TYPE_WORDS)
    if re.search(rf"\(\s*{before}[\s*&]*\)\s*[\w$(]", text):
        return did_you_mean(name, _TYPE_NAMES)
    return ""


def named(subject: Subject, record: JsonObject) -> JsonObject:
    """Return the answer as one of several: with its name and its declaration."""
    out: JsonObject = {"name": subject.name, "type": None, "line": None, "kind": "expression"}
    if isinstance(subject, Expression):
        return out | record
    out["kind"] = subject.kind
    notes: list[Plain] = []
    try:
        out["type"] = subject.type_text
    except DwarfGpuError as error:
        notes.append(f"the type of {subject.name}: {error_line(error)}")
    try:
        out["line"] = subject.decl_line
    except DwarfGpuError as error:
        notes.append(f"the line of {subject.name}: {error_line(error)}")
    out |= record
    if notes:
        reasons = record.get("notes")
        out["notes"] = [*reasons, *notes] if isinstance(reasons, list) else notes
    return out


def line(subject: Subject, answer: Answer, *, is_listing: bool) -> str:
    """Return one line of text: in a listing also type and location."""
    if not is_listing:
        return f"{subject.name} = {answer.text}"
    where = f"  @ {answer.where}" if answer.where else ""
    typed = typed_name(subject)
    if answer.error is not None and typed.startswith(f"<error: {error_line(answer.error)}>"):
        typed = subject.name  # the value has the error of the type
    return one_line(f"{typed} = {answer.text}{where}")


def typed_name(subject: Subject) -> str:
    """Return `int t`; an expression unchanged."""
    if isinstance(subject, Expression):
        return subject.name
    try:
        kind = subject.type_text
    except DwarfGpuError as error:
        return f"<error: {error_line(error)}> {subject.name}"
    return subject.name if kind is None else f"{kind} {subject.name}"


def distinguishing(session: Session, variables: list[Variable]) -> dict[Subject, str]:
    """Return what distinguishes variables of one name: line, inlined function, hiding."""
    counts = Counter(variable.name for variable in variables)
    nearest = {variable.name: variable for variable in reversed(variables)}
    functions = session.functions()
    out: dict[Subject, str] = {}
    for variable in variables:
        if counts[variable.name] > 1:
            words = _line_words(variable)
            if variable.kind != "global" and variable.inline_level < len(functions):
                words.append(f"of {functions[variable.inline_level]}")
            if variable.is_shadowed:
                is_beside = nearest[variable.name].die.parent() == variable.die.parent()
                words.append(
                    "after another of its name" if is_beside else "hidden by an inner declaration"
                )
            if words:
                out[variable] = one_line(f"  ({', '.join(words)})")
    return out


def _line_words(variable: Variable) -> list[str]:
    try:
        return [] if variable.decl_line is None else [f"line {variable.decl_line}"]
    except DwarfGpuError as error:
        return [f"line <error: {error_line(error)}>"]
