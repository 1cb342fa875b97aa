"""The program `dwarfgpu`: `dwarfgpu.cli.main.main` in a process of its own."""

from __future__ import annotations

import os
import sys

try:
    import gc
    import signal
    from contextlib import suppress
except KeyboardInterrupt:  # what the interpreter itself loads before is out of our hands
    os._exit(130)

TYPE_CHECKING = False  # loading `typing` takes longer than this module
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, NoReturn

_NEW_OBJECTS: Final = 200_000
"""After how many the collector looks for garbage: there is next to none, and a unit of debug
information has as many entries."""
_FRAME_WORDS: Final = 1 << 16
"""What a thousand frames have at most, the most that may be in one another."""


def run() -> NoReturn:
    """Run the command of the command line.

    The process then ends without destroying its objects, which would take a tenth of a short
    command's time; all output is written by then. Ctrl-C (SIGINT) ends it by that signal, without
    a word, so that a shell ends its script too, and has 130 in `$?`.
    """
    try:
        status = _status()
    except KeyboardInterrupt:
        _end_by_interrupt()
    os._exit(status)


def _status() -> int:
    """Return the exit status of the command, with all output written."""
    interrupt = signal.getsignal(signal.SIGINT)
    if interrupt is signal.default_int_handler:  # not ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(_NEW_OBJECTS)
    # Threads for linear algebra, which no command does: NumPy starts them when it is loaded, in
    # 40 ms, and ends the process if the system denies their memory.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from dwarfgpu.cli.main import main  # loading it is what makes most of the objects

    if interrupt is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    status = _with_frames_in_one_chunk(main)
    _flush()
    _finish_index_cache()
    return status


def _with_frames_in_one_chunk(call: Callable[[], int]) -> int:
    """Return what a call returns, with all frames below it in one chunk of the interpreter's stack.

    CPython maps a chunk of 16 KiB when a call leaves the one before, and unmaps it when the call
    returns. A loop that calls functions at such a boundary, which a file can reach with evaluations
    in one another, does so each time and takes ten times as long.
    """
    return call()


# A frame that needs more than a chunk has gets one of twice as much, which callees share. Pages
# that no frame uses take no memory.
_with_frames_in_one_chunk.__code__ = _with_frames_in_one_chunk.__code__.replace(
    co_stacksize=_FRAME_WORDS
)


def _end_by_interrupt() -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second one ends what waits for a reader
    _flush()
    os.kill(os.getpid(), signal.SIGINT)
    os._exit(130)  # where the signal is blocked


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # there may be none, or a closed one
            stream.flush()


def _finish_index_cache() -> None:
    """Keep what large files were searched for, for later processes; Ctrl-C ends it."""
    if "dwarfgpu.base.index_cache" not in sys.modules or sys.stderr is None:
        return
    from dwarfgpu.base.index_cache import INDEX_CACHE
    from dwarfgpu.terminal.progress import Progress

    progress = Progress(sys.stderr)
    with suppress(KeyboardInterrupt, OSError, MemoryError):  # every answer has been given
        INDEX_CACHE.finish(progress)
    with suppress(OSError):
        progress.clear()


if __name__ == "__main__":
    run()
