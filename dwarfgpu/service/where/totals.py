"""What the variables of `dwarfgpu where` add up to, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.printable import one_line
from dwarfgpu.base.records import define, field
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.coverage.coverage import CodeScope, Coverage
from dwarfgpu.errors import DwarfGpuError, counted
from dwarfgpu.service.error_text import error_json, error_line
from dwarfgpu.view.coverage_text import percent
from dwarfgpu.view.json_object import JsonObject, Plain

if TYPE_CHECKING:
    from fractions import Fraction

SCHEMA: Final = "dwarfgpu-where-1"
"""Of the JSON of all that `where` prints."""


@define
class Total:
    """The sum of variables."""

    functions: int = 0
    variables: int = 0
    """Variables of functions."""
    global_variables: int = 0
    described_globals: int = 0
    scope_bytes: int = 0
    described_bytes: int = 0
    complete_bytes: int = 0
    problems: list[DwarfGpuError] = field(factory=list)

    def add(self, coverage: Coverage) -> None:
        """Count one more variable."""
        if coverage.problem is not None:
            self.problems.append(coverage.problem)
        code_scope = coverage.code_scope
        if code_scope is None:
            self.global_variables += 1
            self.described_globals += coverage.is_described
            return
        self.variables += 1
        self.scope_bytes += code_scope.size_bytes
        if coverage.described:
            described = coverage.described_bytes
            self.described_bytes += described
            is_complete = coverage.complete is coverage.described
            self.complete_bytes += described if is_complete else coverage.complete_bytes

    def add_undescribed(self, code_scope: CodeScope) -> None:
        """Count one more variable of a function, which nothing describes."""
        self.variables += 1
        self.scope_bytes += code_scope.size_bytes

    def join(self, total: Total) -> None:
        """Add another total."""
        self.functions += total.functions
        self.variables += total.variables
        self.global_variables += total.global_variables
        self.described_globals += total.described_globals
        self.scope_bytes += total.scope_bytes
        self.described_bytes += total.described_bytes
        self.complete_bytes += total.complete_bytes
        self.problems += total.problems

    def is_below(self, minimum: Fraction | None) -> bool:
        """Return whether the described percentage is below the minimum; False for an empty
        total."""
        if minimum is None:
            return False
        return 100 * self.described_bytes < minimum * self.scope_bytes

    def text(self) -> str:
        """Return `9 variables, 27.3% of their code described, 1 of 1 globals`."""
        words: list[str] = []
        if self.variables or not self.global_variables:
            described = percent(self.described_bytes, self.scope_bytes)
            words = [f"{counted(self.variables, 'variable')}, {described} described"]
        if self.global_variables:
            globals_ = counted(self.global_variables, "global variable")
            words.append(f"{self.described_globals} of {globals_} described")
        return ", ".join(words)

    def record(self) -> JsonObject:
        return {
            "functions": self.functions,
            "variables": self.variables,
            "global_variables": self.global_variables,
            "described_global_variables": self.described_globals,
            "scope_bytes": self.scope_bytes,
            "described_bytes": self.described_bytes,
            "complete_bytes": self.complete_bytes,
        }


def architecture_of(file: CodeObject, total: Total) -> Architecture | None:
    """Return the architecture for register names; an unreadable one adds a problem."""
    try:
        return file.info.architecture
    except DwarfGpuError as error:
        total.problems.append(error)
        return None


def found_while_listed(
    file: CodeObject, problems: Sequence[DwarfGpuError]
) -> Iterator[DwarfGpuError]:
    """Yield what was found while the variables of a file were listed, except the problems of those:
    damage of the file, a unit that cannot be used, as one with types, an unknown type, and the
    limit on names."""
    known = {str(problem) for problem in problems}
    for error in (*file.info.file_damage, file.info.unread, file.info.unknown_type):
        if error is not None and str(error) not in known:
            known.add(str(error))
            yield error
    if file.info.bare_names is not None:
        yield file.info.bare_names


def problem_lines(problems: Iterable[DwarfGpuError], prefix: str = "problem: ") -> Iterator[str]:
    """Yield a line for each message, with the number of problems that have it."""
    for error, count in _distinct(problems):
        more = f" ({count} times; this is the first)" if count > 1 else ""
        yield one_line(f"{prefix}{error_line(error)}{more}")


def problem_records(problems: Iterable[DwarfGpuError]) -> list[Plain]:
    """Return a record for each message, with the number of problems that have it."""
    records: list[Plain] = []
    for error, count in _distinct(problems):
        record = error_json(error)["error"]
        assert isinstance(record, dict)
        records.append({**record, "count": count} if count > 1 else record)
    return records


def _distinct(problems: Iterable[DwarfGpuError]) -> list[tuple[DwarfGpuError, int]]:
    """Return the first problem of each message, and how many have it: a damaged section of strings
    is the problem of thousands of entries."""
    firsts: dict[tuple[str, str], tuple[DwarfGpuError, int]] = {}
    for error in problems:
        key = error.kind, error.message
        first, count = firsts.get(key, (error, 0))
        firsts[key] = first, count + 1
    return list(firsts.values())
