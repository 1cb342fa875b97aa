"""Attributes that are computed once, also by threads."""

from __future__ import annotations

import threading
from pathlib import Path

from dwarfgpu.base.cached import cached_property

PACKAGE = Path(__file__).resolve().parents[2] / "dwarfgpu"


class Half:
    """One of two objects whose attributes need each other's, as units and their indexes do."""

    def __init__(self, meeting: threading.Barrier) -> None:
        self.meeting = meeting
        self.other = self

    @cached_property
    def first(self) -> list[str]:
        """The first."""
        self.meeting.wait(60)
        return [*self.other.second, "first"]

    @cached_property
    def second(self) -> list[str]:
        self.meeting.wait(60)
        return ["second"]


def test_an_attribute_is_computed_once_and_kept() -> None:
    half = Half(threading.Barrier(1))
    assert half.first is half.first == ["second", "first"]
    assert Half.first.__doc__ == "The first."
    assert set(vars(half)) == {"meeting", "other", "first", "second"}


def test_threads_wait_for_no_other_and_get_one_object() -> None:
    """With a lock for all objects of a class, the second thread would never come to the meeting."""
    half, found = Half(threading.Barrier(2)), []
    threads = [threading.Thread(target=lambda: found.append(half.first)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2 and found[0] is found[1]


def test_no_attribute_has_the_lock_of_functools() -> None:
    """The lock of Python 3.11 is that of all objects of a class."""
    users = [
        path
        for path in PACKAGE.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("from functools import") and "cached_property" in line
    ]
    assert not users
