"""Commands that explain a value and its location, now and in the whole code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dwarfgpu.dwarf.coverage.coverage import Allowance, Coverage
from dwarfgpu.dwarf.coverage.find_variables import Wanted
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError, UndefinedBits, UsageError
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.output import Output, Painted, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.backtrace_commands import FLAGS, backtrace, without_flags
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.explain import SCHEMA as EXPLAIN_SCHEMA
from dwarfgpu.service.explain import explain_subject
from dwarfgpu.service.frame.focus import require_frame
from dwarfgpu.service.value.interposed import interposition
from dwarfgpu.service.value.locate import coloured, located, location_lines
from dwarfgpu.service.value.subject import Expression, subject
from dwarfgpu.service.value.value_history import expression_settings_of, options_of, required
from dwarfgpu.service.where.coverage_json import variable_json
from dwarfgpu.service.where.coverages import amount, described
from dwarfgpu.service.where.coverages import heading as title
from dwarfgpu.service.where.scope_ranges import scope_ranges
from dwarfgpu.session.unknown_name import not_searched
from dwarfgpu.view.command_options import without_options
from dwarfgpu.view.coverage_text import (
    SourceLines,
    bar,
    cells_for,
    spans_text,
)
from dwarfgpu.view.location_drawing import glyphs_for, plain
from dwarfgpu.view.step_text import depth_option
from dwarfgpu.view.where_described import coverage_at

_COUNT_OR_OPTIONS: Final = re.compile(r"(-?[0-9]{1,9})?|-[a-z].*")
"""What `where` takes as `backtrace`, also behind its flags."""
_BAR: Final = 40


@command("explain", topic="data", complete=completion.VALUES)
def explain(shell: Shell, argument: str) -> Iterator[Part]:
    """Explain a value, or why there is none.

    Usage: explain [-depth N] EXPRESSION

    Shows the location description that applies at the program location, each of its operations with
    the stack before and after it, and what the result means for the lane in focus; for an
    expression, those of each variable in it. For a variable that is not completely known, also
    shows where in the code it has a location, and which lanes are there. What an operation depends
    on takes one line: the frame base, the canonical frame address, a register of an outer frame, a
    value on entry, a called expression, the target of an implicit pointer. -depth 1 explains these
    too, -depth 2 also what they depend on, -depth all everything. For $pc, shows the instruction,
    with the registers and the memory that it reads and writes.
    """
    session = shell.session
    depth, rest = depth_option(argument)
    text = required(without_options(rest, "explain"))
    shell.console.has_hinted = True
    settings = expression_settings_of(shell.values)
    explanation = explain_subject(session, text, settings, depth=depth)
    yield Output("", {"explanation": {"schema": EXPLAIN_SCHEMA, **explanation.record}})
    yield from map(heading, explanation.text(depth, "-depth").split("\n"))
    if explanation.answer.status and not explanation.variables:
        item = subject(session, text)
        coverage = coverage_at(session, item) if isinstance(item, Variable) else None
        if coverage is not None and coverage.scope:
            yield heading(f"where {item.name} is described:")
            yield from _print_ranges(shell, coverage)
    for note in explanation.answer.notes:
        shell.console.note(note, once=True)


@command("location", topic="data", aliases=("lo", "loc"), complete=completion.VALUES)
def location(shell: Shell, argument: str) -> Iterator[Part]:
    """Draw the location of a variable or a part of it.

    Usage: location EXPRESSION

    Draws, for the lane in focus, the bytes or bits of the object as a strip, and then each piece
    with its storage: a register, memory, or an implicit value. Parts without a location are
    hatched.
    """
    session = shell.session
    options = options_of(session, shell.values, writes=False)
    text = required(argument)
    try:
        location = located(session, text, shell.values.notes.setdefault, options)
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

    Usage: where [VARIABLE | [OPTION]... [full | no-filters | hide]... [COUNT | -COUNT]]

    For a variable, shows each range of the code in its scope with the source lines, the variable's
    location and the lanes in that range; => marks the range of the lane in focus. Without a
    variable, the same as "backtrace"; a single abbreviation (f, n, h) is that of a flag if no
    variable has the name.
    """
    flags, rest = without_flags(argument)
    is_of_frames = _COUNT_OR_OPTIONS.fullmatch(rest) is not None
    is_name = bool(flags) and argument.isidentifier() and argument not in FLAGS
    if is_of_frames and not is_name:
        yield from backtrace.run(shell, argument)
        return
    session = shell.session
    try:
        item = subject(session, argument)
    except UsageError:
        item = Expression(argument)
    if not isinstance(item, Variable):
        try:
            coverages = _of_the_file(shell, argument)
        except UsageError:
            if not is_of_frames:
                raise
            yield from backtrace.run(shell, argument)
            return
        for coverage in coverages:
            yield from _coverage(shell, coverage)
        return
    if item.kind != "global":
        require_frame(session)
    own = coverage_at(session, item)
    if own is None:
        raise UsageError(f"{argument} is declared where no code is described.")
    yield from _coverage(shell, own)
    for remark in item.remarks:
        shell.console.note(remark, once=True)
    bound = interposition(session, item)
    if bound is not None:
        shell.console.note(bound)


def _of_the_file(shell: Shell, name: str) -> list[Coverage]:
    """Return what the code object describes of a name as the command line takes it: `nest::t`, also
    of a template without its arguments. `UsageError` where it is none. A note says what was not
    examined."""
    file = shell.session.code_object
    if file is None:
        raise UsageError(f'No symbol "{name}" in current context.')
    allowance = Allowance.of(file.info)
    coverages: list[Coverage] = []
    problems: list[DwarfGpuError] = []
    for unit in described(file, Wanted((name,)), "in current context"):
        for group in unit.groups:
            coverages += group.coverages(allowance)
        problems += unit.problems
    # After every command a note says what is unread.
    own = [error for error in problems if str(error) != str(file.info.unread)]
    if not coverages:
        raise UsageError(f'No symbol "{name}" in current context.{not_searched(own)}')
    for note in dict.fromkeys(f"{error.kind}: {error}" for error in own):
        shell.console.note(f"not everything is listed: {note}")
    return coverages


def _coverage(shell: Shell, coverage: Coverage) -> Iterator[Part]:
    """Yield where one variable is described."""
    arch = shell.session.architecture
    record = variable_json(coverage, arch, SourceLines(coverage.variable.unit))
    yield Output(one_line(title(coverage)), {"variable": record})
    if coverage.problem is not None:
        raise coverage.problem
    if coverage.scope:
        text = f"scope: {coverage.scope_bytes} bytes of code {spans_text(coverage.scope)}"
        yield heading(text)
    yield from _print_ranges(shell, coverage)
    if coverage.code_scope is not None:
        cells = cells_for(shell.console.streams.out.encoding)
        yield heading(f"   {bar(coverage, _BAR, cells)} {amount(coverage)}")


def _print_ranges(shell: Shell, coverage: Coverage) -> Iterator[Part]:
    """Yield a line for each range of the scope; `=>` where the lane in focus is."""
    rows = list(scope_ranges(shell.session, coverage))
    first = max((len(row.line.where) for row in rows), default=0)
    second = max((len(row.line.lines) for row in rows), default=0)
    third = max((len(row.line.description) for row in rows), default=0)
    for row in rows:
        line, mark = row.line, "=>" if row.is_current else "  "
        text = (
            f"{line.where:<{first}}  {line.lines:<{second}}  {line.description:<{third}}  {row.who}"
        )
        data = row.record if shell.console.is_json else {}
        yield Output(f"{mark} {one_line(text)}".rstrip(), data, "ranges")


@command("check", topic="data", complete=completion.variables)
def check(shell: Shell, argument: str) -> Iterator[Part]:
    """Check the debugging information.

    Usage: check [-all] [-notes] [NAME]

    Checks the file with the code of the frame in focus; with NAME, only variables and functions
    with that name. Nothing is evaluated: the check covers every path through every expression. -all
    shows every finding of a rule, -notes also notes.
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
    # Only here: they are much to load, and few sessions check.
    from dwarfgpu.service.check.baseline import SCHEMA
    from dwarfgpu.service.check.checked_file import checked
    from dwarfgpu.service.check.report import report_json, report_lines

    report = checked(code_object, name=names[0] if names else None)
    assert report.verdict is not None
    yield Output("", {"report": {"schema": SCHEMA, **report_json(report.verdict, report.is_new)}})
    for line in report_lines(
        report.verdict,
        report.is_new,
        has_baseline=False,
        notes="-notes" in flags,
        everything="-all" in flags,
    ):
        yield heading(one_line(line))
