"""The results of `dwarfgpu where` as plain data (`docs/schema/where.json`)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.records import define, field
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.coverage import Allowance, CodeScope, Coverage, Description
from dwarfgpu.dwarf.coverage.unit_groups import Group, UnitGroups
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.address_class import storage_of
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.expr.context import ConstValue, ExprLoc
from dwarfgpu.expr.dialect.upstream_clang import unplaced
from dwarfgpu.service.error_text import error_json
from dwarfgpu.service.where.coverages import may_be_unplaced
from dwarfgpu.service.where.totals import (
    SCHEMA,
    Total,
    architecture_of,
    found_while_listed,
    problem_records,
)
from dwarfgpu.view.coverage_text import MAX_CALLS, SourceLines, variable_name
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.location_sentence import description_words, operations_text

if TYPE_CHECKING:
    from fractions import Fraction


@define(eq=False)
class WhereJson:
    """The answer of `where --json` as text, and the exit status."""

    file: CodeObject
    minimum: Fraction | None
    with_lines: bool
    unknown: Mapping[str, UsageError] = field(factory=dict)
    """Names that the file does not have, known once all units were read."""
    status: int = 0
    """Once the text has ended: 1 for a problem, or for less than the minimum."""

    def text(self, units: Iterable[UnitGroups], notes: Iterable[str]) -> Iterator[str]:
        """Yield the object in pieces, variable by variable, so that a large file takes little more
        memory than a small one."""
        file, total, allowance = self.file, Total(), Allowance.of(self.file.info)
        arch = architecture_of(file, total)
        functions: list[str] = []
        whole = Total()
        """Of the function that was read last."""
        source: SourceLines | None = None
        head = json.dumps({"schema": SCHEMA, "file": file.file.path, "notes": [*notes]})
        yield f'{head[:-1]}, "variables": ['
        separator = ""
        for unit in units:
            total.problems += unit.problems
            if unit.unit is None:
                continue
            if self.with_lines and (source is None or source.unit is not unit.unit):
                source = SourceLines(unit.unit)
            known_problem = None if source is None else source.problem
            for group in unit.groups:
                is_function = group.code_scope is not None and not group.is_continued
                own = Total(functions=int(is_function))
                for coverage in group.coverages(allowance):
                    own.add(coverage)
                    record = variable_json(coverage, arch, source)
                    yield separator + json.dumps(record, allow_nan=False)
                    separator = ", "
                total.join(own)
                if group.code_scope is not None:
                    if group.is_continued:
                        own.join(whole)
                        functions.pop()
                    whole = own
                    record = _function(group, group.code_scope, whole)
                    functions.append(json.dumps(record, allow_nan=False))
            if source is not None and source.problem is not None and known_problem is None:
                total.problems.append(source.problem)
        total.problems += self.unknown.values()
        total.problems += found_while_listed(self.file, total.problems)
        is_low = total.is_below(self.minimum)
        self.status = 1 if total.problems or is_low else 0
        tail: JsonObject = {
            "total": total.record(),
            "minimum": None if self.minimum is None else float(self.minimum),
            "is_below_minimum": is_low,
            "problems": problem_records(total.problems),
        }
        yield '], "functions": ['
        for number, text in enumerate(functions):
            yield f", {text}" if number else text
        yield f"], {json.dumps(tail, allow_nan=False)[1:]}\n"


def _function(group: Group, code_scope: CodeScope, total: Total) -> JsonObject:
    out: JsonObject = {
        "name": code_scope.qualified_name,
        "unit": group.unit_name,
        "ranges": _spans(code_scope.ranges),
    }
    for name in ("variables", "scope_bytes", "described_bytes", "complete_bytes"):
        out[name] = total.record()[name]
    return out


def variable_json(
    coverage: Coverage, arch: Architecture | None, source: SourceLines | None
) -> JsonObject:
    """Return all data of one variable."""
    variable, code_scope = coverage.variable, coverage.code_scope
    functions = () if code_scope is None else code_scope.functions
    problems: list[DwarfGpuError] = [] if coverage.problem is None else [coverage.problem]
    typed, line, storage = None, None, None
    try:
        typed = variable.type_text
        line = variable.decl_line
        storage = storage_of(variable.die)
    except DwarfGpuError as error:
        problems.append(error)
    entries: list[JsonObject] = []
    for description in coverage.descriptions:
        entries.append(_entry(description, variable, arch, source))
        try:
            entries[-1] |= _machine(coverage, description)
        except DwarfGpuError as error:
            problems.append(error)
    return {
        "name": variable.name,
        "qualified_name": variable_name(variable),
        "kind": variable.kind,
        "type": typed,
        "line": line,
        **({} if storage is None else {"storage": storage}),
        **({"note": unplaced(variable.name)} if may_be_unplaced(coverage) else {}),
        "function": functions[0].qualified_name if functions else None,
        "inlined": [
            {"function": function.qualified_name, "call_line": function.call_line}
            for function in functions[1:][-MAX_CALLS:]
        ],
        **({"inlined_omitted": omitted} if (omitted := len(functions) - 1 - MAX_CALLS) > 0 else {}),
        "scope": _spans(coverage.scope),
        "scope_bytes": coverage.scope_bytes,
        "described_bytes": coverage.described_bytes,
        "complete_bytes": coverage.complete_bytes,
        "is_described": coverage.is_described,
        "entries": [*entries],
        "holes": [_span(hole, source) for hole in coverage.holes],
        "outside": _spans(coverage.outside),
        "error": None if not problems else error_json(problems[0])["error"],
    }


def _entry(
    description: Description,
    variable: Variable,
    arch: Architecture | None,
    source: SourceLines | None,
) -> JsonObject:
    bounds, extent, origin = description.bounds, description.extent, description.source
    undefined: list[Plain] = [
        {"bit_offset": first, "bit_size": count} for first, count in extent.undefined
    ]
    out: JsonObject = {"begin": None, "end": None}
    return (out if bounds is None else _span(bounds, source)) | {
        "completeness": extent.completeness,
        "undefined_bits": undefined,
        "reason": extent.reason,
        "bytes": origin.expression.hex() if isinstance(origin, ExprLoc) else None,
        "operations": operations_text(origin, arch) if isinstance(origin, ExprLoc) else None,
        "constant": origin.data.hex() if isinstance(origin, ConstValue) else None,
        "text": description_words(description, arch, variable),
    }


def _machine(coverage: Coverage, description: Description) -> JsonObject:
    """Return, for a cubin, which machine registers hold a register of PTX."""
    unit = coverage.variable.unit
    if unit.sections.program.loaded.machine != "CUDA":
        return {}
    from dwarfgpu.view.machine_registers import machine_registers  # few files are cubins

    spans = coverage.scope if description.bounds is None else (description.bounds,)
    return {
        "machine_registers": [
            {"begin": allocated.begin, "end": allocated.end, "places": [*allocated.register_texts]}
            for span in spans
            for allocated in machine_registers(description, span, unit)
        ]
    }


def _span(span: Range, source: SourceLines | None) -> JsonObject:
    out: JsonObject = {"begin": span.begin, "end": span.end}
    if source is None:
        return out
    lines: list[Plain] = [{"file": file, "lines": [*numbers]} for file, numbers in source.of(span)]
    return out | {"lines": lines}


def _spans(spans: Iterable[Range]) -> list[Plain]:
    return [{"begin": begin, "end": end} for begin, end in spans]
