"""Apply a function to many items, here or in several processes."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from dwarfgpu.errors import DwarfGpuError

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    lost: Callable[[Item, DwarfGpuError], Result],
    jobs: int = 0,
) -> Iterator[Result]:
    """Yield the results of a function for items, in their order.

    `jobs`: how many processes; 0 for this one. `function`, the items and the results must be
    picklable then. `lost` makes the result of an item that needs too much memory, or whose process
    ended.
    """
    if jobs:
        from dwarfgpu.batch.processes import in_processes  # it loads multiprocessing

        yield from in_processes(function, items, lost, jobs)
        return
    is_first = True
    for item in items:
        if not is_first:
            gc.collect()  # all of a file refers to itself: it goes before the next one comes
        is_first = False
        try:
            result = function(item)
        except MemoryError:
            from dwarfgpu.batch.lost_items import out_of_memory

            result = lost(item, out_of_memory(item))
        yield result
