"""The interpreter's stack of frames: no depth of calls is much slower than another."""

from __future__ import annotations

import subprocess
import sys

import pytest

MEASURE = """
import resource, sys
import dwarfgpu.__main__ as program

def called(a, b, c, d, e, f):
    return a, b, c, d, e, f

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(1000):
        called(1, 2, 3, 4, 5, 6)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def deeper(depth):
    if depth == 0:
        return [faults()]
    return [faults(), *deeper(depth - 1)]

def main():
    print(max(deeper(900)))
    return 0

if sys.argv[1] == "alone":
    main()
else:
    program._with_frames_in_one_chunk(main)
"""


def most_faults(how: str) -> int:
    """The most pages that a thousand calls at one depth touch first."""
    run = [sys.executable, "-c", MEASURE, how]
    return int(subprocess.run(run, capture_output=True, text=True, check=True, timeout=100).stdout)


def test_no_call_at_any_depth_maps_memory_each_time() -> None:
    """CPython maps a chunk of its stack each time that a call leaves the one before."""
    if most_faults("alone") < 1_000:
        pytest.skip("this interpreter or system has no such boundary")
    assert most_faults("program") < 100
