"""Intrinsic functions of Fortran for arrays whose descriptors are optimized out: no shape is made
up for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
module m
contains
  subroutine stop_here(x, q, nowhere)
    real(8) :: x(:,:)
    integer, pointer :: q(:), nowhere
    x(1,1) = size(x, 1)
    nowhere = 3
  end subroutine
  subroutine caller(n)
    integer :: n
    real(8) :: x(n, 2)
    integer, pointer :: q(:), nowhere
    integer, target :: t(6)
    nowhere => null()
    q => t(1:6:2)
    x = 1.5d0
    call stop_here(x, q, nowhere)
    print *, x, q
  end subroutine
end module
program lost
  use m
  call caller(3)
end program
"""


def test_optimized_out_arrays(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """gfortran keeps no descriptors of the arguments of an inlined call. GDB: `Location address is
    not set.`"""
    compiler = [tool("gfortran"), "-g", "-O2", "-fno-backtrace"]
    build(tmp_path, {"a.f90": SOURCE}, [[*compiler, "-o", "a", "a.f90"]])
    files = with_core(tool, tmp_path)
    if any("<optimized out>" not in text for text in answers(None, files, ["print x", "print q"])):
        pytest.skip("this gfortran keeps the descriptors")
    asked = [
        "shape(x)", "rank(x)", "size(x)", "lbound(x)", "allocated(x)", "associated(q)", "rank(q)",
        "associated(q, x)",
    ]  # fmt: skip
    for answer in answers(None, files, [f"print {each}" for each in asked]):
        assert "\nvalue has been optimized out" in answer, answer
    known = answers(None, files, ["print kind(x)", "whatis rank(x)", "whatis shape(x)"])
    assert [text.splitlines()[1] for text in known[:2]] == ["$1 = 8", "type = integer*4"]
    assert "a bound of the array is unknown" in known[2]
