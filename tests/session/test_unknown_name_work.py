"""Why a name is unknown: how much work that is where one file is loaded many times."""

from __future__ import annotations

from functools import partial

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.session.session import Session
from dwarfgpu.session.unknown_name import why_unknown
from tests.cli.command import FIXTURES
from tests.work import calls_of

NEST = FIXTURES / "hip" / "nest.gfx942.O2.v5.co"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("nothing", ""), ("limits", ' Did you mean "limit"?'), ("nesd", ' Did you mean "nest"?')],
)
def test_loads_of_a_file_are_not_searched_anew(name: str, expected: str) -> None:
    """Each of thousands of waves may ask, and each may be in another load of the file."""
    file = ObjectFile(str(NEST), NEST.read_bytes())
    loads = tuple(CodeObject.of(file, number * 0x10000) for number in range(60))
    each = []
    for count in (20, 60):
        architecture = loads[0].architecture
        assert architecture is not None
        session = Session(architecture, loads[:count], pc=0x1690)
        assert why_unknown(session, name) == expected
        each.append(calls_of(partial(why_unknown, session, name)))
    assert each[1] < each[0] + 10 * 40, each
