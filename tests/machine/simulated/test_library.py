"""Kernels of a real library compute what SciPy does; skipped where it is not installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import FIXTURES
from tests.machine.simulated.kernels import KERNELS
from tests.machine.simulated.test_kernels import begun
from tools import run_library
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
