"""Which types of 16 bytes are x87 extended on x86: what `i386_floatformat_for_type` of GDB has, and
values that gcc compiles."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.base_type import float_format
from dwarfgpu.base.float_format import BINARY128, X87_EXTENDED
from tests.language.sessions import program, text

X87 = ("long double", "_Float64x", "real(kind=10)", "long_long_float", "real", "complex",
       "complex(kind=10)", "complex _Float64x", "complex long double")  # fmt: skip
QUAD = ("__float128", "_Float128", "complex _Float128", "complex(kind=16)", "complex*32",
        "COMPLEX*32", "quad complex", "real(kind=16)", "real*16", "REAL*16", "quad real",
        "f128")  # fmt: skip
SOURCE = """
_Float64x extended = 1.25f64x; _Float128 quad = 1.5f128; __float128 old = 2.5Q;
long double plain = 3.25L; _Complex _Float64x pair = 2.25f64x; _Complex _Float128 quads = 1.5f128;
int main(void) { return 0; }
"""


@pytest.mark.parametrize("name", X87)
def test_extended(name: str) -> None:
    assert float_format(name, 128, x87=True) is X87_EXTENDED
    assert float_format(name, 128) is BINARY128


@pytest.mark.parametrize("name", QUAD)
def test_binary128(name: str) -> None:
    assert float_format(name, 128, x87=True) is BINARY128


def test_the_same_as_gdb(tool: Callable[[str], str], tmp_path: Path) -> None:
    source, built = tmp_path / "floats.c", tmp_path / "floats"
    source.write_text(SOURCE)
    subprocess.run([tool("gcc"), "-w", "-g", "-O0", source, "-o", built], check=True)
    session = program(built)
    if session.architecture.name != "x86_64":
        pytest.skip("the x87 is of x86")
    for name in ("extended", "quad", "old", "plain", "pair", "quads"):
        command = [tool("gdb"), "-nx", "-q", "-batch", built, "-ex", f"print {name}"]
        printed = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
        assert text(session, name) == re.sub(r"^\$1 = ", "", printed.strip())
