#!/usr/bin/env python3
"""Rebuild fixtures/nvidia: cubins of Triton and of clang, and fat binaries, without a GPU.

Needs clang 19 (`CLANG` names another), gcc, and two packages of PyPI: `triton`, which brings ptxas
12.9 and 13.4, and NVIDIA's compiler, without its headers, for `cicc` and `fatbinary`:

    python3 -m venv triton && triton/bin/pip install triton==3.9.0 numpy nvidia-cuda-nvcc==13.5.37
    triton/bin/python tools/build_nvidia_fixtures.py

Two runs give the same bytes, and no file has a path of the machine. What nvdisasm and cuobjdump
say of some cubins is recorded in `NAME.lines.txt` and `NAME.kernels.txt`, for tests on machines
without them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from build_triton_fixtures import FIXTURES, KERNELS, kernel, name_triton_without_folder

TRITON: Final = (("axpy", 80), ("axpy", 90), ("loops", 120))
"""Kernel and compute capability times ten."""
SOURCE: Final = "nvidia/combine.cu"
CLANG: Final = (
    ("combine.sm_75", "75", "ptxas", "0", ("-g",)),
    ("combine.sm_90", "90", "ptxas-blackwell", "0", ("-g",)),
    ("combine.sm_80.relocatable", "80", "ptxas", "0", ("-g", "-c")),
    ("combine.sm_75.lineinfo", "75", "ptxas", "2", ("-lineinfo",)),
)
"""File, compute capability, assembler, optimization of clang, options of the assembler."""
IMAGES: Final = (
    "--image3=kind=elf,sm=75,file=combine.sm_75.lineinfo.cubin",
    "--image3=kind=elf,sm=90,file=combine.sm_90.cubin",
    "--image3=kind=ptx,sm=75,file=combine.sm_75.lineinfo.ptx",
)
FATBINS: Final[dict[str, tuple[str, ...]]] = {
    "combine": ("--compress=false",),
    "combine.lz4": ("--compress-all", "--compress-mode=speed"),
    "combine.zstd": ("--compress-all", "--compress-mode=size"),
    "combine.joined": ("--compress-all", "--concat"),
}
"""Fat binaries by the options that make them."""
HOST: Final = """
    .section .nv_fatbin, "a"
    .balign 8
    .incbin "combine.lz4.fatbin"
    .incbin "combine.zstd.fatbin"
    .text
    .globl main
main:
    ret
    .section .note.GNU-stack, "", @progbits
"""
"""A host object with two fat binaries, as each translation unit of a program adds one."""

RECORDED: Final = ("axpy.sm_80", "axpy.sm_90", "combine.sm_75.lineinfo", "combine.sm_90")
_SECTION: Final = re.compile(r"\.text\.(\S+):")
_LINE: Final = re.compile(r"\s*//## File \"(.+)\", line (\d+)")
_INSTRUCTION: Final = re.compile(r"\s*/\*([0-9a-f]+)\*/ .*;")
_KERNEL_FACTS: Final = re.compile(
    r"\bsm=\w+|function: \S+\(0x\w+\)\s+(?:register count|frame size): \w+"
    r"|Ordinal : \w+\s+Offset  : \w+\s+Size    : \w+"
)


def lines_of(nvdisasm: str) -> Iterator[str]:
    """Section, offset, line of the source and of PTX, of each instruction at which one changes."""
    section, source, ptx, last = "", "-", "-", ""
    for text in nvdisasm.splitlines():
        if begin := _SECTION.match(text):
            section, source, ptx = begin[1], "-", "-"
        elif line := _LINE.match(text):
            if line[1].startswith(".nv_debug_ptx_txt"):
                ptx = line[2]
            else:
                source = f"{line[1]}:{line[2]}"
        elif (instruction := _INSTRUCTION.match(text)) and section:
            known = f"{source} {ptx}"
            if known != last:
                yield f"{section} {int(instruction[1], 16):#x} {known}"
            last = known


def without_folder(ptx: str, folder: str) -> str:
    """PTX whose debug information has another folder of the same length: cicc takes no name."""
    name = "/nvidia".ljust(len(folder), "-")
    ptx = ptx.replace(folder, name)
    numbers = [str(byte) for byte in folder.encode()]
    others = iter(str(byte) for byte in name.encode())
    match = re.search(r"(?:,|\n\.b8 )".join(numbers), ptx)
    assert match is not None
    renamed = re.sub(r"(?<!b)\d+", lambda _: next(others), match[0])
    return ptx[: match.start()] + renamed + ptx[match.end() :]


def record(programs: Path) -> None:
    """What NVIDIA's own tools say of the cubins."""
    for name in RECORDED:
        command = [str(programs / "nvdisasm"), "-g", "-gp", f"nvidia/{name}.cubin"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        Path(f"nvidia/{name}.lines.txt").write_text("\n".join(lines_of(text)) + "\n")
        command = [str(programs / "cuobjdump"), "-elf", f"nvidia/{name}.cubin"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        facts = [" ".join(match[0].split()) for match in _KERNEL_FACTS.finditer(text)]
        Path(f"nvidia/{name}.kernels.txt").write_text("\n".join(facts) + "\n")


def main() -> None:
    """Write every file."""
    import triton
    from triton.backends.compiler import GPUTarget

    os.chdir(FIXTURES)
    os.environ["LLVM_EXTRACT_DI_LOCAL_VARIABLES"] = "1"
    os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
    programs = Path(triton.__file__).parent / "backends/nvidia/bin"
    nvcc = next(Path(path) / "nvidia/cu13/bin" for path in sys.path if path.endswith("packages"))
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        name_triton_without_folder()
        for name, capability in TRITON:
            source = triton.compiler.ASTSource(kernel(name), *KERNELS[name])
            compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32))
            Path(f"nvidia/{name}.sm_{capability}.cubin").write_bytes(compiled.asm["cubin"])
    clang = os.environ.get("CLANG", "clang-19")
    with tempfile.TemporaryDirectory() as folder:
        for name, capability, assembler, level, options in CLANG:
            command = [
                clang, "-x", "cuda", SOURCE, "--cuda-device-only", "-nocudainc", "-nocudalib",
                f"--cuda-gpu-arch=sm_{capability}", "-g", f"-O{level}", "-S", "-o", "-",
                "-fdebug-compilation-dir=.", "-Wno-unknown-cuda-version",
            ]  # fmt: skip
            ptx = subprocess.run(command, capture_output=True, check=True).stdout
            (Path(folder) / f"{name}.ptx").write_bytes(ptx)
            command = [
                str(programs / assembler), *options, f"-arch=sm_{capability}",
                f"{name}.ptx", "-o", f"{name}.cubin",
            ]  # fmt: skip
            subprocess.run(command, cwd=folder, check=True)
            shutil.copy(Path(folder) / f"{name}.cubin", "nvidia")
        shutil.copy("nvidia/kinds.cu", Path(folder) / "kinds.ii")
        command = [
            str(nvcc.parent / "nvvm/bin/cicc"), "--c++17", "-arch", "compute_80", "-m64", "-g",
            "-O0", "--orig_src_file_name", "kinds.cu", "-o", "kinds.ptx", "kinds.ii",
        ]  # fmt: skip
        subprocess.run(command, cwd=folder, check=True)
        ptx_of_cicc = Path(folder) / "kinds.ptx"
        ptx_of_cicc.write_text(without_folder(ptx_of_cicc.read_text(), folder))
        command = [str(nvcc / "ptxas"), "-g", "-arch=sm_80", "kinds.ptx", "-o", "kinds.cubin"]
        subprocess.run(command, cwd=folder, check=True)
        shutil.copy(Path(folder) / "kinds.cubin", "nvidia/kinds.sm_80.cubin")
        for name, packing in FATBINS.items():
            command = [str(nvcc / "fatbinary"), f"--create={name}.fatbin", "-64", *packing, *IMAGES]
            subprocess.run(command, cwd=folder, check=True)
            shutil.copy(Path(folder) / f"{name}.fatbin", "nvidia")
        command = ["gcc", "-c", "-x", "assembler", "-", "-o", "host.o"]
        subprocess.run(command, cwd=folder, input=HOST, text=True, check=True)
        shutil.copy(Path(folder) / "host.o", "nvidia")
    record(programs)


if __name__ == "__main__":
    main()
