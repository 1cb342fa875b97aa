"""The program `dwarfgpu`: `dwarfgpu.cli.main.main` in a process of its own."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import Final, NoReturn

_NEW_OBJECTS: Final = 50_000
"""After how many the collector looks for garbage: there is next to none, and a unit of debug
information has as many entries."""


def run() -> NoReturn:
    """Run the command of the command line.

    The process then ends without destroying its objects, which would take a tenth of a short
    command's time; all output is written by then.
    """
    gc.set_threshold(_NEW_OBJECTS)
    from dwarfgpu.cli.main import main  # loading it is what makes most of the objects

    status = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # there may be none, or a closed one
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    run()
