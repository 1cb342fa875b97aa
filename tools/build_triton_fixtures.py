#!/usr/bin/env python3
"""Rebuild fixtures/triton: kernels that Triton compiles for AMD GPUs, without a GPU.

Needs the package `triton`, which brings its own LLVM, in an environment for each version:

    python3 -m venv triton && triton/bin/pip install triton==3.9.0 numpy
    triton/bin/python tools/build_triton_fixtures.py

3.9.0 makes all files but those of 3.6.0, which have that version in their names. Two runs give the
same bytes, and no file has an absolute path of the machine: the source has the name that Python
gives it.

3.9.0 makes fixtures/llvm24 as well: clang 19 (`CLANG` names another) gives LLVM IR of HIP, and the
LLVM 24 of Triton compiles that. It writes call frame information of functions that are called.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

FIXTURES: Final = Path(__file__).resolve().parent.parent / "fixtures"
KERNELS: Final[dict[str, tuple[dict[str, str], dict[str, int]]]] = {
    "axpy": (
        {"x": "*fp32", "y": "*fp32", "n": "i32", "a": "fp32", "BLOCK": "constexpr"},
        {"BLOCK": 256},
    ),
    "loops": (
        {"x": "*fp32", "y": "*fp32", "n": "i32", "count": "i32", "BLOCK": "constexpr"},
        {"BLOCK": 256},
    ),
    "softmax": (
        {"x": "*fp32", "y": "*fp32", "columns": "i32", "BLOCK": "constexpr"},
        {"BLOCK": 256},
    ),
    "matmul": ({"a": "*fp16", "b": "*fp16", "c": "*fp32", "SIZE": "constexpr"}, {"SIZE": 32}),
}
"""Types of the parameters, and the constants; the source is `triton/NAME.py`."""
LANES: Final = {
    "gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1200": 32, "gfx1250": 32,
}  # fmt: skip
"""Lanes of a wave, by processor."""
FILES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "3.9.0": {
        "axpy": tuple(LANES),
        "loops": tuple(LANES),
        "softmax": ("gfx942", "gfx950", "gfx1100"),
        "matmul": ("gfx942", "gfx950", "gfx1100"),
    },
    "3.6.0": {"loops": ("gfx942", "gfx1100"), "matmul": ("gfx942",)},
}
"""The processors of each kernel, by the version of Triton."""
NEWEST: Final = "3.9.0"
HIP: Final = (("call", "gfx90a", "0"), ("call", "gfx942", "0"), ("call", "gfx942", "2"),
              ("call", "gfx1100", "0"))  # fmt: skip
"""Source, processor and optimization of `llvm24/`."""


class _Assembly(bytes):
    """Assembler text of LLVM, whose comments show any byte as a character."""

    def decode(self, encoding: str = "utf-8", errors: str = "replace") -> str:
        return super().decode(encoding, errors)


class _Strings:
    """`ctypes` for Triton, which cannot decode the comments of constants in some expressions."""

    def __getattr__(self, name: str) -> Any:
        return getattr(ctypes, name)

    @staticmethod
    def string_at(*arguments: Any) -> bytes:
        return _Assembly(ctypes.string_at(*arguments))


def name_triton_without_folder() -> None:
    """Give the functions of Triton's own library, which kernels inline, a relative file name."""
    import triton
    from triton.language import standard

    for function in vars(standard).values():
        if isinstance(function, triton.JITFunction):
            code, name = function.fn.__code__, "triton/language/standard.py"
            function.fn.__code__ = code.replace(co_filename=name)
            if hasattr(function, "file_name"):
                function.file_name = name


def kernel(name: str) -> Any:
    """The kernel of a source, compiled by Python under its relative name."""
    source = f"triton/{name}.py"
    names: dict[str, Any] = {"__name__": name}
    exec(compile(Path(source).read_text(encoding="utf-8"), source, "exec"), names)
    return names[name]


def compile_hip(compiler: Any, name: str, processor: str, level: str) -> None:
    """Compile HIP by clang as far as LLVM IR, and that by Triton's LLVM."""
    from triton._C.libtriton import amd

    clang = os.environ.get("CLANG", "clang-19")
    resources = subprocess.check_output([clang, "-print-resource-dir"], text=True).strip()
    command = [
        clang, "-x", "hip", f"hip/{name}.hip", f"--offload-arch={processor}",
        "--cuda-device-only", "-nogpulib", "-nogpuinc", "-mcode-object-version=5", "-g",
        f"-O{level}", "-fdebug-compilation-dir=.",
        f"-ffile-prefix-map={resources}=clang", "-S", "-emit-llvm", "-o", "-",
    ]  # fmt: skip
    ir = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assembly = compiler.compile_amdgpu(
        ir, compiler.get_amd_codegen_target_triple(processor), processor, "", flags=[],
        enable_fp_fusion=False, disable_optimization=level == "0", canonicalize_gep=False,
        disabled_passes="", dump_ir=False, enable_timing=False,
    )  # fmt: skip
    with tempfile.NamedTemporaryFile() as relocatable:
        relocatable.write(compiler.assemble_amdgcn(assembly, processor, ""))
        relocatable.flush()
        linked = f"llvm24/{name}.{processor}.O{level}.co"
        amd.link_hsaco(relocatable.name, linked)
        Path(linked).chmod(0o644)


def main() -> None:
    """Write a code object of each kernel for each target."""
    os.chdir(FIXTURES)
    os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
    os.environ["LLVM_EXTRACT_DI_LOCAL_VARIABLES"] = "1"
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        import triton
        from triton.backends.amd import compiler
        from triton.backends.compiler import GPUTarget

        name_triton_without_folder()
        compiler.ctypes = _Strings()
        version = triton.__version__
        suffix = "" if version == NEWEST else f".triton{version}"
        for name, processors in FILES[version].items():
            for processor in processors:
                source = triton.compiler.ASTSource(kernel(name), *KERNELS[name])
                compiled = triton.compile(
                    source, target=GPUTarget("hip", processor, LANES[processor])
                )
                path = Path(f"triton/{name}.{processor}{suffix}.co")
                path.write_bytes(compiled.asm["hsaco"])
        if version == NEWEST:
            Path("llvm24").mkdir(exist_ok=True)
            for name, processor, level in HIP:
                compile_hip(compiler, name, processor, level)


if __name__ == "__main__":
    main()
