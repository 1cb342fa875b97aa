"""Object files that clang makes for a test, and the bytes of those that it no longer makes."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

from dwarfgpu.base.records import frozen

HIP = """
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
struct pair { int first; double second; };
extern "C" __global__ void scale(int *out, float factor, pair p) {
  __shared__ int tile[64];
  tile[__builtin_amdgcn_workitem_id_x()] = p.first;
  out[0] = tile[3] * factor;
}
extern "C" __global__ void __attribute__((amdgpu_flat_work_group_size(1, 128))) sum(long *out) {
  volatile long big[40];
  for (int i = 0; i < 40; ++i) big[i] = out[i];
  out[0] = big[out[1]];
}
"""
C = """
struct shape { int sides; char name[4]; };
__thread int of_thread;
int global = 3;
static struct shape square = {4, "abc"};
int area(int x) {
  struct shape local = {x, "q"};
  for (int i = 0; i < x; i++) { local.sides += global; of_thread += i; }
  return local.sides + square.sides;
}
"""


def run(*command: object) -> str:
    """What a program prints; the test fails where it does."""
    words = [str(item) for item in command]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def hip(clang: str, folder: Path, target: str, version: int = 5, *more: str) -> Path:
    """A code object of `HIP` for a target."""
    source = folder / "kernels.hip"
    source.write_text(HIP)
    path = folder / f"kernels.{target.replace(':', '_')}.v{version}.co"
    run(
        clang, "-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output",
        f"--offload-arch={target}", f"-mcode-object-version={version}", "-nogpulib", "-nogpuinc",
        "-O2", "-g", *more, source, "-o", path,
    )  # fmt: skip
    return path


def note(owner: bytes, number: int, content: bytes) -> bytes:
    """One note record."""
    name = owner + b"\0"
    head = struct.pack("<III", len(name), len(content), number)
    return head + name + bytes(-len(name) % 4) + content + bytes(-len(content) % 4)


def gpu_header(data: bytes, abi_version: int, flags: int | None = None, os_abi: int = 64) -> bytes:
    """A file with another ABI in its ELF header."""
    out = bytearray(data)
    out[7], out[8] = os_abi, abi_version
    if flags is not None:
        out[48:52] = flags.to_bytes(4, "little")
    return bytes(out)


@frozen
class KernelCode:
    """The fields of `amd_kernel_code_t` that a test sets."""

    machine: tuple[int, int, int] = (8, 0, 3)
    entry_offset: int = 256
    rsrc1: int = 0x002C0041
    rsrc2: int = 0x90
    properties: int = 0x000A000B
    scratch: int = 0
    lds: int = 512
    kernarg: int = 8
    sgprs: int = 15
    vgprs: int = 7

    def pack(self) -> bytes:
        """The 256 bytes."""
        return struct.pack(
            "<IIHHHHqqQQIIIIIIQIHHHHHHHHBBBBi12xQ128x",
            1, 1, 1, *self.machine, self.entry_offset, 0, 0, 0, self.rsrc1, self.rsrc2,
            self.properties, self.scratch, self.lds, 0, self.kernarg, 0, self.sgprs, self.vgprs,
            0, 0, 0, 0, 0, 0, 4, 4, 4, 6, 0, 0,
        )  # fmt: skip
