"""The text of `dwarfgpu where`: variables with their ranges of code, or one variable per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final, get_args

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.records import define, field
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.coverage import Allowance, CodeScope, Coverage
from dwarfgpu.dwarf.coverage.unit_groups import Group, UnitGroups
from dwarfgpu.dwarf.scope.variable import Variable, VariableKind
from dwarfgpu.errors import counted, shortened
from dwarfgpu.expr.dialect.upstream_clang import unplaced
from dwarfgpu.service.error_text import error_line, one_line
from dwarfgpu.service.where.coverages import amount, heading, may_be_unplaced
from dwarfgpu.service.where.totals import Total, architecture_of, found_while_listed, problem_lines
from dwarfgpu.view.coverage_text import (
    Cells,
    Line,
    SourceLines,
    bar,
    bar_width,
    cells_for,
    coverage_lines,
    function_text,
    percent,
    rows,
    share,
    spans_text,
    undescribed,
    variable_name,
)

if TYPE_CHECKING:
    from fractions import Fraction

    from dwarfgpu.service.code.disassembly import Disassembly

_NAME_COLUMNS: Final = 24
"""Of a name in the list of all variables."""
_MAX_LINES: Final = 50_000
"""Maximum number of variables below one heading."""
_MAX_NOTED: Final = 4
"""Maximum number of variables that a note names."""
_KINDS: Final = {kind: f"{kind:<9}" for kind in get_args(VariableKind)}


def _head(name: str, variable: Variable) -> str:
    """Return the name and the kind of a variable in the list of all variables, printable."""
    if len(name) > _NAME_COLUMNS:
        name = shortened(name)
    return one_line(f"  {name.ljust(_NAME_COLUMNS)} {_KINDS[variable.kind]} ")


@define(eq=False)
class CoverageListing:
    """The lines about variables, made one by one, and what they add up to."""

    file: CodeObject
    encoding: str | None
    """Of what shows the lines."""
    columns: int
    cells: Cells = field(init=False)
    total: Total = field(factory=Total)
    arch: Architecture | None = field(init=False)
    is_first: bool = True
    code: Disassembly | None = None
    """Shows the instructions of scopes in place of their addresses."""
    allowance: Allowance = field(init=False)
    _heads: dict[VariableKind, dict[str, str]] = field(factory=dict, init=False)
    """What is before the share of a variable of a function, by its name: that of one unit."""

    @cells.default
    def _cells(self) -> Cells:
        return cells_for(self.encoding)

    @allowance.default
    def _allowance(self) -> Allowance:
        return Allowance.of(self.file.info)

    @arch.default
    def _arch(self) -> Architecture | None:
        return architecture_of(self.file, self.total)

    def variables(self, units: Iterable[UnitGroups]) -> Iterator[str]:
        """Yield every range of each variable."""
        source: SourceLines | None = None
        for unit in units:
            self.total.problems += unit.problems
            if unit.unit is None:
                continue
            if source is None or source.unit is not unit.unit:  # not another part of it
                source = SourceLines(unit.unit)
            known_problem = source.problem
            for group in unit.groups:
                self.total.functions += group.code_scope is not None and not group.is_continued
                for coverage in group.coverages(self.allowance):
                    self.total.add(coverage)
                    yield from self._variable(coverage, source)
            if source.problem is not None and known_problem is None:
                self.total.problems.append(source.problem)

    def _variable(self, coverage: Coverage, source: SourceLines) -> Iterator[str]:
        if not self.is_first:
            yield ""
        self.is_first = False
        yield one_line(heading(coverage))
        if coverage.problem is not None:
            yield one_line(f"  {error_line(coverage.problem)}")
            return
        if coverage.scope:
            yield one_line(
                f"  scope: {coverage.scope_bytes} bytes of code {spans_text(coverage.scope)}"
            )
        elif coverage.code_scope is not None:
            yield one_line("  scope: the compiler removed all of its code")
        lines = list(coverage_lines(coverage, self.arch, source))
        widths = [max((len(text) for text in column), default=0) for column in (
            [line.where for line in lines], [line.lines for line in lines],
        )]  # fmt: skip
        if self.code is not None and coverage.scope:
            yield from self._instructions(coverage, lines, self.code)
            return
        for line in lines:
            columns = [line.where.ljust(widths[0])]
            columns += [line.lines.ljust(widths[1])] if widths[1] else []
            yield one_line(f"  {'  '.join(columns)}  {line.description}")
            for text in line.registers:
                yield one_line(f"    {text}")
        if not coverage.descriptions and not coverage.scope:
            yield one_line(f"  {undescribed(coverage.variable, (self.file,))}")
        if may_be_unplaced(coverage):
            yield one_line(f"  note: {unplaced(coverage.variable.name)}")
        if coverage.code_scope is not None:
            drawn = bar(coverage, bar_width(self.columns), self.cells)
            yield one_line(f"  {drawn} {amount(coverage)}")

    def _instructions(
        self, coverage: Coverage, lines: list[Line], code: Disassembly
    ) -> Iterator[str]:
        from dwarfgpu.service.where.code_beside import braces_for, code_beside, described_ranges

        braces = braces_for(self.encoding)
        for text in code_beside(code, coverage, described_ranges(rows(coverage), lines), braces):
            yield one_line(text)
        yield one_line(f"  {bar(coverage, bar_width(self.columns), self.cells)} {amount(coverage)}")

    def groups(self, units: Iterable[UnitGroups]) -> Iterator[str]:
        """Yield the lines of each group, one for each variable."""
        for unit in units:
            self.total.problems += unit.problems
            self._heads = {kind: {} for kind in _KINDS}
            for group in unit.groups:
                yield from self._group(group, group.declared[:_MAX_LINES], group.is_continued)
                for first in range(_MAX_LINES, len(group.declared), _MAX_LINES):
                    part = group.declared[first : first + _MAX_LINES]
                    yield from self._group(group, part, is_continued=True)

    def _group(
        self, group: Group, part: list[tuple[Variable, CodeScope | None]], is_continued: bool
    ) -> Iterator[str]:
        """Yield a heading with the totals of some variables of a group, and a line for each."""
        total, lines, in_lds = Total(), list[str](), dict[str, None]()
        width = max(self.columns - 56, 10)
        # Most variables are described nowhere or everywhere.
        nothing = f"{percent(0, 1):>6} {self.cells.empty * width}"
        everything = f"{percent(1, 1):>6} {self.cells.full * width}"
        inlined: dict[CodeScope | None, str] = {None: ""}
        """The functions inlined around the variables of a scope."""
        allowance, last = self.allowance, None
        around, undescribed = "", nothing
        for variable, scope in part:
            if scope is not last:
                last = scope
                cached = inlined.get(scope)
                if cached is None and scope is not None:
                    is_inlined = len(scope.functions) > 1
                    text = f"  {one_line(function_text(scope))}" if is_inlined else ""
                    cached = inlined[scope] = text
                around = cached or ""
                undescribed = f"{nothing}{around}"
            if scope is not None:
                heads = self._heads[variable.kind]
                head = heads.get(variable.name)
                if head is None:
                    head = heads[variable.name] = _head(variable.name, variable)
            else:
                head = _head(variable_name(variable), variable)
            if allowance.is_undescribed(variable, scope):
                if scope is not None and scope.ranges:  # most variables of optimized code
                    total.add_undescribed(scope)
                    lines.append(head + undescribed)
                    continue
                coverage = Coverage(variable, scope)
            else:
                coverage = allowance.read_coverage(variable, scope)
            total.add(coverage)
            problem = coverage.problem
            if scope is None or problem is not None or not scope.ranges:
                measured = f"{share(coverage):>6} {bar(coverage, width, self.cells)}"
            elif not coverage.described:
                measured = nothing
            elif coverage.complete == scope.ranges:
                measured = everything
            else:
                measured = f"{share(coverage):>6} {bar(coverage, width, self.cells)}"
            text = f"{head}{measured}{around}"
            if problem is not None:
                text += f"  {error_line(problem)}"
            elif may_be_unplaced(coverage):
                in_lds[variable.name] = None
            lines.append(text)
        continued = ", continued" if is_continued else ""
        if group.code_scope is None:
            unit_name = group.unit_name or "a unit without a name"
            yield one_line(f"globals of {unit_name}{continued}: {total.text()}")
        else:
            total.functions = int(not is_continued)
            code = f"{group.code_scope.size_bytes} bytes {spans_text(group.code_scope.ranges, 4)}"
            name = f"{group.code_scope.qualified_name}{continued}"
            yield one_line(f"{name}: {code}: {total.text()}")
        if lines:
            yield "\n".join(lines)
        if in_lds:
            names = [*islice(in_lds, _MAX_NOTED), *(["…"] if len(in_lds) > _MAX_NOTED else [])]
            yield one_line(f"  note: {unplaced(', '.join(names))}")
        self.total.join(total)

    def totals(self, minimum: Fraction | None) -> Iterator[str]:
        """Yield the last lines; `minimum`: percent that has to be described."""
        self.total.problems += found_while_listed(self.file, self.total.problems)
        if self.total.variables > 1 or minimum is not None:
            if self.total.variables:
                yield ""
            functions = counted(self.total.functions, "function")
            yield one_line(f"total: {functions}, {self.total.text()}")
        elif not self.total.variables + self.total.global_variables + len(self.total.problems):
            yield one_line(f"{self.file.name} describes no variables")
        yield from problem_lines(self.total.problems)

    def why_too_low(self, minimum: Fraction | None) -> str | None:
        """Return why less than a minimum is described; None if the minimum is reached."""
        if minimum is None or not self.total.is_below(minimum):
            return None
        reached = percent(self.total.described_bytes, self.total.scope_bytes)
        return f"{reached} described, less than {float(minimum):g}%"
