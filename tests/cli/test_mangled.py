"""Names are shown as people write them; `--mangled` shows those of the file."""

from __future__ import annotations

import pytest

from dwarfgpu.check.finding import Place
from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.service.check_report import place_text
from tests.cli.command import FIXTURES, run


@pytest.mark.parametrize(
    ("symbol", "plain"),
    [
        ("_ZN2ns1fEi", "ns::f(int)"),
        ("_ZN2ns1fEi.cold", "ns::f(int).cold"),
        ("_Z1kPf.kd", "k(float*).kd"),
        ("nest", "nest"),
        ("_Z", "_Z"),
    ],
)
def test_a_symbol(symbol: str, plain: str) -> None:
    assert shown_symbol(symbol) == plain
    assert shown_symbol(symbol, is_mangled=True) == symbol


def test_a_finding_about_an_fde() -> None:
    place = Place(".eh_frame", 0, "FDE", "_ZN2ns1fEi")
    assert place_text(place) == "FDE ns::f(int) (.eh_frame 0x0)"
    assert place_text(place, is_mangled=True) == "FDE _ZN2ns1fEi (.eh_frame 0x0)"


@pytest.mark.parametrize("command", ["frames", "check", "info"])
def test_the_commands_have_the_option(command: str) -> None:
    path = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    assert run(command, path).out == run(command, path, "--mangled").out
