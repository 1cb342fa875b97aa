"""Core files of processes whose waves are of several processors, made of kernels that run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.core.gpu.code_objects import LoadedUri
from dwarfgpu.machine.core.gpu.process_image import ProcessImage, process_core
from dwarfgpu.machine.core.gpu.state_image import image_of_state
from dwarfgpu.machine.core.write import core_parts, core_state_note
from dwarfgpu.machine.simulated.launch.dispatch import dispatched, named_buffers
from dwarfgpu.machine.simulated.launch.dispatch_request import FIRST_PLACEMENT
from dwarfgpu.machine.simulated.launch.machine_of_dispatch import machine_of_dispatch
from dwarfgpu.options.opened_launch import prepare_run
from dwarfgpu.service.run.state_of_run import all_of_run
from tools.gen_gpu_core import Options


@frozen
class Running:
    """A dispatch of its own GPU."""

    file: Path
    kernel: str
    arguments: tuple[str, ...]
    instructions: int = 0
    """That its waves have executed before the core file is written."""


def core_of(dispatches: Sequence[Running]) -> tuple[bytes, list[dict[str, int]]]:
    """The core file, and the addresses of the buffers of each dispatch by their names; `same:out`
    as an argument is that of the dispatch before."""
    images, uris, buffers = list[ProcessImage](), list[LoadedUri](), list[dict[str, int]]()
    for number, running in enumerate(dispatches, 1):
        load_address = 0x7F00_0000_0000 - (number << 36)
        options = Options(
            file=str(running.file), kernel=running.kernel, grid="128", workgroup="64",
            arg=[f"{n}={text}" for n, text in enumerate(running.arguments)],
            load_address=hex(load_address),
        )  # fmt: skip
        place = evolve(
            FIRST_PLACEMENT,
            agent=evolve(FIRST_PLACEMENT.agent, id=number),
            objects_address=0x7E00_0000_0000 - (number << 36),
            scratch_address=0x7D00_0000_0000 - (number << 36),
        )
        options.arg = [_placed(text, buffers[-1] if buffers else {}) for text in options.arg]
        prepared = prepare_run(options)
        launched = dispatched(evolve(prepared.launched.request, placement=place))
        code_object: CodeObject = prepared.code_object
        machine = machine_of_dispatch(launched, code_object.loaded_segments(), 0)
        machine.run(most=running.instructions)
        target, pcs = all_of_run(launched, machine)
        loaded = [
            (image.address, image.read(0, image.size_bytes))
            for image in code_object.loaded_segments()
            if not image.is_writable
        ]
        uri = LoadedUri(f"file://{quote(str(running.file))}", load_address)
        images.append(image_of_state(target, pcs, [uri], loaded).image)
        uris.append(uri)
        made = named_buffers([launched])
        buffers.append({name: buffer.address for name, buffer in made.items()})
    whole = ProcessImage(
        tuple(agent for image in images for agent in image.agents),
        tuple(
            evolve(queue, agent=number)
            for number, image in enumerate(images)
            for queue in image.queues
        ),
        tuple(uris),
        tuple(part for image in images for part in image.memory),
        free_address=max(image.free_address for image in images) + (1 << 32),
    )
    state, ranges = process_core(whole)
    return b"".join(core_parts([core_state_note(state)], ranges)), buffers


def _placed(text: str, earlier: dict[str, int]) -> str:
    """`0=same:out` as the address of that buffer."""
    name, _, value = text.partition("=")
    if not value.startswith("same:"):
        return text
    return f"{name}={earlier[value.removeprefix('same:')]:#x}"
