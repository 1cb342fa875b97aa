"""Random programs leave what the host computes: tools/fuzz_kernels.py, a short run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tools import fuzz_kernels


@pytest.mark.parametrize(
    ("seed", "target", "level"), [(6, "gfx942", "O0"), (6, "gfx1100", "O2"), (9, "gfx1200", "O2")]
)
def test_a_random_program(
    seed: int,
    target: str,
    level: str,
    tool: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fuzz_kernels, "CLANG", tool("clang-19"))
    assert list(fuzz_kernels.differences(seed, tmp_path, [target], [level])) == []


def test_a_wrong_instruction_is_found(
    tool: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz_kernels, "CLANG", tool("clang-19"))
    computed = fuzz_kernels.of_host

    def wrong(source: Path, given: fuzz_kernels.Words) -> fuzz_kernels.Words:
        return computed(source, given) ^ fuzz_kernels.np.uint64(1)

    monkeypatch.setattr(fuzz_kernels, "of_host", wrong)
    lines = list(fuzz_kernels.differences(6, tmp_path, ["gfx942"], ["O2"]))
    assert len(lines) == 1 and "256 of 256 work-items differ" in lines[0]


def test_a_program_is_a_function_of_its_seed() -> None:
    first, second = (fuzz_kernels.Program(Random(9)).text() for _ in range(2))
    assert first == second
