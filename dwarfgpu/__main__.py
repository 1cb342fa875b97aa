"""The program `dwarfgpu`: `dwarfgpu.cli.main.main` in a process of its own."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import Final, NoReturn

_NEW_OBJECTS: Final = 200_000
"""After how many the collector looks for garbage: there is next to none, and a unit of debug
information has as many entries."""


def run() -> NoReturn:
    """Run the command of the command line.

    The process then ends without destroying its objects, which would take a tenth of a short
    command's time; all output is written by then.
    """
    gc.set_threshold(_NEW_OBJECTS)
    try:
        from dwarfgpu.cli.main import main  # loading it is what makes most of the objects

        status = main()
    except KeyboardInterrupt:  # while modules are loaded; `main` reports later ones itself
        status = 130
        with suppress(AttributeError, OSError, ValueError):
            print("dwarfgpu: interrupted", file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # there may be none, or a closed one
            stream.flush()
    _finish_index_cache()
    os._exit(status)


def _finish_index_cache() -> None:
    """Keep what large files were searched for, for later processes; Ctrl-C ends it."""
    if "dwarfgpu.base.index_cache" not in sys.modules or sys.stderr is None:
        return
    from dwarfgpu.base.index_cache import INDEX_CACHE
    from dwarfgpu.terminal.progress import Progress

    progress = Progress(sys.stderr)
    with suppress(KeyboardInterrupt, OSError):
        INDEX_CACHE.finish(progress)
    with suppress(OSError):
        progress.clear()


if __name__ == "__main__":
    run()
