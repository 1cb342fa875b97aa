"""Apply a function to many items, here or in several processes."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

from dwarfgpu.base.arguments import is_integer, wrong_type, wrong_value
from dwarfgpu.base.limits import MAX_JOBS
from dwarfgpu.errors import DwarfGpuError

Item = TypeVar("Item")
Result = TypeVar("Result")


_FEW_OBJECTS: Final = 1_000
_MANY_OBJECTS: Final = 20 * _FEW_OBJECTS


class _Garbage:
    """Collects the objects of one item before the next one.

    A look at all objects of the process takes as long as many damaged items. Where an item left few
    objects, only those are looked at, until such items have left many together.
    """

    def __init__(self) -> None:
        self._collections = self._objects = 0
        """How often only new objects were looked at since all were, and how many they were."""

    def collect(self) -> None:
        """Collect the objects of the last item."""
        objects, collections, _ = gc.get_count()
        self._objects += objects
        # After another number of collections, some objects of the item are no longer new.
        is_new = collections == self._collections
        if is_new and objects <= _FEW_OBJECTS and self._objects <= _MANY_OBJECTS:
            gc.collect(0)
            self._collections += 1
        else:
            gc.collect()
            self._collections = self._objects = 0


def in_order(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    failed: Callable[[Item, DwarfGpuError], Result],
    jobs: int = 0,
) -> Iterator[Result]:
    """Return the results of a function for items, in their order.

    `jobs`: how many processes, at most `MAX_JOBS`; 0 for this one; `UsageError`, at once, for
    others. `function`, the items and the results must be picklable for processes. `failed` makes
    the result of an item that needs too much memory, or whose process ended."""
    expected = f"a number of processes from 0 to {MAX_JOBS}"
    if not is_integer(jobs):
        raise wrong_type("jobs", jobs, expected)
    if not 0 <= jobs <= MAX_JOBS:
        raise wrong_value("jobs", jobs, expected)
    if not jobs:
        return _in_this_process(function, items, failed)
    from dwarfgpu.batch.processes import in_processes  # it loads multiprocessing

    return in_processes(function, items, failed, jobs)


def _in_this_process(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    failed: Callable[[Item, DwarfGpuError], Result],
) -> Iterator[Result]:
    garbage = _Garbage()
    is_first = True
    for item in items:
        if not is_first:
            garbage.collect()  # all of a file refers to itself: it goes before the next one comes
        is_first = False
        try:
            result = function(item)
        except MemoryError:
            from dwarfgpu.batch.lost_items import out_of_memory

            result = failed(item, out_of_memory(item))
        except RecursionError:
            from dwarfgpu.batch.lost_items import nested_too_deep

            result = failed(item, nested_too_deep(item))
        yield result
