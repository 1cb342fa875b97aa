#!/usr/bin/env python3
"""Rebuild fixtures/triton: kernels that Triton compiles for AMD GPUs, without a GPU.

Needs the package `triton` (3.9.0; it brings its own LLVM), in an environment of its own:

    python3 -m venv triton && triton/bin/pip install triton==3.9.0 numpy
    triton/bin/python tools/build_triton_fixtures.py

The files have no absolute path of the machine: Triton names the source as Python does.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Final

FIXTURES: Final = Path(__file__).resolve().parent.parent / "fixtures"
SOURCE: Final = "triton/axpy.py"
SIGNATURE: Final = {"x": "*fp32", "y": "*fp32", "n": "i32", "a": "fp32", "BLOCK": "constexpr"}
TARGETS: Final = {"gfx942": 64, "gfx1100": 32}
"""Lanes of a wave, by processor."""


def kernel() -> Any:
    """The kernel of the source, compiled by Python under its relative name."""
    names: dict[str, Any] = {"__name__": "axpy"}
    exec(compile(Path(SOURCE).read_text(encoding="utf-8"), SOURCE, "exec"), names)
    return names["axpy"]


def main() -> None:
    """Write a code object for each target."""
    os.chdir(FIXTURES)
    os.environ["LLVM_EXTRACT_DI_LOCAL_VARIABLES"] = "1"
    os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        import triton
        from triton.backends.compiler import GPUTarget

        for processor, lanes in TARGETS.items():
            source = triton.compiler.ASTSource(kernel(), SIGNATURE, {"BLOCK": 256})
            compiled = triton.compile(source, target=GPUTarget("hip", processor, lanes))
            Path(f"triton/axpy.{processor}.co").write_bytes(compiled.asm["hsaco"])


if __name__ == "__main__":
    main()
