"""Find the source line and the inlined functions of each instruction, for a whole file.

Both are the same for a range of code. A range is looked up once, and the blocks in a function
are put in order of their addresses once, so that all code of a file takes linear time.
"""

from __future__ import annotations

from bisect import bisect_right
from heapq import heappop, heappush

from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.line.line_lookup import LineLookup, SourceLine
from dwarfgpu.dwarf.names.function_names import name_in_frames, name_of_nameless
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, FUNCTIONS, covered, entries_of
from dwarfgpu.errors import DwarfGpuError

_MAX_SCOPES = 4096
"""Maximum number of scopes whose blocks are kept in order."""


@frozen
class CodeOrigin:
    """What an instruction is made from."""

    line: SourceLine | None
    inlined: tuple[str, ...]
    """Inlined functions around it, the innermost first, then the function that has the code."""


_NOTHING = CodeOrigin(None, ())


class _Blocks:
    """The blocks and inlined calls directly in a scope, by address."""

    def __init__(self, scope: Die) -> None:
        spans = [
            (span.begin, span.end, child)
            for child in entries_of(scope, BLOCKS)
            for span in covered(child)
        ]
        self.starts: list[int] = []
        self.inner: list[Die | None] = []
        """The first block in the file that covers the code from `starts` on."""
        begins = sorted(range(len(spans)), key=lambda index: spans[index][0])
        edges = sorted({edge for begin, end, _ in spans for edge in (begin, end)})
        active: list[int] = []
        position = 0
        for edge in edges:
            while position < len(begins) and spans[begins[position]][0] <= edge:
                heappush(active, begins[position])
                position += 1
            while active and spans[active[0]][1] <= edge:
                heappop(active)
            inner = spans[active[0]][2] if active else None
            self.starts.append(edge)
            self.inner.append(inner)

    def at(self, address: int) -> tuple[Die | None, int, int | None]:
        """Return the block, and between which addresses it is; None means no bound."""
        index = bisect_right(self.starts, address)
        begin = self.starts[index - 1] if index else 0
        end = self.starts[index] if index < len(self.starts) else None
        return (self.inner[index - 1] if index else None), begin, end


class CodeOrigins:
    """The origins of the code of one file."""

    def __init__(self, scopes: Scopes, lines: LineLookup) -> None:
        self._scopes = scopes
        self._lines = lines
        self._blocks = KeptAnswers[Die, _Blocks](_MAX_SCOPES)
        self._names: dict[tuple[int, Die], str] = {}
        self._line: SourceLine | None = None
        self._functions: tuple[str, ...] = ()
        self._span = range(0)
        """Where `_functions` holds."""
        self._known_span = 0, 0
        self._origin = _NOTHING
        self.problem: DwarfGpuError | None = None
        """Why origins are missing, for the first of the instructions without one."""

    def at(self, pc: int) -> CodeOrigin:
        """Return the origin of an instruction; nothing if debug information lacks it."""
        begin, end = self._known_span
        if not begin <= pc < end:
            try:
                self._find(pc)
            except DwarfGpuError as error:
                self._note(error)
                self._known_span, self._origin = (pc, pc + 1), _NOTHING
        return self._origin

    def _note(self, error: DwarfGpuError) -> None:
        self.problem = self.problem or error.with_traceback(None)

    def _find(self, pc: int) -> None:
        if pc not in self._span:
            self._find_functions(pc)
        line: SourceLine | None = None
        try:
            line = self._lines.line_of(pc)
        except DwarfGpuError as error:
            self._note(error)
        span = self._span
        begin, end = (pc, pc + 1) if line is None else (line.span.begin, line.span.end)
        self._known_span = max(begin, span.start), min(end, span.stop)
        self._origin = CodeOrigin(line, self._functions)

    def _find_functions(self, pc: int) -> None:
        subprogram = self._scopes.subprogram_at(pc)
        if subprogram is None:
            self._functions, self._span = (), range(pc, pc + 1)
            return
        info = self._scopes.info
        address = info.in_file(pc)
        offset = pc - address
        own = next((span for span in covered(subprogram.die) if span.covers(address)), None)
        begin, end = (address, address + 1) if own is None else (own.begin, own.end)
        names: list[str] = []
        scope: Die | None = subprogram.die
        while scope is not None:
            if scope.tag in FUNCTIONS:
                names.append(self._name(scope))
            blocks = self._blocks.answer(scope, _Blocks)
            scope, first, last = blocks.at(address)
            begin, end = max(begin, first), end if last is None else min(end, last)
        self._functions = tuple(reversed(names))
        self._span = range(begin + offset, end + offset)

    def _name(self, die: Die) -> str:
        """Return the name of a function, computed once for all calls that are inlined."""
        *_, declared = die.origins()
        key = die.tag, declared
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = name_in_frames(die) or name_of_nameless(die)
        return name
