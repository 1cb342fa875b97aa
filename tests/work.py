"""How much work something is, whatever else the machine does: calls are counted, not seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def at_most(calls: int) -> Iterator[None]:
    """Fails as soon as more calls were made in the block, so that endless work ends too.

    A generator that goes on counts as one; so does what is written in C.
    """
    left = calls

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal left
        left -= event in ("call", "c_call")
        if left < 0:
            sys.setprofile(None)
            raise AssertionError(f"more than {calls} calls")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)
