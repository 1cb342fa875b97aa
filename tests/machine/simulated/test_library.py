"""Kernels of real libraries compute what independent models do; skipped without the libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import FIXTURES
from tests.machine.simulated.kernels import KERNELS
from tests.machine.simulated.test_kernels import begun
from tools import run_library, run_random
from tools.check_library import LIBRARY


@pytest.mark.parametrize("target", ["gfx906:xnack-", "gfx1030"])
def test_a_sparse_product(target: str, tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    if not Path(LIBRARY).exists():
        pytest.skip(f"{LIBRARY} is not installed")
    library = run_library.Library(LIBRARY, target, tmp_path)
    [case] = [case for case in run_library.cases() if case.kernel.startswith("csrmvn")]
    text, is_right = run_library.outcome(case, library, tmp_path)
    assert is_right, text


@pytest.mark.parametrize("target", ["gfx90a:xnack-", "gfx1030"])
def test_random_generators(target: str, tmp_path: Path) -> None:
    if not Path(run_random.LIBRARY).exists():
        pytest.skip(f"{run_random.LIBRARY} is not installed")
    library = run_library.Library(run_random.LIBRARY, target, tmp_path)
    for case in run_random.cases():
        text, is_right = run_library.outcome(case, library, tmp_path)
        assert is_right, text


def test_jumps_of_the_recurrences_are_their_steps() -> None:
    state = first = run_random.mrg_engine(0)
    for _ in range(100):
        state, _ = run_random.mrg_next(state)
    after = run_random.jumped(run_random.STEP_1, first[:3], 100, run_random.M1)
    assert after == state[:3]
    words = (1 << 31, 3, 0xDEADBEEF, 0, 7, 0)
    stepped = words
    for _ in range(8):
        stepped = run_random.xorwow_step(stepped)
    bits = [words[row // 32] >> row % 32 & 1 for row in range(160)]
    eighth = run_random.powers_of_xorwow(4)[3].astype(int) @ bits % 2
    assert list(eighth) == [stepped[row // 32] >> row % 32 & 1 for row in range(160)]


def test_a_kernarg_segment_reaches_to_its_alignment(tmp_path: Path) -> None:
    """Compilers load four dwords of arguments at once where fewer are left."""
    path = FIXTURES / "run/integers.gfx90a.O2.v5.co"
    machine, _ = begun(path, KERNELS["vadd"], tmp_path)
    [segment] = [
        item for item in machine.global_memory.allocations if item.name == "the kernarg segment"
    ]
    assert segment.start % 64 == segment.end % 64 == 0
    assert segment.end - segment.start == 64  # of 24 bytes


def test_without_the_library_the_tool_reports_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["run_library", "/nowhere/librocsparse.so"])
    assert run_library.main() == 0
    assert capsys.readouterr().out == "/nowhere/librocsparse.so is not installed\n"
