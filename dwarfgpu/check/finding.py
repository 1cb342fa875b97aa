"""Findings of the check of a file, and the list that keeps them.

Law: memory is bounded by `MAX_FINDINGS`, whatever the file; further findings are counted. Names,
lines and excerpts are looked up for findings that are kept.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from dwarfgpu.base.arguments import WrongType, WrongValue
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.expr.static_check.severity import Severity

MAX_FINDINGS: Final = 10_000
"""Maximum number of findings of each severity."""
MAX_SKIPPED: Final = 100
AROUND: Final = 6
"""Steps shown before and after the marked one."""
_LONGEST: Final = 120
"""Characters of one step."""


@frozen
class SourcePosition:
    """A position in the source text."""

    file: str
    """The path, with its directory where the line table has one."""
    line: int | None = None
    """None if only the file is known."""


@frozen
class FindingPosition:
    """The position of a finding in the file."""

    section: str
    offset: int
    """Bytes from the start of the section: of an entry, an FDE, a CIE or a header."""
    kind: str
    """What it is: `variable`, `subprogram`, `FDE`, `unit` …"""
    name: str | None = None
    attribute: str | None = None
    """Its name, `DW_AT_location`."""
    function: str | None = None
    unit: str | None = None
    span: tuple[int, int] | None = None
    """The addresses of the location list entry, or of the row."""
    file: str | None = None
    """The split file, if it is not the checked file."""
    _source: SourcePosition | Callable[[], SourcePosition | None] | None = None

    @property
    def source(self) -> SourcePosition | None:
        """Declaration of an entry, or of the nearest enclosing one; for call frame information, the
        line of the first instruction that it covers. None if unknown."""
        return self._source() if callable(self._source) else self._source


@frozen
class Excerpt:
    """The steps of an expression or of a frame entry around the marked one."""

    steps: tuple[str, ...]
    marked: int | None
    """Index in `steps`; their number for the result; None for all of it."""
    offset: int | None = None
    """Bytes from the start of the expression, or of the section for call frame instructions."""


def excerpt(steps: Sequence[str], marked: int | None, offset: int | None = None) -> Excerpt:
    """Return the steps around the marked one; `…` replaces the others."""
    middle = 0 if marked is None else marked
    start, end = max(middle - AROUND, 0), min(middle + AROUND + 1, len(steps))
    shown = [step if len(step) <= _LONGEST else f"{step[:_LONGEST]}…" for step in steps[start:end]]
    before, after = ["…"] * (start > 0), ["…"] * (end < len(steps))
    column = None if marked is None else marked - start + len(before)
    return Excerpt((*before, *shown, *after), column, offset)


@frozen
class Finding:
    """A mistake, and where it is."""

    severity: Severity
    rule: str
    """Its name in `dwarfgpu.check.rules`."""
    message: str
    section: str
    """The section of the AMD text, or else of DWARF 5."""
    _position: FindingPosition | Callable[[], FindingPosition]
    _excerpt: Excerpt | Callable[[], Excerpt] | None = None

    @property
    def position(self) -> FindingPosition:
        return self._position() if callable(self._position) else self._position

    @property
    def excerpt(self) -> Excerpt | None:
        return self._excerpt() if callable(self._excerpt) else self._excerpt

    @property
    def described(self) -> Finding:
        """The finding with everything looked up."""
        position = self.position
        position = evolve(position, source=position.source)
        return evolve(self, position=position, excerpt=self.excerpt)

    @property
    def fingerprint(self) -> str:
        """Identify the finding in another build: it contains no offsets and no addresses."""
        position = self.position
        steps = () if self.excerpt is None else self.excerpt.steps
        names = (
            position.section,
            position.kind,
            position.name,
            position.attribute,
            position.function,
            position.unit,
        )
        parts = (self.rule, *names, *(step.split(" ", 1)[0] for step in steps))
        text = "\0".join(part or "" for part in parts)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@frozen(eq=False)
class Findings:
    """The findings so far."""

    rules: frozenset[str] | None = None
    """Findings of other rules are dropped and not counted; None for every rule."""
    most_of_rule: int | None = None
    """Maximum number of findings of each rule and severity that are kept; None for all."""
    kept: list[Finding] = field(init=False, factory=list)
    counts: Counter[Severity] = field(init=False, factory=Counter)
    skipped: list[str] = field(init=False, factory=list)
    """What could not be checked, and why; only the first."""
    times: Counter[str] = field(init=False, factory=Counter)
    """How often there was each of them."""
    hidden: Counter[tuple[Severity, str]] = field(init=False, factory=Counter)
    """Numbers of the findings beyond `most_of_rule`, by severity and rule."""
    _of_rules: Counter[tuple[Severity, str]] = field(init=False, factory=Counter)
    _skips: Counter[bool] = field(init=False, factory=Counter)
    """How often something could not be checked, by whether a limit was the reason."""

    def wants(self, rule: str) -> bool:
        """Return whether findings of a rule are kept."""
        return self.rules is None or rule in self.rules

    def count(self, severity: Severity, rule: str) -> bool:
        """Count a finding; return whether it may be kept, so that it has to be made."""
        if not self.wants(rule):
            return False
        self.counts[severity] += 1
        return self.counts[severity] <= MAX_FINDINGS

    def add(self, finding: Finding) -> None:
        """Count a finding, and keep it if there is room."""
        if self.count(finding.severity, finding.rule):
            self.keep(finding)

    def keep(self, finding: Finding) -> None:
        """Keep a finding that was counted."""
        rule = finding.severity, finding.rule
        self._of_rules[rule] += 1
        if self.most_of_rule is None or self._of_rules[rule] <= self.most_of_rule:
            self.kept.append(finding.described)
        else:
            self.hidden[rule] += 1

    def skip(self, error: DwarfGpuError, subject: str = "") -> None:
        """Keep why something (`what`, where the error does not say) was not checked."""
        is_cut = isinstance(error, LimitExceeded | WrongType | WrongValue)
        self._skips[is_cut] += 1
        why = f"{subject}: {error}" if subject else str(error)
        if len(self.skipped) < MAX_SKIPPED:
            self.skipped.append(why)
        elif why not in self.times:
            return
        self.times[why] += 1

    @property
    def skips(self) -> int:
        """How often something could not be checked."""
        return self._skips.total()

    @property
    def is_incomplete(self) -> bool:
        """Whether a limit, or a fault of the check itself, cut it short: there may be further
        findings."""
        return self._skips[True] > 0

    @property
    def dropped(self) -> int:
        """Findings beyond `MAX_FINDINGS`."""
        return self.counts.total() - len(self.kept) - self.hidden.total()
