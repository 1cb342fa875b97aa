"""`dwarfgpu conformance`: run conformance cases (`docs/conformance-format.md`)."""

from __future__ import annotations

import argparse
import json
import os
import sys
from importlib.resources import files
from pathlib import Path

from dwarfgpu.base import json_reader
from dwarfgpu.conformance import Case, Failure, load_cases, run_case
from dwarfgpu.errors import UsageError
from dwarfgpu.service.error_text import one_line
from dwarfgpu.terminal.progress import Progress

SCHEMA = "dwarfgpu-conformance-result-1"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="case files")


def run(args: argparse.Namespace) -> int:
    disputed = disputed_cases()
    totals = {"passed": 0, "failed": 0, "skipped": 0, "disputed": 0}
    reports: list[dict[str, object]] = []
    progress, tried = Progress(sys.stderr), 0
    for name in args.files:
        counts = dict.fromkeys(totals, 0)
        failures: list[dict[str, str]] = []
        if not name:
            raise UsageError("an empty name is not a name of a file")
        if os.path.isdir(name):
            raise UsageError(f"{name} is a folder: give files of cases, such as {name}/*.json")
        for case in load_cases(Path(name)):
            failure = run_case(case)
            tried += 1
            progress.tried(tried)
            outcome = _outcome(case, failure, disputed)
            counts[outcome] += 1
            if failure is not None and outcome == "failed":
                failures.append(
                    {"name": case.name, "expected": failure.expected, "got": failure.got}
                )
        progress.clear()
        reports.append({"file": name, **counts, "failures": failures})
        totals = {key: totals[key] + counts[key] for key in totals}
    if args.json:
        print(json.dumps({"schema": SCHEMA, "files": reports, "total": totals}))
    else:
        _print(reports, totals)
    return 1 if totals["failed"] else 0


def disputed_cases() -> frozenset[str]:
    """Return the names of the cases that the AMD text disputes (`docs/disputed.json`)."""
    text = (files("dwarfgpu") / "data" / "disputed.json").read_text("utf-8")
    document = json_reader.parse(text, "disputed.json")
    return frozenset(name["name"].text() for name in document["disputed"].items())


def _outcome(case: Case, failure: Failure | None, disputed: frozenset[str]) -> str:
    if case.name in disputed:
        return "disputed"
    return "passed" if failure is None else "failed"


def _print(reports: list[dict[str, object]], totals: dict[str, int]) -> None:
    def outcomes(counts: dict[str, object]) -> str:
        return ", ".join(f"{counts[key]} {key}" for key in totals)

    for report in reports:
        print(f"{one_line(str(report['file']))}: {outcomes(report)}")
        failures = report["failures"]
        assert isinstance(failures, list)
        for failure in failures:
            print(f"  {one_line(failure['name'])}")
            print(f"    expected: {one_line(failure['expected'])}")
            print(f"    got:      {one_line(failure['got'])}")
    print(f"total: {outcomes({**totals})}")
