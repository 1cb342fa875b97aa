"""Apply a function to many items in several processes.

Law: results come in the order of the items. A process that ends costs the item that it had, and no
other. At most `_AHEAD` results for each process are kept while an earlier one is not ready.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Final, Generic, TypeVar

from dwarfgpu.base.records import define, field
from dwarfgpu.batch.lost_items import nested_too_deep, out_of_memory, process_ended
from dwarfgpu.errors import DwarfGpuError, UsageError

Item = TypeVar("Item")
Result = TypeVar("Result")
_AHEAD: Final = 16
_NEW_OBJECTS: Final = 50_000
"""After how many the collector looks for garbage, as in a command."""
_SAFE_PATH: Final = "PYTHONSAFEPATH"
_STARTING: Final = threading.Lock()


def in_processes(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    failed: Callable[[Item, DwarfGpuError], Result],
    jobs: int,
) -> Iterator[Result]:
    """Yield the results of a function for items, in their order, from as many processes as `jobs`.

    `function`, the items and the results must be picklable. `failed` makes the result of an item
    that needs too much memory, or whose process ended; `UsageError` if the system allows no further
    process. Items are taken from their iterator as they are needed."""
    yield from _InProcesses(function, iter(items), failed, jobs).results()


@define(eq=False)
class _Worker(Generic[Item]):
    """A process, and the number and item that it has."""

    process: SpawnProcess
    connection: Connection
    number: int | None = None
    item: Item | None = None


@define(eq=False)
class _InProcesses(Generic[Item, Result]):
    """The processes of one request."""

    function: Callable[[Item], Result]
    items: Iterator[Item]
    failed: Callable[[Item, DwarfGpuError], Result]
    jobs: int
    workers: list[_Worker[Item]] = field(factory=list)
    ready: dict[int, Result] = field(factory=dict)
    """Results that an earlier one is missing for, by number."""
    submitted: int = 0
    """How many items were handed out."""
    is_over: bool = False
    """Whether there are no further items."""

    def results(self) -> Iterator[Result]:
        following = 0
        try:
            while True:
                self._hand_out(following)
                while following in self.ready:
                    yield self.ready.pop(following)
                    following += 1
                busy = [worker for worker in self.workers if worker.number is not None]
                if busy:
                    self._receive(busy)
                elif self.is_over and following == self.submitted:
                    return
        finally:
            for worker in self.workers:
                worker.process.kill()
                worker.process.join()
                worker.connection.close()

    def _hand_out(self, following: int) -> None:
        """Send an item to every idle process."""
        while not self.is_over and self.submitted < following + _AHEAD * self.jobs:
            worker = next((worker for worker in self.workers if worker.number is None), None)
            if worker is None and len(self.workers) == self.jobs:
                return
            try:
                item = next(self.items)
            except StopIteration:
                self.is_over = True
                return
            worker = worker or self._started()
            worker.number, worker.item = self.submitted, item
            self.submitted += 1
            with suppress(ConnectionError):  # it ended: `_receive` finds the end of its results
                worker.connection.send(item)

    def _started(self) -> _Worker[Item]:
        try:
            own, child_end = multiprocessing.Pipe()
            context = multiprocessing.get_context("spawn")
            with _STARTING:  # threads share the environment
                arguments = (child_end, self.function, os.environ.get(_SAFE_PATH))
                process = context.Process(target=_serve, args=arguments, daemon=True)
                with _safe_path(), _no_interrupt():
                    process.start()
        except OSError as error:  # the system has a limit on files, processes or memory
            why = error.strerror
            raise UsageError(f"a process cannot be started: {why}; one job needs none") from None
        child_end.close()
        worker: _Worker[Item] = _Worker(process, own)
        self.workers.append(worker)
        return worker

    def _receive(self, busy: list[_Worker[Item]]) -> None:
        """Wait until a process has a result, and keep those that are there."""
        ready = wait([worker.connection for worker in busy])
        for worker in busy:
            if worker.connection not in ready or worker.number is None or worker.item is None:
                continue
            item = worker.item
            try:
                is_done, result = worker.connection.recv()
            except (EOFError, ConnectionResetError):
                self.workers.remove(worker)
                worker.process.join()
                worker.connection.close()
                is_done, result = (
                    True,
                    self.failed(item, process_ended(item, worker.process.exitcode)),
                )
            self.ready[worker.number] = result if is_done else self.failed(item, result(item))
            worker.number = worker.item = None


@contextmanager
def _safe_path() -> Iterator[None]:
    """Start processes that import nothing from the working folder before they have the `sys.path`
    of this one: they begin as `python -c`, and the folder may be a stranger's."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        _set_safe_path(before)


def _set_safe_path(value: str | None) -> None:
    if value is None:
        os.environ.pop(_SAFE_PATH, None)
    else:
        os.environ[_SAFE_PATH] = value


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Start processes that the terminal's Ctrl-C does not interrupt: this one ends them."""
    resource_tracker.ensure_running()  # where it starts first, it unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    connection: Connection, function: Callable[[Item], Result], safe_path: str | None
) -> None:
    """Send the result of each item that arrives, until the connection ends.

    `safe_path`: the variable of the environment for the programs that the function starts."""
    _set_safe_path(safe_path)
    gc.set_threshold(_NEW_OBJECTS)
    gc.collect()
    gc.freeze()  # the modules stay: looking through them for each file takes 3 ms
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):  # who asked has ended, with results unread or not
        while True:
            item = connection.recv()
            try:
                result = function(item)
            except MemoryError:
                connection.send((False, out_of_memory))
            except RecursionError:
                connection.send((False, nested_too_deep))
            else:
                connection.send((True, result))
                del result
            # What refers to itself, as all of a file does, goes before the next file comes.
            gc.collect()


def _end_with_parent() -> None:
    """End this process as soon as the one that started it ends, in the midst of an item too."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
