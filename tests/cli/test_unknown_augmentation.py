"""Call frame information with an augmentation that nothing defines: what commands say of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check.made import frame_file
from tests.check.test_call_frame_info import CFA, UNKNOWN
from tests.cli.command import run

UNKNOWN_AUGMENTATION = (
    "the frame information is unknown: its CIE has the unknown augmentation 'xyz'"
)


@pytest.fixture
def unknown_frames(tmp_path: Path) -> Path:
    """A file whose only FDE belongs to a CIE with an augmentation that nothing defines."""
    path = tmp_path / "unknown.co"
    path.write_bytes(frame_file(CFA, common=UNKNOWN))
    return path


@pytest.mark.parametrize(
    "operation", ["call_frame_cfa", "LLVM_call_frame_entry_reg s30", "entry_value (regx s4)"]
)
def test_operations_report_unknown_frame_information(operation: str, unknown_frames: Path) -> None:
    done = run("explain", "--file", unknown_frames, "--pc", "0x1004", "-e", operation)
    assert done.status == 1
    assert f"{UNKNOWN_AUGMENTATION}\n" in done.out
    assert "dwarfgpu does not implement" not in done.out
    assert "the frame information is unknown: the operation is not at fault" in done.out or (
        operation.startswith("entry_value")
    )


def test_a_backtrace_reports_unknown_frame_information(unknown_frames: Path) -> None:
    done = run("bt", "--file", unknown_frames, "--pc", "0x1004")
    assert done.lines[-1] == f"stopped: the caller of frame 0: {UNKNOWN_AUGMENTATION}"
