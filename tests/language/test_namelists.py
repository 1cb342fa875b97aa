"""Namelists of Fortran that have one name (DWARF 5 4.3)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu import language
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import UsageError
from dwarfgpu.language.fortran.namelists import _modules_in_focus
from tests.dwarf.builder import Shape, state_in
from tests.language.made_units import BASE_TYPE, HEADER_BYTES, NAME, UNIT, VARIABLE
from tests.language.sessions import waves_of
from tests.work import assert_linear

SHAPES = [
    UNIT,
    BASE_TYPE,
    Shape(dw.TAG_MODULE, (NAME,), True),
    VARIABLE,
    Shape(dw.TAG_NAMELIST, (NAME,), True),
    Shape(dw.TAG_NAMELIST_ITEM, ((dw.AT_NAMELIST_ITEM, dw.FORM_REF4),)),
    Shape(
        dw.TAG_SUBPROGRAM,
        (NAME, (dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA4)),
        True,
    ),
    Shape(dw.TAG_IMPORTED_MODULE, ((dw.AT_IMPORT, dw.FORM_REF4),)),
]
VARIABLES = 8


def state_of(folder: Path, lists: int, uses: int = 0) -> Path:
    """A state with namelists of the same variables in different orders, in a function that uses
    their module so many times."""
    folder.mkdir()
    out = b"\1a.f90\0\x0e" + struct.pack("<QI", 0x1000, 16)
    base = struct.pack("<I", HEADER_BYTES + len(out))
    out += b"\2small\0\5\2"
    module = struct.pack("<I", HEADER_BYTES + len(out))
    out += b"\3m\0"
    places: list[bytes] = []
    for number in range(VARIABLES):
        places.append(struct.pack("<I", HEADER_BYTES + len(out)))
        out += b"\4v%d\0" % number + base + bytes([2, 0x30 + number, 0x9F])
    out += b"\0"
    for number in range(lists):
        order = [number >> 3 * digit & 7 for digit in range(5)]
        out += b"\5cfg\0" + b"".join(b"\6" + places[index] for index in order) + b"\0"
    out += b"\7main\0" + struct.pack("<QI", 0x1000, 16) + uses * (b"\x08" + module) + b"\0"
    return state_in(folder, out + b"\0", SHAPES)


def test_a_module_is_looked_at_once(tmp_path: Path) -> None:
    """However often a function uses it: 20,000 uses of 5,000 lists took a minute."""
    (session,) = waves_of(state_of(tmp_path / "state", 1, uses=3))
    assert [modules for modules in _modules_in_focus(session) if modules] == [["m"]]


def test_the_work_of_many_of_one_name(tmp_path: Path) -> None:
    def asked(lists: int) -> Callable[[], object]:
        (session,) = waves_of(state_of(tmp_path / str(lists), 1 + lists))

        def work() -> None:
            for name in ("cfg", "m::cfg"):
                with pytest.raises(UsageError, match="several"):
                    language.evaluate(name, session)

        return work

    assert_linear(asked, 100)
