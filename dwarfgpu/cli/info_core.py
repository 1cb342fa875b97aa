"""`dwarfgpu info` on a core file: the program, why it stopped, its threads, the loaded files."""

from __future__ import annotations

import argparse
import json
from typing import Final

from dwarfgpu.base.printable import short_line
from dwarfgpu.options.opened_core import opened_core
from dwarfgpu.service.core.core_report import core_report

SCHEMA: Final = "dwarfgpu-info-core-1"


def info_core(args: argparse.Namespace, path: str) -> int:
    """Print the report on a core; return 1 if a part of it is unreadable.

    Raises the errors of `dwarfgpu.machine.core.load.load_core`.
    """
    args.core = path
    report = core_report(opened_core(args, args.file))
    if args.json:
        print(json.dumps({"schema": SCHEMA, **report.record}))
    else:
        for line in report.lines():
            print(short_line(line))
    return 1 if report.core.notes else 0
