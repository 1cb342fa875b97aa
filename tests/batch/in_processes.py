"""What the tests have processes do. Each process imports this module: it must load quickly, as the
test framework does not."""

from __future__ import annotations

import gc
import os
import signal
import time


def answer(item: str) -> str:
    """What the tests have processes do, by the name of the item."""
    if item == "slow":
        time.sleep(0.2)
    if item == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if item == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if item == "left":
        os._exit(3)
    if item == "large":
        raise MemoryError
    if item == "deep":
        raise RecursionError
    if item == "objects":
        return str(len(gc.get_objects()))
    return item.upper()


class Cycle:
    """What refers to itself, as all of a file does."""

    alive = 0

    def __init__(self) -> None:
        self.own = self
        Cycle.alive += 1

    def __del__(self) -> None:
        Cycle.alive -= 1


def alive_before(item: str) -> int:
    count = Cycle.alive
    Cycle()
    return count
