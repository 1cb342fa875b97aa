"""Find the code that a name, a line or addresses denote, function by function."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import UsageError
from dwarfgpu.service.code.disassembly import (
    CodeRange,
    Disassembly,
)


@frozen
class CodeToShow:
    """Code to be shown."""

    item: CodeRange
    begin: int
    end: int


def code_between(disassembly: Disassembly, begin: int, end: int) -> Iterator[CodeToShow]:
    """Yield the parts of a span, function by function."""
    if end < begin:
        raise UsageError(f"{begin:#x},{end:#x}: the range ends before it begins")
    if end == begin:
        raise UsageError(f"{begin:#x},{end:#x}: the range is empty: END is the address after it")
    if disassembly.range_at(begin) is None:
        raise UsageError(f"{begin:#x},{end:#x}: the file has no code there")
    for item in disassembly.ranges_between(begin, end):
        yield CodeToShow(item, max(begin, item.begin), min(end, item.end))


def line_spans(disassembly: Disassembly, name: str, line: int) -> list[tuple[int, int]]:
    """Return the addresses of a line of a source file, span by span.

    A line whose statements begin only where the code of another line begins, too, has the code
    there.
    """
    spans = {(span.begin, span.end) for span in disassembly.lines.spans_of(name, line)}
    if not spans:
        for pc in disassembly.lines.pcs_of(name, line):
            position = disassembly.lines.line_of(pc)
            if position is not None:
                spans.add((position.span.begin, position.span.end))
    return sorted(spans)
