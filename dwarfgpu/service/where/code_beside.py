"""Show a variable's location ranges beside the code of its scope: `dwarfgpu where NAME --asm`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Final, TypeAlias

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.coverage.coverage import Coverage
from dwarfgpu.service.code.disassembly import CodeLine, Disassembly
from dwarfgpu.view.coverage_text import Line, Row

_CODE: Final = 52
"""Columns of an instruction."""


@frozen
class Braces:
    """The characters that join the instructions of one location range."""

    alone: str
    first: str
    inner: str
    last: str
    none: str
    """The words beside code without a description."""


LINES: Final = Braces("╶", "╭", "│", "╰", " ")
ASCII: Final = Braces("-", "/", "|", "\\", " ")


def braces_for(encoding: str | None) -> Braces:
    """Return braces if the stream can encode them."""
    try:
        "╶╭│╰".encode(encoding or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return ASCII
    return LINES


@frozen
class DescribedRange:
    """Code with one description of a variable, and its words."""

    begin: int
    end: int
    is_described: bool
    text: str


def described_ranges(rows: Sequence[Row], lines: Sequence[Line]) -> list[DescribedRange]:
    """Return the rows of a coverage in their words, those without code left out.

    `lines` are the `coverage_lines` of the rows.
    """
    return [
        DescribedRange(
            row.span.begin,
            row.span.end,
            row.description is not None and row.description.is_described,
            line.description,
        )
        for row, line in zip(rows, lines, strict=False)
        if row.span is not None
    ]


_InRange: TypeAlias = "tuple[CodeLine, DescribedRange | None]"


def code_beside(
    disassembly: Disassembly, coverage: Coverage, ranges: Sequence[DescribedRange], braces: Braces
) -> Iterator[str]:
    """Yield a line for each instruction of the scope, with the location range that it is in."""
    for span in coverage.scope:
        lines: Iterable[_InRange | None]
        lines = _in_ranges(disassembly.instructions(span.begin, span.end), ranges)
        before: object = disassembly  # no range
        for current, following in pairwise(chain(lines, [None])):
            assert current is not None
            line, code_range = current
            is_first = before is not code_range
            is_last = following is None or following[1] is not code_range
            before = code_range
            mark = _mark(braces, code_range, is_first=is_first, is_last=is_last)
            text = line.text + (f" <{line.target_name}>" if line.target_name else "")
            words = code_range.text if code_range is not None and is_first else ""
            yield f"{line.address:8x}  {text:<{_CODE}} {mark} {words}".rstrip()


def _in_ranges(lines: Iterable[CodeLine], ranges: Sequence[DescribedRange]) -> Iterator[_InRange]:
    begins = [described.begin for described in ranges]
    for line in lines:
        index = bisect_right(begins, line.address) - 1
        is_inside = index >= 0 and line.address < ranges[index].end
        yield line, ranges[index] if is_inside else None


def _mark(
    braces: Braces, code_range: DescribedRange | None, *, is_first: bool, is_last: bool
) -> str:
    if code_range is None or not code_range.is_described:
        return braces.none
    if is_first:
        return braces.alone if is_last else braces.first
    return braces.last if is_last else braces.inner
