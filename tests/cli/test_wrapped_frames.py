"""Lines of frames on narrow terminals are broken as GDB 13 breaks them."""

from __future__ import annotations

import pytest

from dwarfgpu.repl.stack.wrap_line import wrapped

MIDDLE = "#1  middle (n=0x7fffffffe6a0, m=7) at deep.c:23"
INNER = "#0  0x00000000004011cb in inl (q=7) at deep.c:13"
CALL = "#2  0x00000000004011f7 in operator() (__closure=0x7fffffffe678, z=9) at over.cpp:52"


@pytest.mark.parametrize(
    ("line", "columns", "expected"),
    [
        (MIDDLE, None, MIDDLE),
        (MIDDLE, 60, MIDDLE),
        (MIDDLE, 40, "#1  middle (n=0x7fffffffe6a0, m=7)\n    at deep.c:23"),
        (MIDDLE, 30, "#1  middle (\n    n=0x7fffffffe6a0, m=7)\n    at deep.c:23"),
        (INNER, 40, "#0  0x00000000004011cb in inl (q=7)\n    at deep.c:13"),
        (INNER, 30, "#0  0x00000000004011cb in inl\n    (q=7) at deep.c:13"),
        (
            CALL,
            50,
            "#2  0x00000000004011f7 in operator() (\n"
            "    __closure=0x7fffffffe678, z=9) at over.cpp:52",
        ),
        (
            CALL,
            40,
            "#2  0x00000000004011f7 in operator() (\n"
            "    __closure=0x7fffffffe678, z=9)\n    at over.cpp:52",
        ),
    ],
)
def test_where_lines_are_broken(line: str, columns: int | None, expected: str) -> None:
    assert wrapped(line, columns) == expected
