"""Commands that tell why a value is what it is, where it lives, and where in the code it does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from attrs import evolve

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.coverage import Allowance, Coverage
from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables
from dwarfgpu.dwarf.scope.entities import Variable
from dwarfgpu.dwarf.scope.global_names import names_of
from dwarfgpu.errors import UndefinedBits, UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.output import Output, Painted, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.commands import backtrace
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.explain import SCHEMA as EXPLAIN_SCHEMA
from dwarfgpu.service.explain import explain_subject
from dwarfgpu.service.focus import require_frame
from dwarfgpu.service.locate import coloured, located, location_lines
from dwarfgpu.service.subject import Expression, subject
from dwarfgpu.service.value_history import manner_of, options_of, required
from dwarfgpu.service.where import amount, variable_suggestion
from dwarfgpu.service.where import heading as title
from dwarfgpu.service.where_json import variable_json
from dwarfgpu.session.session import Session
from dwarfgpu.view.command_options import without_options
from dwarfgpu.view.coverage import (
    Line,
    SourceLines,
    bar,
    cells_for,
    coverage_lines,
    runs_text,
    spans_text,
)
from dwarfgpu.view.inside_text import depth_option
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.location_drawing import glyphs_for, plain
from dwarfgpu.view.where_described import coverage_at

_OF_FRAMES: Final = re.compile(r"(full\b)?\s*(-?[0-9]{1,9})?")
"""What `where` takes as `backtrace`."""
_BAR: Final = 40


@command("explain", topic="data", complete=completion.values)
def explain(shell: Shell, argument: str) -> Iterator[Part]:
    """Explain a value, or why there is none.

    Usage: explain [-depth N] EXPRESSION

    Shows the description that applies at the program location, each of its operations with the
    stack before and after it, and what to make of the result for the lane in focus; of an
    expression those of each variable that it depends on. Of a variable that is not, or not all,
    known also where in the code it is described, and which lanes are there.
    What an operation used is a line: the frame base, the canonical frame address, a register of an
    outer frame, a value on entry, a called expression, the target of a removed pointer. With
    -depth 1 it is shown as well, with -depth 2 also what that used; -depth all shows everything.
    Of $pc the instruction is shown, with the registers and the memory that it reads and writes.
    """
    session = shell.session
    depth, rest = depth_option(argument)
    text = required(without_options(rest, "explain"))
    shell.console.has_hinted = True
    explanation = explain_subject(session, text, manner_of(shell.values))
    yield Output("", {"explanation": {"schema": EXPLAIN_SCHEMA, **explanation.record}})
    yield from map(heading, explanation.text(depth, "-depth").split("\n"))
    if explanation.answer.status and not explanation.variables:
        item = subject(session, text)
        coverage = coverage_at(session, item) if isinstance(item, Variable) else None
        if coverage is not None and coverage.scope:
            yield heading(f"where {item.name} is described:")
            yield from _stretches(shell, coverage)
    for note in explanation.answer.notes:
        shell.console.note(note, once=True)


@command("location", topic="data", aliases=("lo", "loc"), complete=completion.values)
def location(shell: Shell, argument: str) -> Iterator[Part]:
    """Draw where a variable or a part of it is.

    Usage: location EXPRESSION

    In registers, memories, or pieces of both, for the lane in focus: a strip of the object's bytes
    or bits, then each piece with the storage that holds it. What is nowhere is hatched.
    """
    session = shell.session
    options = options_of(session, shell.values, writes=False)
    text = required(argument)
    try:
        location = located(session, text, options)
    except UndefinedBits as error:
        raise UsageError(error.message) from None
    for note in location.notes:
        shell.console.note(note, once=True)
    yield Output(location.sentence, {"drawing": {"name": text, **location.record(session)}})
    for line in location_lines(
        location, glyphs_for(shell.console.streams.out.encoding), shell.console.columns
    ):
        drawn = Painted(coloured(line)) if shell.console.has_colours else one_line(plain(line))
        yield heading(drawn)


@command("where", topic="data", complete=completion.variables)
def where(shell: Shell, argument: str) -> Iterator[Part]:
    """Show where a variable is described, or the call frames.

    Usage: where [VARIABLE | full] [COUNT | -COUNT]

    Of a variable, each stretch of the code of its scope with its source lines and where the
    variable is there; => marks that of the lane in focus, and which lanes are in each is told.
    Without a variable as "backtrace".
    """
    if _OF_FRAMES.fullmatch(argument):
        yield from backtrace.run(shell, argument)
        return
    session = shell.session
    try:
        item = subject(session, argument)
    except UsageError:
        item = Expression(argument)
    if not isinstance(item, Variable):
        for coverage in _of_the_file(session, argument):
            yield from _coverage(shell, coverage)
        return
    if item.kind != "global":
        require_frame(session)
    described = coverage_at(session, item)
    if described is None:
        raise UsageError(f"{argument} is declared where no code is described.")
    yield from _coverage(shell, described)


def _of_the_file(session: Session, name: str) -> list[Coverage]:
    """What the code object describes of a name as the command line takes it: `nest::t`, also of a
    template without its arguments. `UsageError` where it is none."""
    file = session.code_object
    if file is None:
        raise UsageError(f'No symbol "{name}" in current context.')
    query, allowance = Wanted((name,)), Allowance.of(file.info)
    coverages: list[Coverage] = []
    for is_generic in (False, True):
        if not coverages:
            units = find_variables(file.scopes, evolve(query, is_generic=is_generic))
            groups = (group for unit in units for group in unit.groups)
            coverages = [coverage for group in groups for coverage in group.coverages(allowance)]
    if not coverages:
        suggestion = variable_suggestion(file, query)
        raise UsageError(f'No symbol "{name}" in current context.{suggestion}')
    return coverages


def _coverage(shell: Shell, coverage: Coverage) -> Iterator[Part]:
    """Where one variable is described."""
    arch = shell.session.architecture
    record = variable_json(coverage, arch, SourceLines(coverage.variable.unit))
    yield Output(one_line(title(coverage)), {"variable": record})
    if coverage.problem is not None:
        raise coverage.problem
    if coverage.scope:
        text = f"scope: {coverage.scope_bytes} bytes of code {spans_text(coverage.scope)}"
        yield heading(text)
    yield from _stretches(shell, coverage)
    if coverage.place is not None:
        cells = cells_for(shell.console.streams.out.encoding)
        yield heading(f"   {bar(coverage, _BAR, cells)} {amount(coverage)}")


def _stretches(shell: Shell, coverage: Coverage) -> Iterator[Part]:
    """A line for each stretch of the scope; `=>` where the lane in focus is."""
    session = shell.session
    source, whole = (SourceLines(coverage.variable.unit) for _ in range(2))
    lines = list(coverage_lines(coverage, session.architecture, source, with_operations=False))
    lanes = _lanes_at(session)
    here = None if session.is_absent else session.program_location
    first = max((len(line.where) for line in lines), default=0)
    second = max((len(line.lines) for line in lines), default=0)
    third = max((len(line.said) for line in lines), default=0)
    for line in lines:
        there = {pc: pc_lanes for pc, pc_lanes in lanes.items() if _covers(line, pc)}
        is_here = here is not None and _covers(line, here)
        numbers = sorted(lane for pc_lanes in there.values() for lane in pc_lanes)
        who = _lanes_text(numbers)
        data = _record(line, is_here)
        if shell.console.is_json:
            spans = [] if line.span is None else whole.of(line.span)
            data["source"] = [{"file": file, "lines": [*numbers]} for file, numbers in spans]
            data["lanes"] = [*numbers]
        text = f"{line.where:<{first}}  {line.lines:<{second}}  {line.said:<{third}}  {who}"
        mark = "=>" if is_here else "  "
        yield Output(f"{mark} {one_line(text)}".rstrip(), data, "ranges")


def _record(line: Line, is_here: bool) -> JsonObject:
    span = line.span
    begin, end = (None, None) if span is None else (f"{span.begin:#x}", f"{span.end:#x}")
    return {
        "begin": begin,
        "end": end,
        "lines": line.lines,
        "described": line.said,
        "current": is_here,
    }


def _covers(line: Line, pc: int) -> bool:
    return line.span is not None and line.span.covers(pc)


def _lanes_at(session: Session) -> dict[int, list[int]]:
    """The lanes of the frame by where they are; none where the architecture has none."""
    out: dict[int, list[int]] = {}
    if not session.architecture.is_simt:
        return out
    for state in session.lane_states(range(session.lane_count()[0])):
        if state.location is not None and state.location.pc is not None:
            out.setdefault(state.location.pc, []).append(state.lane)
    return out


def _lanes_text(lanes: list[int]) -> str:
    """`lanes 0-8 are here`."""
    if not lanes:
        return ""
    text = runs_text(lanes)
    return f"lane {text} is here" if len(lanes) == 1 else f"lanes {text} are here"


@command("check", topic="data", complete=completion.variables)
def check(shell: Shell, argument: str) -> Iterator[Part]:
    """Find mistakes in the debugging information.

    Usage: check [-all] [-notes] [NAME]

    Of the file with the code of the frame in focus; of variables and functions called NAME alone.
    Nothing is evaluated: every path through every expression is looked at. -all shows every
    finding of a rule, -notes also what is only noted.
    """
    code_object = shell.session.code_object
    if code_object is None:
        raise UsageError("No code object is loaded where the frame is.")
    words = argument.split()
    flags = {word for word in words if word.startswith("-")}
    names = [word for word in words if not word.startswith("-")]
    unknown = sorted(flags - {"-all", "-notes"})
    if unknown or len(names) > 1:
        raise UsageError(f"Unrecognized argument at: {(unknown or names[1:])[0]}")
    if names:
        _require_named(code_object, names[0])
    # Only here: they are much to load, and few conversations check.
    from dwarfgpu.check.file import verify
    from dwarfgpu.service.check_baseline import SCHEMA
    from dwarfgpu.service.check_report import report_json, report_lines

    verdict = verify(code_object)
    findings = verdict.findings.kept
    is_new = [
        not names or names[0] in (finding.place.name, finding.place.function)
        for finding in findings
    ]
    lines = report_lines(
        verdict, is_new, has_baseline=False, notes="-notes" in flags, everything="-all" in flags
    )
    yield Output("", {"report": {"schema": SCHEMA, **report_json(verdict, is_new)}})
    for line in lines:
        yield heading(one_line(line))


def _require_named(code_object: CodeObject, name: str) -> None:
    """`UsageError` where neither a variable nor a function is so called."""
    units = find_variables(code_object.scopes, Wanted((name,), None, None))
    if not any(unit.groups for unit in units) and name not in (
        declared.rpartition("::")[2]
        for declared, kind in names_of(code_object)
        if kind == "function"
    ):
        raise UsageError(f'No symbol "{name}" in current context.')
