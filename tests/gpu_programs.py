"""GPU programs that clang makes for a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.objfile.build import run

_LANGUAGES = {
    ".cl": ["-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa", "-mcpu={}"],
    ".hip": [
        "-x", "hip", "--offload-arch={}", "--cuda-device-only", "-nogpuinc",
        "--no-gpu-bundle-output",
    ],
}  # fmt: skip


def gpu_program(
    tool: Callable[[str], str], source: Path, text: str, processor: str, *options: str
) -> Path:
    """A code object with debug information of this text, `kernel.co` for `kernel.cl` or
    `kernel.hip`; the test is skipped where clang-19 is not installed."""
    source.write_text(text)
    words = [word.format(processor) for word in _LANGUAGES[source.suffix]]
    path = source.with_suffix(".co")
    run(tool("clang-19"), *words, "-nogpulib", "-g", *options, source, "-o", path)
    return path
