"""Baselines of `dwarfgpu check`: findings of an earlier run, which no longer count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dwarfgpu.base.input_files import record_input
from dwarfgpu.base.json_reader import Field, load
from dwarfgpu.base.records import frozen
from dwarfgpu.check.finding import Finding
from dwarfgpu.errors import UnreadableFile

SCHEMA: Final = "dwarfgpu-check-1"


@frozen
class Baseline:
    """The fingerprints that are known, of each file by its path."""

    files: tuple[tuple[str, Counter[str]], ...] = ()

    def of(self, path: str, *, is_only: bool) -> Counter[str]:
        """Return the counts of a file: by its path, else by its name if only one file has it.

        When one file is compared with one (`is_only`), their names may differ.
        """
        same = [counts for name_of_file, counts in self.files if name_of_file == path]
        name = Path(path).name
        named = [counts for name_of_file, counts in self.files if Path(name_of_file).name == name]
        if same:
            return same[0]
        if len(named) == 1:
            return named[0]
        return self.files[0][1] if is_only and len(self.files) == 1 else Counter()


def read_baseline(path: str) -> Baseline:
    """Read the baseline from the output of `--json`; `UsageError` for another file."""
    record_input(path)
    try:
        return _baseline(load(Path(path)))
    except UnreadableFile as error:
        advice = "a baseline is what check prints with --json, for one file or several"
        raise UnreadableFile(f"{error.message}; {advice}") from None


def _baseline(document: Field) -> Baseline:
    document["schema"].text(SCHEMA)
    if document.has("checked"):
        return Baseline((_file(document),))
    files = document["files"].items()
    return Baseline(tuple(_file(file) for file in files if file.has("findings")))


def _file(document: Field) -> tuple[str, Counter[str]]:
    finding = Counter(counts["fingerprint"].text() for counts in document["findings"].items())
    return document["file"].text(), finding


def new_findings(findings: Sequence[Finding], baseline: Counter[str]) -> list[bool]:
    """Return for each finding whether the baseline lacks it; one known finding excuses one
    alike."""
    if not baseline:
        return [True] * len(findings)
    remaining = Counter(baseline)
    out: list[bool] = []
    for finding in findings:
        out.append(not remaining[finding.fingerprint])
        remaining[finding.fingerprint] -= bool(remaining[finding.fingerprint])
    return out
