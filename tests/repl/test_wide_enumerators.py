"""Enumerations of 128 bits, whose enumerators compilers write as blocks or as DW_FORM_data16; GDB
13 has no such number."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers

SOURCE = """\
typedef __int128 I; typedef unsigned __int128 U;
enum E : I { A = -2, B = (I)1 << 100, C = -((I)1 << 100), D = 5 };
enum class F : U { A = 1, B = ~(U)0, C = (U)1 << 64, D = (U)1 << 127 };
E e = C; F f = F::D;
int main() { return 0; }
"""
OF_RUST = """\
#![feature(repr128)]
#![allow(stable_features, incomplete_features, internal_features, dead_code)]
#[repr(i128)] pub enum I { A = -1, B = 1 << 100, C = -(1 << 100) }
#[repr(u128)] pub enum U { A = 1, B = 1 << 127 }
pub static E: I = I::C; pub static F: U = U::B;
fn main() { std::hint::black_box((&E, &F)); }
"""
POWER = 1 << 100
VALUES = {
    "e": "C", "f": "F::D", "A": "A", "(I)A": "-2", "(I)B": f"{POWER}", "(I)C": f"{-POWER}",
    "(U)F::B": f"{(1 << 128) - 1}", "(U)F::C": f"{1 << 64}", "e == C": "true", "e < A": "true",
    "(E)5": "D", "(F)1": "F::A",
}  # fmt: skip
VALUES_OF_RUST = {
    "a::E": "a::I::C", "a::F": "a::U::B", "a::I::A as i128": "-1",
    "a::I::B as i128": f"{POWER}", "a::I::C as i128": f"{-POWER}",
    "a::U::B as u128": f"{1 << 127}",
}  # fmt: skip


def _printed(file: Path, expressions: list[str]) -> list[str]:
    shown = answers(None, [str(file)], [f"print {text}" for text in expressions])
    lines = ["".join(line for line in answer.splitlines() if line[:1] == "$") for answer in shown]
    return [line.partition(" = ")[2] for line in lines]


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("compiler", ["g++", "clang++-19"])
def test_enumerators_of_cplusplus(
    tool: Callable[[str], str], tmp_path: Path, compiler: str, version: int
) -> None:
    (tmp_path / "a.cpp").write_text(SOURCE)
    words = [tool(compiler), "-g", f"-gdwarf-{version}", "-O0", "-o", "a", "a.cpp"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=60)
    assert _printed(tmp_path / "a", [*VALUES]) == [*VALUES.values()]


def test_enumerators_of_rust(tool: Callable[[str], str], tmp_path: Path) -> None:
    (tmp_path / "a.rs").write_text(OF_RUST)
    unstable = {**os.environ, "RUSTC_BOOTSTRAP": "1"}  # the feature was until Rust 1.89
    words = [tool("rustc"), "-g", "-o", "a", "a.rs"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=60, env=unstable)
    assert _printed(tmp_path / "a", [*VALUES_OF_RUST]) == [*VALUES_OF_RUST.values()]
