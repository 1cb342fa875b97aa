"""LDS variables of upstream clang, wherever the code object is loaded."""

from __future__ import annotations

import pytest

from tests.cli.command import FIXTURES, run

DATA = FIXTURES / "hip/data.gfx942.O0.v5.co"
PC = 0x2660
"""In the kernel `data`, whose `tile` is in LDS, as `pool` of the file is."""


@pytest.mark.parametrize("load_address", [0, 0x1000, 0x7F00_8000_0000])
@pytest.mark.parametrize("name", ["tile", "pool"])
def test_a_variable_in_lds_is_not_moved_by_the_load_address(name: str, load_address: int) -> None:
    memory = "local#0x0=" + "0000803f" * 64
    arguments = ("--file", DATA, "--load-address", load_address, "--pc", PC + load_address)
    done = run("eval", *arguments, "--lane", 0, "--mem", memory, f"&{name}", f"{name}[63]")
    address, element = done.out.splitlines()
    assert address.endswith(" local#0x0")
    assert element == f"{name}[63] = {'1' if name == 'tile' else '1065353216'}"
    assert "upstream clang writes the offset 0 for every LDS variable" in done.err
