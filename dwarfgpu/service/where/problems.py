"""What `dwarfgpu where` could not read, each message once: a damaged section of strings is the
problem of thousands of entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dwarfgpu.base.printable import one_line
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.service.error_text import error_json, error_line
from dwarfgpu.view.json_object import Plain


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
    """Return the first problem of each message, and how many have it; they differ in the entry or
    operation at which they arose."""
    firsts: dict[tuple[str, str], tuple[DwarfGpuError, int]] = {}
    for error in problems:
        key = error.kind, error.message
        first, count = firsts.get(key, (error, 0))
        firsts[key] = first, count + 1
    return list(firsts.values())
