"""What `check` finds in very many files, by compiler and rule (docs/schema/corpus.json).

Law: memory is bounded by the compilers and rules, whatever the number of files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from heapq import nsmallest
from typing import Final, cast

from dwarfgpu.base.arguments import wrong_type
from dwarfgpu.base.json_reader import Field, Json, is_decimal
from dwarfgpu.base.records import define, field
from dwarfgpu.batch.record_types import (
    CompilerFindings,
    CorpusReport,
    Example,
    OtherCompilers,
    Record,
    RuleCount,
    RuleFindings,
    UnreadableMember,
)
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.static_check.severity import SEVERITIES

SCHEMA: Final = "dwarfgpu-corpus-1"
MAX_EXAMPLES: Final = 3
"""Examples of one rule for one compiler, each in another file."""
MAX_UNREADABLE: Final = 100
"""Files that are named as unreadable."""
MAX_COMPILERS: Final = 1000
"""Compilers that are named: a page has a cell for each of them and each rule."""
_CHECKED: Final = ("units", "entries", "expressions", "fdes")
_Key = tuple[str | None, str | None]
"""A compiler and its version."""
_NUMBERS: Final = re.compile(r"([0-9]+)")


def corpus_report(records: Iterable[Record]) -> CorpusReport:
    """Return the report on records of `examine` with the question `check`, in any order.

    `UsageError`, with the number of the record, for one that is of another question or lacks what
    `docs/schema/batch.json` requires.
    """
    value: object = records
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise wrong_type("records", value, "the records of examine_all")
    corpus = Corpus()
    for record in records:
        corpus.add(record)
    return corpus.report()


@define(eq=False)
class _Counts:
    """The findings of one rule and severity in what one compiler wrote."""

    count: int = 0
    files: int = 0
    examples: list[Example] = field(factory=list)


@define(eq=False)
class _Compiler:
    """What one version of a compiler wrote."""

    units: int = 0
    files: int = 0
    rules: dict[tuple[str, str], _Counts] = field(factory=dict)


@define(eq=False)
class Corpus:
    """The sum of what was added."""

    files: Counter[str] = field(factory=Counter)
    checked: Counter[str] = field(factory=Counter)
    counts: Counter[str] = field(factory=Counter)
    omitted: int = 0
    compilers: dict[_Key, _Compiler] = field(factory=dict)
    unreadable: list[UnreadableMember] = field(factory=list)

    def add(self, record: Record) -> None:
        """Add the record of one file; one without an answer cannot be read. `UsageError` for
        what is not a record of `check`."""
        whole = Field(f"records[{self.files['examined']}]", "", cast(Json, record))
        _require_question(whole)
        file, answer = whole["file"].text(), whole["answer"]
        self.files["examined"] += 1
        if answer.value is None:
            self.files["unreadable"] += 1
            message = whole["error"]["message"].text()
            if len(self.unreadable) < MAX_UNREADABLE:
                self.unreadable.append({"file": file, "message": message})
            return
        self.files["incomplete"] += answer["incomplete"].boolean()
        self.checked.update(numbers(answer["checked"], _CHECKED))
        self.counts.update(numbers(answer["counts"], SEVERITIES))
        self.omitted += number(answer["findings_omitted"])
        for wrote in answer["compilers"].items():
            self._add_compiler(file, wrote)

    def _add_compiler(self, file: str, wrote: Field) -> None:
        key = optional_text(wrote["compiler"]), optional_text(wrote["version"])
        compiler = self.compilers.setdefault(key, _Compiler())
        compiler.units += number(wrote["units"])
        compiler.files += 1
        for finding in wrote["findings"].items():
            kind = finding["rule"].text(), finding["severity"].text(*SEVERITIES)
            rule = compiler.rules.setdefault(kind, _Counts())
            rule.count += number(finding["count"])
            rule.files += 1
            example = finding["example"]
            message, entry = example["message"].text(), example["entry"].text()
            if len(rule.examples) < MAX_EXAMPLES:
                rule.examples.append({"file": file, "message": message, "entry": entry})

    def report(self) -> CorpusReport:
        """Return the report so far; compilers by name and version, the worst rules first."""
        files, checked, counts = self.files, self.checked, self.counts
        named = self._named()
        return {
            "schema": SCHEMA,
            "files": {
                "examined": files["examined"],
                "unreadable": files["unreadable"],
                "incomplete": files["incomplete"],
            },
            "checked": {
                "units": checked["units"],
                "entries": checked["entries"],
                "expressions": checked["expressions"],
                "fdes": checked["fdes"],
            },
            "counts": {
                "error": counts["error"],
                "warning": counts["warning"],
                "note": counts["note"],
            },
            "findings_omitted": self.omitted,
            "compilers": [
                _compiler_findings(key, self.compilers[key])
                for key in sorted(named, key=_by_name_and_version)
            ],
            "other_compilers": self._summed_without(named),
            "unreadable": list(self.unreadable),
        }

    def _named(self) -> Set[_Key]:
        """Return the compilers that a report names: of too many those with the most findings, of
        as many findings those with the most units, and then the first."""
        if len(self.compilers) <= MAX_COMPILERS:
            return self.compilers.keys()
        return set(nsmallest(MAX_COMPILERS, self.compilers, key=self._rank))

    def _rank(self, key: _Key) -> tuple[int, int]:
        compiler = self.compilers[key]
        return -sum(rule.count for rule in compiler.rules.values()), -compiler.units

    def _summed_without(self, named: Set[_Key]) -> OtherCompilers:
        """Return the sum of the compilers that a report does not name."""
        units, counts = 0, Counter[tuple[str, str]]()
        for key, compiler in self.compilers.items():
            if key not in named:
                units += compiler.units
                for kind, rule in compiler.rules.items():
                    counts[kind] += rule.count
        findings: list[RuleCount] = [
            {"rule": rule, "severity": severity, "count": counts[rule, severity]}
            for rule, severity in sorted(counts, key=lambda kind: _worst_first(kind, counts[kind]))
        ]
        return {
            "compilers": len(self.compilers) - len(named),
            "units": units,
            "findings": findings,
        }


def numbers(counts: Field, names: Iterable[str]) -> dict[str, int]:
    """Return the numbers of an object by their names; `UsageError` for a missing one."""
    return {name: number(counts[name]) for name in names}


def number(count: Field) -> int:
    """Return an integer that is not negative; `UsageError` for anything else, texts too."""
    if isinstance(count.value, str):
        raise count.expected("an integer")
    return count.integer(0)


def optional_text(text: Field) -> str | None:
    """Return a text or None; `UsageError` for anything else."""
    return None if text.value is None else text.text()


def _require_question(record: Field) -> None:
    question = record["question"].value if record.has("question") else None
    if question != "check":
        instead = f", not of {question}" if isinstance(question, str) else ""
        raise UsageError(f"{record.source}: records of check are needed{instead}")


def _compiler_findings(key: _Key, compiler: _Compiler) -> CompilerFindings:
    name, version = key
    kinds = sorted(compiler.rules.items(), key=lambda item: _worst_first(item[0], item[1].count))
    findings: list[RuleFindings] = [
        {
            "rule": rule,
            "severity": severity,
            "count": counts.count,
            "files": counts.files,
            "examples": counts.examples,
        }
        for (rule, severity), counts in kinds
    ]
    return {
        "compiler": name,
        "version": version,
        "units": compiler.units,
        "files": compiler.files,
        "findings": findings,
    }


def _worst_first(kind: tuple[str, str], count: int) -> tuple[object, ...]:
    """Order rules and severities by how bad they are, and how many findings they have."""
    return SEVERITIES.index(kind[1]), -count, kind


def _by_name_and_version(key: _Key) -> tuple[object, ...]:
    """Order version 9 before 10; what is unknown last."""
    name, version = key
    parts = [
        (0, int(part), "") if is_decimal(part) and len(part) < 20 else (1, 0, part)
        for part in _NUMBERS.split(version or "")
    ]
    return name is None, (name or "").lower(), name or "", version is None, parts
