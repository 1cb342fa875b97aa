"""`dwarfgpu conformance`: run conformance cases (`docs/conformance-format.md`)."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Final

from dwarfgpu.base import json_reader
from dwarfgpu.conformance import Case, Failure, load_cases, run_case
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.service.error_text import error_json, error_line, one_line
from dwarfgpu.terminal.progress import Progress

SCHEMA = "dwarfgpu-conformance-result-1"
OUTCOMES: Final = ("passed", "failed", "skipped", "disputed")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="case files")


def run(args: argparse.Namespace) -> int:
    disputed = disputed_cases()
    totals = dict.fromkeys(OUTCOMES, 0)
    reports: list[dict[str, object]] = []
    errors: list[DwarfGpuError] = []
    progress = Progress(sys.stderr)
    cases = count()
    for name in args.files:
        counts = dict.fromkeys(OUTCOMES, 0)
        failures: list[dict[str, str]] = []
        try:
            for case in _cases(name):
                failure = run_case(case)
                progress.tried(next(cases) + 1)
                outcome = _outcome(case, failure, disputed)
                counts[outcome] += 1
                if failure is not None and outcome == "failed":
                    failures.append(
                        {"name": case.name, "expected": failure.expected, "got": failure.got}
                    )
        except DwarfGpuError as error:
            if len(args.files) == 1:
                raise
            errors.append(error)
            reports.append({"file": name, **error_json(error)})
        else:
            reports.append({"file": name, **counts, "failures": failures})
            totals = {key: totals[key] + counts[key] for key in totals}
        finally:
            progress.clear()
        if not args.json:
            _print(reports[-1], errors)
    if args.json:
        print(json.dumps({"schema": SCHEMA, "files": reports, "total": totals}))
    else:
        rest = f"; {len(errors)} cannot be read" if errors else ""
        print(f"total: {_outcomes({**totals})}{rest}")
    return 2 if errors else 1 if totals["failed"] else 0


def _cases(name: str) -> Iterable[Case]:
    """Return the cases of a file; `UsageError` where it has none."""
    if not name:
        raise UsageError("an empty name is not a name of a file")
    if os.path.isdir(name):
        raise UsageError(f"{name} is a folder: give files of cases, such as {name}/*.json")
    return load_cases(Path(name))


def disputed_cases() -> frozenset[str]:
    """Return the names of the cases that the AMD text disputes (`docs/disputed.json`)."""
    text = (files("dwarfgpu") / "data" / "disputed.json").read_text("utf-8")
    document = json_reader.parse(text, "disputed.json")
    return frozenset(name["name"].text() for name in document["disputed"].items())


def _outcome(case: Case, failure: Failure | None, disputed: frozenset[str]) -> str:
    if case.name in disputed:
        return "disputed"
    return "passed" if failure is None else "failed"


def _outcomes(counts: dict[str, object]) -> str:
    return ", ".join(f"{counts[key]} {key}" for key in OUTCOMES)


def _print(report: dict[str, object], errors: Sequence[DwarfGpuError]) -> None:
    """Print what came of a file; for one that cannot be read, the last of the errors."""
    if "error" in report:
        sys.stdout.flush()
        print(f"dwarfgpu: {error_line(errors[-1])}", file=sys.stderr)
        return
    print(f"{one_line(str(report['file']))}: {_outcomes(report)}")
    failures = report["failures"]
    assert isinstance(failures, list)
    for failure in failures:
        print(f"  {one_line(failure['name'])}")
        print(f"    expected: {one_line(failure['expected'])}")
        print(f"    got:      {one_line(failure['got'])}")
