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
KERNELS: Final[dict[str, tuple[dict[str, str], dict[str, int]]]] = {
    "axpy": (
        {"x": "*fp32", "y": "*fp32", "n": "i32", "a": "fp32", "BLOCK": "constexpr"},
        {"BLOCK": 256},
    ),
    "softmax": (
        {"x": "*fp32", "y": "*fp32", "columns": "i32", "BLOCK": "constexpr"},
        {"BLOCK": 256},
    ),
    "matmul": ({"a": "*fp16", "b": "*fp16", "c": "*fp32", "SIZE": "constexpr"}, {"SIZE": 32}),
}
"""Types of the parameters, and the constants; the source is `triton/NAME.py`."""
TARGETS: Final = {"gfx942": 64, "gfx1100": 32}
"""Lanes of a wave, by processor."""


def kernel(name: str) -> Any:
    """The kernel of a source, compiled by Python under its relative name."""
    source = f"triton/{name}.py"
    names: dict[str, Any] = {"__name__": name}
    exec(compile(Path(source).read_text(encoding="utf-8"), source, "exec"), names)
    return names[name]


def main() -> None:
    """Write a code object of each kernel for each target."""
    os.chdir(FIXTURES)
    os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        import triton
        from triton.backends.compiler import GPUTarget

        for name, (signature, constants) in KERNELS.items():
            # With names of variables, Triton 3.9.0 cannot write the text of the others.
            os.environ["LLVM_EXTRACT_DI_LOCAL_VARIABLES"] = "1" if name == "axpy" else "0"
            for processor, lanes in TARGETS.items():
                source = triton.compiler.ASTSource(kernel(name), signature, constants)
                compiled = triton.compile(source, target=GPUTarget("hip", processor, lanes))
                Path(f"triton/{name}.{processor}.co").write_bytes(compiled.asm["hsaco"])


if __name__ == "__main__":
    main()
