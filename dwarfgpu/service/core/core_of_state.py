"""The core file that the GPUs of a state would leave, for `generate-core-file` and the tests."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from dwarfgpu.base.readable_files import resolved
from dwarfgpu.base.writing import write_file
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.core.gpu.code_objects import LoadedUri
from dwarfgpu.machine.core.gpu.process_image import process_core
from dwarfgpu.machine.core.gpu.state_image import image_of_state
from dwarfgpu.machine.core.write import core_parts, core_state_note
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import WaveId


def write_core_of_state(
    path: Path,
    target: StateTarget,
    pcs: Mapping[WaveId, int | None],
    code_objects: Iterable[CodeObject],
) -> tuple[str, ...]:
    """Write the core file; what it cannot hold, one line each.

    `UsageError` for threads of a CPU and for a file that cannot be written; other errors as of
    `dwarfgpu.machine.core.gpu.state_image.image_of_state`.
    """
    objects = tuple(code_objects)
    image = image_of_state(
        target, pcs, [_uri(code_object) for code_object in objects], _loaded(objects)
    )
    state, ranges = process_core(image.image)
    write_file(path, *core_parts([core_state_note(state)], ranges))
    return image.notes


def _uri(code_object: CodeObject) -> LoadedUri:
    path = os.fsencode(resolved(Path(code_object.file.path)))
    return LoadedUri(f"file://{quote(path, safe='/._~-')}", code_object.load_address)


def _loaded(code_objects: Iterable[CodeObject]) -> Iterator[tuple[int, bytes]]:
    """Yield the loaded read-only parts of code objects."""
    for code_object in code_objects:
        for image in code_object.loaded_segments():
            if not image.is_writable:
                yield image.address, image.read(0, image.size_bytes)
