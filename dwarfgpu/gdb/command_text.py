"""What the commands inside GDB say about a variable or an expression, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Final

import gdb

from dwarfgpu import language
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.coverage.coverage import coverage_of
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError, UndefinedBits, Unsupported, UsageError
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import format_of
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.operation_notes import operation_notes
from dwarfgpu.expr.text.operands import operation_named
from dwarfgpu.gdb.gdb_session import GdbSession
from dwarfgpu.gdb.print_options import print_options
from dwarfgpu.gdb.script_objects import assembled
from dwarfgpu.service.code.disassembly_listing import dump_of, listing, modifiers
from dwarfgpu.service.code.source_text import SourceText
from dwarfgpu.service.eval.operations_answer import Operations, operations_answer
from dwarfgpu.service.explain import (
    ExplainedVariables,
    Explanation,
    explain_variable,
    on_instruction,
)
from dwarfgpu.service.lanes.lane_answer import LaneAnswer, lane_lines, lane_notes
from dwarfgpu.service.lanes.lane_choice import CHOICES, chosen_states
from dwarfgpu.service.lanes.lane_questions import expression_in_lanes
from dwarfgpu.service.value.locate import located, location_lines
from dwarfgpu.service.where.scope_ranges import scope_ranges
from dwarfgpu.session.session import Session
from dwarfgpu.view.coverage_text import (
    bar,
    bar_width,
    cells_for,
    share,
    spans_text,
    undescribed,
)
from dwarfgpu.view.explanation_text import verdict_on_error
from dwarfgpu.view.location_drawing import glyphs_for, plain
from dwarfgpu.view.values import OPTIMIZED_OUT
from dwarfgpu.view.variable_description import description
from dwarfgpu.view.where_described import coverage_at

_WORD: Final = pattern(r"[A-Za-z_]\w*")


def encoding() -> str:
    """Return the encoding of what GDB prints."""
    return str(gdb.host_charset()) if hasattr(gdb, "host_charset") else "ascii"


def columns() -> int:
    """Return the width of GDB's screen; 80 if it is unlimited."""
    width = gdb.parameter("width")
    return min(max(int(width), 40), 200) if width else 80


def explanations(session: GdbSession, text: str, depth: int = 0) -> Iterator[str]:
    """Return the lines of `dwarfgpu explain`; `depth`: how far to explain what operations used."""
    variables: dict[Variable, Session] = {}
    problem: DwarfGpuError | None = None
    shown = ""
    try:
        value = session.evaluate(
            text,
            lambda variable, frame: variables.update({variable: frame}),
            read_only="assignments are not possible in explain",
        )
        shown = session.value_text(value, print_options())
    except UsageError:
        raise
    except DwarfGpuError as error:
        problem = error
    explained = ExplainedVariables(
        session, variables, lambda frame, variable: explanation(session, variable, frame), depth
    )
    for _, inner in explained:
        yield inner.text(depth, "-depth")
    if [variable.name for variable in variables] != [text.removeprefix("::")]:
        yield from (*explained.omission, f"expression {text}")
        lines = [f"{text} = {shown}"] if problem is None else verdict_on_error(problem)
        lines = [*lines, *(on_instruction(session) if text == "$pc" else ())]
        yield from (f"{'   ' if n else '=> '}{line}" for n, line in enumerate(lines))


def explanation(
    session: GdbSession, variable: Variable, frame: Session | None = None
) -> Explanation:
    """Return the text of `dwarfgpu explain` for a variable, as GDB prints values."""
    explanation = explain_variable(
        frame or session, variable, lambda reading: session.text(reading, print_options())
    )
    notes = dict.fromkeys((*session.notes, *explanation.answer.notes))
    return evolve(explanation, heading=(*explanation.heading, *(f"note: {note}" for note in notes)))


def location_of(session: GdbSession, text: str) -> Iterator[str]:
    """Return the location of each bit of an object: a sentence, and a drawing of its pieces."""
    notes = dict.fromkeys(session.notes)
    options = session.options(read_only="assignments are not possible in location")
    location = located(session, text, notes.setdefault, options)
    yield location.sentence
    glyphs = glyphs_for(encoding())
    yield from (plain(line) for line in location_lines(location, glyphs, columns()))
    for note in notes | dict.fromkeys(location.notes):
        yield f"note: {note}"


def disassembly(session: GdbSession, argument: str) -> Iterator[str]:
    """Return the lines of `dwarfgpu disassemble`."""
    letters, rest = modifiers(argument)
    dump = dump_of(
        session, rest, session.options(read_only="assignments are not possible in disassemble")
    )
    if not session.architecture.is_simt and find_spec("capstone") is None:
        raise Unsupported(
            f"instructions of {session.architecture.name} are shown by GDB's own command: "
            f"disassemble {argument}".rstrip()
        )
    function = dump.function
    texts = SourceText(DEFAULT_FILE_LIMITS if function is None else function.code.file.limits)
    for line in listing(session, dump, letters, texts.lines):
        yield line.text
    for note in texts.notes:
        yield f"note: {note}"


def where_described(session: GdbSession, name: str) -> Iterator[str]:
    """Return where in its code the variable of a name has a location, and which, and where it has
    none."""
    variable = _variable(session, name)
    coverage = coverage_at(session, variable) or coverage_of(variable, None)
    if coverage.problem is not None:
        raise coverage.problem
    yield next(description(session, coverage.variable))
    if coverage.code_scope is not None:
        yield f"  scope: {coverage.scope_bytes} bytes of code {spans_text(coverage.scope)}"
    rows = list(scope_ranges(session, coverage, with_operations=True))
    first = max((len(row.line.where) for row in rows), default=0)
    second = max((len(row.line.lines) for row in rows), default=0)
    for row in rows:
        text = f"{row.line.where:<{first}}  {row.line.lines:<{second}}  {row.line.description}"
        yield f"{'=>' if row.is_current else '  '} {text}"
    if not rows:
        yield f"  {undescribed(coverage.variable, session.loaded_objects())}"
    if coverage.code_scope is not None:
        drawn = bar(coverage, bar_width(columns()), cells_for(encoding()))
        yield f"  {drawn} {share(coverage)} of {coverage.scope_bytes} bytes"


def _variable(session: GdbSession, name: str) -> Variable:
    """Return a variable by its name; `UsageError` says so where the text is another expression."""
    try:
        return session.variable(name)
    except UsageError:
        try:
            language.type_of(name, session)
        except DwarfGpuError:
            pass
        else:
            raise UsageError(f'"{name}" is not the name of a variable.') from None
        raise


def operations_result(session: GdbSession, text: str) -> Iterator[str]:
    """Return the result of DWARF operations in a frame; to `dwarfgpu eval n`, GDB adds the rest of
    the command."""
    try:
        data, context = assembled(session, text)
    except UsageError as error:
        is_meant = "did you mean" in error.message
        if is_meant or any(operation_named(word) for word in _WORD.findall(text)):
            raise
        raise UsageError(f'{error.message}; "dwarfgpu print" evaluates expressions') from None
    dialect = AMD if context.unit is None else context.unit.dialect
    form = format_of(context.architecture) if context.unit is None else context.unit.format
    notes = operation_notes(prepare(data, dialect, form), context, session.frame)
    operations_ = Operations(data, context, dialect, notes)
    result = operations_answer(session, lambda _: operations_)
    if result.error is not None:
        raise result.error
    yield result.text
    yield from (f"note: {note}" for note in result.notes)


def lanes(session: GdbSession, argument: str) -> Iterator[str]:
    """Return the value of an expression in each lane of the wave; neighbours with equal values
    share a line."""
    choice, text = "all", argument
    if argument.startswith("-"):
        word, _, text = argument.partition(" ")
        choice = word[1:]
    if choice not in CHOICES:
        raise UsageError(f"Unrecognized option at: {argument}")
    if not text.strip():
        raise UsageError("Argument required (expression to compute).")
    if not session.architecture.is_simt:
        raise UsageError(f"a thread of {session.architecture.name} has no lanes")
    states = chosen_states(session, choice)
    if not states:
        yield "No lanes match."
        return
    settings = session.expression_settings("assignments are not possible in lanes")
    answers = expression_in_lanes(session, states, text.strip(), settings)
    yield from lane_lines([_in_gdbs_words(lane_answer) for lane_answer in answers], session.pc)
    _, unknown = session.lane_count()
    for note in dict.fromkeys((*session.notes, *filter(None, [unknown]), *lane_notes(answers))):
        yield f"note: {note}"


def _in_gdbs_words(lane_answer: LaneAnswer) -> LaneAnswer:
    """Return an error without what options of the command line would do about it."""
    error = lane_answer.answer.error
    if error is None:
        return lane_answer
    text = OPTIMIZED_OUT if isinstance(error, UndefinedBits) else f"{error.kind}: {error}"
    return evolve(lane_answer, answer=evolve(lane_answer.answer, text=text))
