"""Compare how two builds describe variables: `dwarfgpu where --against OLD`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.compare_builds import (
    Build,
    Change,
    ChangeKind,
    Measure,
    are_unlike,
    build_of,
    changes_between,
)
from dwarfgpu.dwarf.coverage.coverage import Allowance
from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables
from dwarfgpu.dwarf.coverage.unit_groups import UnitGroups
from dwarfgpu.errors import DwarfGpuError, UsageError, counted
from dwarfgpu.service.where.totals import SCHEMA, problem_lines, problem_records
from dwarfgpu.view.coverage_text import percent
from dwarfgpu.view.json_object import JsonObject, Plain, StreamedObject

_MAX_LISTED: Final = 50
"""Changes of one kind that the text lists; the JSON has all."""
_TITLES: Final[dict[ChangeKind, str]] = {
    "worse": "worse",
    "lost": "lost (no longer declared, although the function still exists)",
    "unreadable": "cannot be read any more",
    "better": "better",
    "appeared": "only in the new file",
    "vanished": "only in the old file",
}


@frozen
class WhereChange:
    """What an old and a new build describe, and what differs."""

    old: CodeObject
    new: CodeObject
    before: Build
    after: Build
    changes: list[Change]
    unknown: Mapping[str, UsageError]
    """Names that neither build has, while it has others."""

    @property
    def status(self) -> int:
        """1 where something got worse, could not be read or is unknown."""
        is_worse = any(change.kind in ("worse", "lost", "unreadable") for change in self.changes)
        problems = [*self.before.problems, *self.after.problems, *self.unknown]
        return 1 if is_worse or problems else 0

    def lines(self) -> Iterator[str]:
        """Yield what changed, the worst first, and the totals."""
        return _lines(self.before, self.after, self.changes)

    @property
    def record(self) -> StreamedObject:
        """The object of `where --against --json`, without notes."""
        return {
            "schema": SCHEMA,
            "old": _build(self.old, self.before),
            "new": _build(self.new, self.after, self.unknown.values()),
            "changes": map(_change_json, self.changes),
            "counts": {kind: sum(c.kind == kind for c in self.changes) for kind in _TITLES},
        }


def where_change(
    old: CodeObject,
    new: CodeObject,
    old_query: Wanted,
    new_found: Iterable[UnitGroups],
    unknown: dict[str, UsageError],
) -> WhereChange:
    """Return what two builds describe differently. `unknown` has the names that the new build
    lacks, once its units were read; those that the old build has are removed from it.

    `UsageError` for all variables of two files that share nothing: nothing would be compared.
    """
    before = build_of(find_variables(old.scopes, old_query), Allowance.of(old.info))
    after = build_of(new_found, Allowance.of(new.info))
    for name in [*unknown]:
        named = find_variables(old.scopes, evolve(old_query, names=(name,), with_functions=False))
        if any(unit.groups for unit in named):
            del unknown[name]
    if not old_query.names and are_unlike(before, after):
        machines = old.file.machine, new.file.machine
        of = [f" of {machine}" if machines[0] != machines[1] else "" for machine in machines]
        raise UsageError(
            f"nothing to compare: {new.name}{of[1]} and {old.name}{of[0]} have no function and no "
            "variable in common"
        )
    return WhereChange(old, new, before, after, changes_between(before, after), unknown)


def _lines(before: Build, after: Build, changes: list[Change]) -> Iterator[str]:
    for kind, title in _TITLES.items():
        kind_changes = [change for change in changes if change.kind == kind]
        if not kind_changes:
            continue
        yield f"{title}: {len(kind_changes)}"
        names = [_name(change) for change in kind_changes[:_MAX_LISTED]]
        width = min(max(map(len, names)), 48)
        for change, name in zip(kind_changes, names, strict=False):
            yield f"  {name:<{width}}  {_measure(change.old)} -> {_measure(change.new)}"
        if len(kind_changes) > _MAX_LISTED:
            yield f"  … {len(kind_changes) - _MAX_LISTED} more; --json has all"
    if not changes:
        yield "no variable is described better or worse"
    yield f"total: {_total(before)} -> {_total(after)}"
    for build, file in ((before, "old"), (after, "new")):
        yield from problem_lines(build.problems, f"problem: {file}: ")


def _total(build: Build) -> str:
    described = percent(build.described_bytes, build.scope_bytes)
    exact = f" ({build.described_bytes}/{build.scope_bytes} bytes)" if build.scope_bytes else ""
    return f"{counted(build.variable_count, 'variable')}, {described}{exact} described"


def _name(change: Change) -> str:
    """Return `leaf > clamp: result`; of several of that name also which."""
    identity = change.identity
    where = identity.shown_functions
    number = f" #{change.ordinal + 1}" if change.ordinal else ""
    return f"{where}: {identity.name}{number}" if where else f"{identity.name}{number}"


def _measure(measure: Measure | None) -> str:
    if measure is None or not measure.has_code:
        return "absent"
    if not measure.is_readable:
        return "cannot be read"
    described, scope_bytes = measure.described_bytes, measure.scope_bytes
    text = percent(described, scope_bytes)
    if scope_bytes > 1:  # a global variable counts as one byte
        text += f" ({described}/{scope_bytes} bytes)"
    part = described - measure.complete_bytes
    return text + (f", {part} in part" if part else "")


def _build(file: CodeObject, build: Build, unknown: Iterable[DwarfGpuError] = ()) -> JsonObject:
    return {
        "file": file.file.path,
        "variables": build.variable_count,
        "scope_bytes": build.scope_bytes,
        "described_bytes": build.described_bytes,
        "problems": problem_records([*build.problems, *unknown]),
    }


def _change_json(change: Change) -> JsonObject:
    return {
        "change": change.kind,
        "functions": list(change.identity.functions),
        "kind": change.identity.kind,
        "name": change.identity.name,
        "ordinal": change.ordinal,
        "amount": float(change.amount),
        "old": _measure_json(change.old),
        "new": _measure_json(change.new),
    }


def _measure_json(measure: Measure | None) -> Plain:
    if measure is None or not measure.has_code:
        return None
    return {
        "line": measure.line,
        "scope_bytes": measure.scope_bytes,
        "described_bytes": measure.described_bytes,
        "complete_bytes": measure.complete_bytes,
        "is_readable": measure.is_readable,
    }
