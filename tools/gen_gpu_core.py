"""`python -m tools.gen_gpu_core`: the core file of an AMD GPU among the fixtures.

A kernel runs on the simulated wavefronts until it reads behind the end of a buffer; the core file
names its code object by a path that no machine has, as one that comes from elsewhere does.
"""

from __future__ import annotations

import lzma
from argparse import Namespace
from pathlib import Path
from typing import Any, Final

from dwarfgpu.machine.core.gpu.code_objects import LoadedUri
from dwarfgpu.machine.core.gpu.process_image import process_core
from dwarfgpu.machine.core.gpu.state_image import image_of_state
from dwarfgpu.machine.core.write import core_parts, core_state_note
from dwarfgpu.options.opened_launch import prepare_run
from dwarfgpu.service.run.run_kernel import run_kernel
from dwarfgpu.service.run.state_of_run import all_of_run

FIXTURES: Final = Path(__file__).resolve().parent.parent / "fixtures"
CODE_OBJECT: Final = FIXTURES / "opencl/kernels.gfx942.O0.v5.co"
CORE: Final = FIXTURES / "core/loop.gfx942.core.xz"
URI: Final = f"file:///opt/app/{CODE_OBJECT.name}"


class Options(Namespace):
    """Options that are not given are None."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


def core_of_loop() -> bytes:
    """The core file: `in` has 300 numbers, and 256 work-items read 100 of them each."""
    options = Options(
        file=str(CODE_OBJECT), kernel="loop", grid="256", workgroup="64",
        arg=["in=zeros:1200", "out=zeros:1024", "n=100"],
    )  # fmt: skip
    prepared = prepare_run(options)
    result = run_kernel(prepared.code_object, prepared.launched)
    target, pcs = all_of_run(prepared.launched, result.machine)
    loaded = [
        (segment.address, segment.read(0, segment.size_bytes))
        for segment in prepared.code_object.loaded_segments()
        if not segment.is_writable
    ]
    uri = LoadedUri(URI, prepared.code_object.load_address)
    state, ranges = process_core(image_of_state(target, pcs, [uri], loaded).image)
    return b"".join(core_parts([core_state_note(state)], ranges))


if __name__ == "__main__":
    CORE.write_bytes(lzma.compress(core_of_loop(), preset=9))
    print(CORE)
