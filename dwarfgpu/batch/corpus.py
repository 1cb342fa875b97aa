"""What `check` finds in very many files, by compiler and rule (docs/schema/corpus.json).

Law: memory is bounded by the compilers and rules, whatever the number of files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.records import define, field
from dwarfgpu.errors import UsageError
from dwarfgpu.view.json_object import JsonObject, Plain

SCHEMA: Final = "dwarfgpu-corpus-1"
MAX_EXAMPLES: Final = 3
"""Examples of one rule for one compiler, each in another file."""
MAX_UNREADABLE: Final = 100
"""Files that are named as unreadable."""
_SEVERITIES: Final = ("error", "warning", "note")
_CHECKED: Final = ("units", "entries", "expressions", "fdes")
_NUMBERS: Final = re.compile(r"([0-9]+)")


def corpus_report(records: Iterable[JsonObject]) -> JsonObject:
    """Return the report on records of `examine` with the question `check`, in any order;
    `UsageError` for others."""
    corpus = Corpus()
    for record in records:
        corpus.add(record)
    return corpus.report()


@define(eq=False)
class _RuleCount:
    """The findings of one rule and severity in what one compiler wrote."""

    count: int = 0
    files: int = 0
    examples: list[Plain] = field(factory=list)


@define(eq=False)
class _Compiler:
    """What one version of a compiler wrote."""

    units: int = 0
    files: int = 0
    rules: dict[tuple[str, str], _RuleCount] = field(factory=dict)


@define(eq=False)
class Corpus:
    """The sum of what was added."""

    files: Counter[str] = field(factory=Counter)
    checked: Counter[str] = field(factory=Counter)
    counts: Counter[str] = field(factory=Counter)
    omitted: int = 0
    compilers: dict[tuple[str | None, str | None], _Compiler] = field(factory=dict)
    unreadable: list[Plain] = field(factory=list)

    def add(self, record: JsonObject) -> None:
        """Add the record of one file; one without an answer cannot be read. `UsageError` for
        a text that is not a record of `check`."""
        _require_record(record)
        answer: Any = record["answer"]
        self.files["examined"] += 1
        if answer is None:
            self.files["unreadable"] += 1
            error: Any = record["error"]
            if len(self.unreadable) < MAX_UNREADABLE:
                self.unreadable.append({"file": record["file"], "message": error["message"]})
            return
        self.files["incomplete"] += bool(answer["incomplete"])
        self.checked.update({name: answer["checked"][name] for name in _CHECKED})
        self.counts.update(answer["counts"])
        self.omitted += answer["findings_omitted"]
        for wrote in answer["compilers"]:
            self._add_compiler(str(record["file"]), wrote)

    def _add_compiler(self, file: str, wrote: Any) -> None:
        key = wrote["compiler"], wrote["version"]
        compiler = self.compilers.setdefault(key, _Compiler())
        compiler.units += wrote["units"]
        compiler.files += 1
        for finding in wrote["findings"]:
            kind = finding["rule"], finding["severity"]
            rule = compiler.rules.setdefault(kind, _RuleCount())
            rule.count += finding["count"]
            rule.files += 1
            if len(rule.examples) < MAX_EXAMPLES:
                rule.examples.append({"file": file, **finding["example"]})

    def report(self) -> JsonObject:
        """Return the report so far; compilers by name and version, the worst rules first."""
        return {
            "schema": SCHEMA,
            "files": {name: self.files[name] for name in ("examined", "unreadable", "incomplete")},
            "checked": {name: self.checked[name] for name in _CHECKED},
            "counts": {name: self.counts[name] for name in _SEVERITIES},
            "findings_omitted": self.omitted,
            "compilers": [
                _compiler_json(key, self.compilers[key])
                for key in sorted(self.compilers, key=_by_name_and_version)
            ],
            "unreadable": list(self.unreadable),
        }


def _require_record(record: object) -> None:
    question = record.get("question") if isinstance(record, dict) else None
    if question != "check":
        instead = "" if question is None else f", not of {question}"
        raise UsageError(f"records of check are needed{instead}")


def _compiler_json(key: tuple[str | None, str | None], compiler: _Compiler) -> JsonObject:
    name, version = key
    kinds = sorted(
        compiler.rules.items(),
        key=lambda item: (_SEVERITIES.index(item[0][1]), -item[1].count, item[0]),
    )
    findings: list[Plain] = [
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


def _by_name_and_version(key: tuple[str | None, str | None]) -> tuple[object, ...]:
    """Order version 9 before 10; what is unknown last."""
    name, version = key
    parts = [
        (0, int(part), "") if is_decimal(part) and len(part) < 20 else (1, 0, part)
        for part in _NUMBERS.split(version or "")
    ]
    return name is None, (name or "").lower(), name or "", version is None, parts
