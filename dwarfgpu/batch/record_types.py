"""The types of records and reports: what type checkers know of docs/schema/batch.json and
corpus.json."""

from __future__ import annotations

from typing import TypedDict

from dwarfgpu.view.json_object import JsonObject


class ErrorRecord(TypedDict):
    """Why a file cannot be examined."""

    kind: str
    """The name of a class of `dwarfgpu.errors`."""
    message: str
    operation: str | None
    """The DWARF operation that failed."""
    offset: int | None
    """Where in its section, in bytes."""
    section: str | None


class Record(TypedDict):
    """The answer about one object file, a line of `--json-lines`."""

    schema: str
    file: str
    question: str
    status: int
    """0, 1 or 2, as the exit status of the command for this file alone."""
    answer: JsonObject | None
    """What the command prints with `--json`; None with an error."""
    error: ErrorRecord | None


class FileCounts(TypedDict):
    """How many object files a report is about."""

    examined: int
    unreadable: int
    incomplete: int


class CheckedCounts(TypedDict):
    """What was checked."""

    units: int
    entries: int
    expressions: int
    fdes: int


class SeverityCounts(TypedDict):
    """Findings of each severity."""

    error: int
    warning: int
    note: int


class Example(TypedDict):
    """One finding of a rule."""

    file: str
    message: str
    entry: str
    """What the finding is about, and where."""


class RuleFindings(TypedDict):
    """The findings of one rule and severity in what one compiler wrote."""

    rule: str
    severity: str
    count: int
    files: int
    examples: list[Example]


class CompilerFindings(TypedDict):
    """What one version of a compiler wrote; None for what `DW_AT_producer` does not say."""

    compiler: str | None
    version: str | None
    units: int
    files: int
    findings: list[RuleFindings]


class RuleCount(TypedDict):
    """The findings of one rule and severity in what the other compilers wrote."""

    rule: str
    severity: str
    count: int


class OtherCompilers(TypedDict):
    """What all versions of compilers wrote that a report does not name, together."""

    compilers: int
    """How many there are."""
    units: int
    findings: list[RuleCount]


class UnreadableMember(TypedDict):
    """An object file that cannot be read, and why."""

    file: str
    message: str


class CorpusReport(TypedDict):
    """What `check` finds in many files, by compiler and rule."""

    schema: str
    files: FileCounts
    checked: CheckedCounts
    counts: SeverityCounts
    findings_omitted: int
    compilers: list[CompilerFindings]
    other_compilers: OtherCompilers
    unreadable: list[UnreadableMember]
