"""The core file that the GPUs of a state would leave, for `generate-core-file` and the tests."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from dwarfgpu.base.readable_files import folder_of, resolved
from dwarfgpu.base.writing import write_file, write_parts
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.machine.core.gpu.code_objects import LoadedUri
from dwarfgpu.machine.core.gpu.process_image import process_core
from dwarfgpu.machine.core.gpu.state_image import image_of_state
from dwarfgpu.machine.core.write import core_parts, core_state_note
from dwarfgpu.machine.state.state_document import LoadedFile
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.service.machine.code_object_files import code_object_files


def write_core_of_state(
    path: Path,
    target: StateTarget,
    pcs: Mapping[WaveId, int | None],
    code_objects: Iterable[CodeObject],
    removed: Path | None = None,
) -> tuple[str, ...]:
    """Write the core file, and code objects without files beside it; return what the core file
    cannot hold, and what it needs beside it, one line each.

    `removed`: as of `code_object_files`.

    `UsageError` for threads of a CPU and for a file that cannot be written, `LimitExceeded` for
    code objects larger than `FileLimits.state_bytes`; other errors as of
    `dwarfgpu.machine.core.gpu.state_image.image_of_state`.
    """
    objects = tuple(code_objects)
    files = code_object_files([(it.file, it.load_address) for it in objects], path, removed)
    uris = [_uri(loaded) for loaded in files.loaded]
    image = image_of_state(target, pcs, uris, _loaded(objects))
    state, ranges = process_core(image.image)
    for name, data in files.own.items():
        write_file(folder_of(path) / name, data)
    write_parts(path, core_parts([core_state_note(state)], ranges))
    beside = [f"the code object of {path} is {name} beside it" for name in files.own]
    return (*image.notes, *beside)


def _uri(loaded: LoadedFile) -> LoadedUri:
    path = os.fsencode(resolved(loaded.path))
    return LoadedUri(f"file://{quote(path, safe='/._~-')}", loaded.load_address)


def _loaded(code_objects: Iterable[CodeObject]) -> Iterator[tuple[int, bytes]]:
    """Yield the loaded read-only parts of code objects; `LimitExceeded` where all together, with
    the zeros behind what the files have, are more than the memory of a state may be."""
    total = 0
    for code_object in code_objects:
        most = code_object.file.limits.state_bytes
        for image in code_object.loaded_segments():
            if image.is_writable:
                continue
            total += image.size_bytes
            if total > most:
                raise LimitExceeded(
                    f"the segments of the code objects to {code_object.file.path} have {total} "
                    f"bytes to write, more than {most}",
                    "--max-state-bytes",
                )
            yield image.address, image.read(0, image.size_bytes)
