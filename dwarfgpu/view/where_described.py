"""Where in the code a variable has a value, if it has none in the focus; as lines.

Law: before, after and between are by address, from the location list and the line table alone; the
order of execution is not guessed.
"""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.coverage.coverage import Allowance, Coverage
from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError, UndefinedBits
from dwarfgpu.session.read_lanes import read_lanes
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.session import Session
from dwarfgpu.view.coverage_text import SourceLines, spans_text
from dwarfgpu.view.lane_position import lanes_by_pc
from dwarfgpu.view.number_runs import runs_text


def coverage_at(session: Session, variable: Variable) -> Coverage | None:
    """Return the coverage of a variable over its scope; None if no code of it is known."""
    code_object = session.code_object
    if code_object is None:
        return None
    pc = None if variable.kind == "global" else session.program_location
    allowance = Allowance.of(code_object.info)
    for unit in find_variables(code_object.scopes, Wanted((variable.name,), None, pc)):
        for group in unit.groups:
            for coverage in group.coverages(allowance):
                if coverage.variable.die == variable.die:
                    return coverage
    return None


def described_where(session: Session, reading: Reading) -> list[str]:
    """Return where else in its scope the variable of a reading is described, if the focus has no
    value, or an incomplete one; empty if that is unknown."""
    bits = reading.bits
    is_missing = isinstance(reading.failure, UndefinedBits)
    is_partial = reading.failure is None and bits is not None and bool(bits.undefined)
    if not (is_missing or is_partial):
        return []
    try:
        pc, coverage = session.program_location, coverage_at(session, reading.variable)
    except DwarfGpuError:
        return []  # the answer has reported why
    if pc is None or coverage is None or coverage.problem is not None or not coverage.scope:
        return []
    source = SourceLines(coverage.variable.unit)
    if any(span.covers(pc) for span in coverage.described):
        return list(_at_this_code(session, reading, coverage, source, pc))
    return list(_at_other_code(session, coverage, source, pc))


def _at_other_code(
    session: Session, coverage: Coverage, source: SourceLines, pc: int
) -> Iterator[str]:
    """Yield words about code that is not described."""
    spans = coverage.described
    if not spans:
        yield f"no code of its scope has a location for it: {_lines(coverage.scope, source)}"
        return
    before = next((span for span in reversed(spans) if span.end <= pc), None)
    after = next((span for span in spans if span.begin > pc), None)
    last = "" if before is None else _line(before.end - 1, source, pc)
    first = "" if after is None else _line(after.begin, source, pc)
    order = "in the order of the code, it is"
    if before is None:
        assert after is not None
        yield f"{order} first described at {first}: {_lines((after,), source)}"
        side = "before that"
    elif after is None:
        yield f"{order} last described at {last}: {_lines((before,), source)}"
        side = "after that"
    else:
        yield f"{order} described up to {last}: {_lines((before,), source)}"
        yield f"and again from {first}: {_lines((after,), source)}"
        side = "between"
    who = "the frame" if session.lane is None else f"lane {session.lane}"
    yield f"{who} is {side}, at {_line(pc, source, pc)}"


def _at_this_code(
    session: Session, reading: Reading, coverage: Coverage, source: SourceLines, pc: int
) -> Iterator[str]:
    """Describe the current range: which other lanes have it there, or where it is complete."""
    lanes = _lanes_with(session, reading.variable, pc)
    if lanes:
        noun = "lane" if len(lanes) == 1 else "lanes"
        yield f"of the lanes here, it is complete in {noun} {runs_text(lanes)}"
    if any(span.covers(pc) for span in coverage.complete):
        return
    if coverage.complete:
        yield f"all of it is described for {_lines(coverage.complete, source)}"
    elif not lanes and all(
        description.extent.completeness != "depends" for description in coverage.descriptions
    ):
        yield "no code of its scope has a location for all of it"


def _lanes_with(session: Session, variable: Variable, pc: int) -> list[int]:
    """Return the lanes at a program location that have all of a variable."""
    if session.lane is None:
        return []
    here = lanes_by_pc(session).get(pc, [])
    readings = read_lanes([session], variable, here)
    return [lane for lane in here if readings.of(0, lane).is_complete]


def _lines(spans: tuple[Range, ...], source: SourceLines) -> str:
    """Return `[0x1504,0x1524) = divergent.hip:9-11,13`."""
    text = spans_text(spans)
    lines = " ".join(dict.fromkeys(filter(None, map(source.text, spans[:8]))))
    return f"{text} = {lines}" if lines else text


def _line(address: int, source: SourceLines, pc: int) -> str:
    """Return `line 13`; with its file where that is another one than at `pc`, the address without
    one."""
    entry = source.of(Range(address, address + 1))
    if not entry:
        return f"{address:#x}"
    file, lines = entry[-1]
    here = source.of(Range(pc, pc + 1))
    is_here = bool(here) and here[-1][0] == file
    return f"line {lines[-1]}" if is_here else f"{file}:{lines[-1]}"
