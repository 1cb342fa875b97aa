"""Line tables of a cubin's machine code: lines of the source (`.debug_line`) and of PTX
(`.nv_debug_line_sass`, a line table whose file is the text in `.nv_debug_ptx_txt`).

Law: tables are read from section to section, whether or not a unit names them; a range of code has
what each table says of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from dwarfgpu.base.printable import printable
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.line.defined_files import defined_files
from dwarfgpu.dwarf.line.header import LineHeader, NameEntry, read_line_header
from dwarfgpu.dwarf.line.program import run_line_program
from dwarfgpu.dwarf.line.rows import ROW, LineMatrix, LineWork
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.objfile.cuda_code import PTX_SECTION
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.relocate import relocated_data

_SOURCE: Final = ".debug_line"
_PTX: Final = ".nv_debug_line_sass"


@frozen
class Line:
    """A line of a file."""

    file: str
    """The path in the table; of PTX the section with its text."""
    number: int


@frozen
class CubinLine:
    """A range of machine code, and the lines that it comes from."""

    begin: int
    """Addresses of the file."""
    end: int
    source: Line | None
    ptx: Line | None
    ptx_text: str | None
    """The text of that line; None if the file does not have it."""


@frozen
class CubinLines:
    """All ranges by address, and why others are missing."""

    lines: tuple[CubinLine, ...]
    problems: tuple[DwarfGpuError, ...]


@frozen
class _CodeRange:
    begin: int
    end: int
    line: Line


def cubin_lines(file: ObjectFile) -> CubinLines:
    """Return the lines of a cubin; none for a file without line tables."""
    problems: list[DwarfGpuError] = []
    work = LineWork(file.limits.line_rows)
    source = sorted(_code_ranges(file, _SOURCE, work, problems), key=_begin)
    ptx = sorted(_code_ranges(file, _PTX, work, problems), key=_begin)
    texts = _Texts(file)
    lines: list[CubinLine] = []
    cuts = sorted({address for one in (*source, *ptx) for address in (one.begin, one.end)})
    for (begin, end), first, second in zip(
        pairwise(cuts), _at_cuts(source, cuts), _at_cuts(ptx, cuts), strict=False
    ):
        if first is None and second is None:
            continue
        last = lines[-1] if lines else None
        if last is not None and (last.end, last.source, last.ptx) == (begin, first, second):
            lines[-1] = CubinLine(last.begin, end, first, second, last.ptx_text)
        else:
            text = None if second is None else texts.of(second)
            lines.append(CubinLine(begin, end, first, second, text))
    return CubinLines(tuple(lines), tuple(problems))


def _begin(code_range: _CodeRange) -> int:
    return code_range.begin


def _at_cuts(ranges: Sequence[_CodeRange], cuts: Iterable[int]) -> Iterator[Line | None]:
    """Yield the line of the code that begins at each cut: of the range that begins last."""
    position = -1
    for cut in cuts:
        while position + 1 < len(ranges) and ranges[position + 1].begin <= cut:
            position += 1
        here = ranges[position] if position >= 0 else None
        yield None if here is None or here.end <= cut else here.line


def _code_ranges(
    file: ObjectFile, section: str, work: LineWork, problems: list[DwarfGpuError]
) -> Iterator[_CodeRange]:
    try:
        data = relocated_data(file, section)
    except DwarfGpuError as error:
        problems.append(error)
        return
    offset = 0
    while offset < len(data):
        try:
            form = UnitFormat(address_size=file.address_bytes, endian=file.endian)
            header = read_line_header(data, offset, form)
        except DwarfGpuError as error:
            error.context = error.context or f"{file.path}: {section} table {offset:#x}"
            problems.append(error)
            return  # its length, and so the next table, is unknown
        matrix = run_line_program(header, data, file.limits.line_rows, work, ROW)
        for problem in (header.problem, matrix.problem):
            if problem is not None:
                problem.context = problem.context or f"{file.path}: {section} table {offset:#x}"
                problems.append(problem)
        files = (*header.files, *defined_files(header, data, file.limits.line_rows, work))
        yield from _of_table(header, files, matrix, PTX_SECTION if section == _PTX else "")
        offset = header.end


def _of_table(
    header: LineHeader, files: Sequence[NameEntry], matrix: LineMatrix, unnamed: str
) -> Iterator[_CodeRange]:
    names: dict[int, str] = {0: unnamed} if unnamed else {}
    for number, entry in enumerate(files, header.first_file):
        names[number] = _path(entry, header)
    for sequence in matrix.sequences:
        for position, index in enumerate(sequence.order):
            row = matrix.rows[index]
            end = sequence.end_of(matrix.rows, position)
            if row.address < end and row.line:
                name = names.get(row.file, f"file {row.file}")
                yield _CodeRange(row.address, end, Line(name, row.line))


def _path(entry: NameEntry, header: LineHeader) -> str:
    name = _text(entry)
    index = entry.directory - header.first_file
    folder = ""
    if 0 <= index < len(header.directories):
        folder = _text(header.directories[index])
    return f"{folder}/{name}" if folder and not name.startswith("/") else name


def _text(entry: NameEntry) -> str:
    """Return the name in the table; where it is in another section, its offset there."""
    if entry.path is None:
        return "?"
    raw = entry.path.raw
    return printable(raw) if isinstance(raw, bytes) else f"name {raw:#x}"


class _Texts:
    """The texts of PTX in a file."""

    def __init__(self, file: ObjectFile) -> None:
        self._file = file
        self._lines: dict[str, list[bytes]] = {}

    def of(self, line: Line) -> str | None:
        """Return the text of a line; None if the file does not have it."""
        if not line.file.startswith(PTX_SECTION):
            return None
        if line.file not in self._lines:
            try:
                data = self._file.section_data(line.file)
            except DwarfGpuError:
                data = b""  # the problem is not the table's
            self._lines[line.file] = data.split(b"\0")
        lines = self._lines[line.file]
        text = lines[line.number - 1] if line.number <= len(lines) else b""
        return printable(b" ".join(text.split())) or None
