"""Report the results of a run, as text and as the object of `docs/schema/run.json`."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Sequence
from typing import Final

from dwarfgpu.base.float_format import BFLOAT16, FloatFormat
from dwarfgpu.base.json_reader import Json
from dwarfgpu.base.npy import NUMBER_CODES, Npy
from dwarfgpu.base.npy_fields import Field, leaves
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import shell_word
from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.errors import counted
from dwarfgpu.machine.simulated.launch.dispatch import Launched
from dwarfgpu.machine.simulated.launch.kernarg import FLOAT_FORMATS
from dwarfgpu.service.run.barrier_waits import barrier_lines
from dwarfgpu.service.run.run_kernel import Ending, Result, StopPosition, printable_text
from dwarfgpu.view.scalars import float_text

SCHEMA: Final = "dwarfgpu-run-1"
_MAX_SHOWN: Final = 8
_MAX_LANES: Final = 16
"""Of a vector, which is shown whole (OpenCL C 3.0, 6.3.2)."""
_MAX_TEXT_LINES: Final = 64
_MAX_TEXT: Final = 200
"""Characters of a text in a structure, as many as `print` shows."""
_NULL: Final = pattern(r"at 0x[0-9a-f]{1,3}: the state does not have it")
"""An access through a null pointer, at the offset of a member or an element."""


def heading(launched: Launched, *, is_mangled: bool) -> str:
    """Return the kernel, the processor and the sizes of a dispatch."""
    request = launched.request
    kernel = shown_symbol(request.kernel.name, is_mangled=is_mangled)
    sizes = [
        ",".join(map(str, size)) for size in (request.geometry.grid, request.geometry.workgroup)
    ]
    return (
        f"kernel {kernel} on {request.processor.name}, wave{launched.machine.lane_count}: "
        f"grid {sizes[0]}, workgroup {sizes[1]}"
    )


def ending_lines(ending: Ending) -> Iterator[str]:
    """Return how waves ended, or where one stopped."""
    stop = ending.stop
    if stop is None:
        instructions = counted(ending.instructions, "instruction")
        yield f"  {counted(ending.waves, 'wave')} ended after {instructions}"
    elif stop.is_inserted:
        yield f"  not continued after {ending.instructions} instructions"
    else:
        yield f"  {stop.target_id} stopped: {stop.reason}, {stop.text}"
        yield f"  pc {stop.pc:#x}{f': {stop.instruction}' if stop.instruction else ''}"
        if stop.source is not None:
            yield f"  at {stop.source}"
        if (hint := hint_on_unknown(stop.text)) is not None:
            yield f"  {hint}"
        yield from (f"    {line}" for line in barrier_lines(stop.barrier))


def hint_on_unknown(why_stopped: str) -> str | None:
    """Return what to do where an instruction needs what a state does not have.

    A state does not say which addresses are allocated, so no byte fills all of its memory.
    """
    if why_stopped.endswith("which is not known"):
        return (
            "--fill BYTE is what is not known of registers, LDS, scratch and padding of arguments"
        )
    if ": the state does not have it" not in why_stopped or why_stopped.startswith("no code at"):
        return None
    if _NULL.search(why_stopped):  # an argument without a buffer
        return None
    return (
        "for a buffer without contents: dispatch --save with --fill BYTE, or debug with "
        "--mem global#ADDRESS=HEX"
    )


def saved_state_note(path: str, stop: StopPosition | None, program: str) -> str:
    """Return how to open the state of a stop, at its wave and the first of its lanes.

    `program`: the command that starts dwarfgpu. A prompt finds a wave at fault by itself, and
    begins in lane 0.
    """
    focus = ""
    if stop is not None and stop.is_inserted:
        focus = f" --wave {stop.wave}"
    if stop is not None and any(stop.lanes[:1]):
        focus += f" --lane {stop.lanes[0]}"
    return f"state {path}: {program} debug --state {shell_word(path)}{focus}"


def saved_core_note(path: str, program: str) -> str:
    """Return how to look at a core file; `program` as of `saved_state_note`."""
    return f"core file {path}: {program} info {shell_word(path)}"


def buffer_lines(result: Result) -> Iterator[str]:
    """Return lines with the contents of memory."""
    for name, array in result.outputs.items():
        lines = result.texts[name].splitlines() if name in result.texts else []
        if 0 < len(lines) <= _MAX_TEXT_LINES:
            yield f"  {name} = char[{math.prod(array.shape)}]:"
            yield from (f"    {line}" for line in lines)
        else:
            shown = _structures(array) if array.fields else _values(array, name in result.bfloats)
            yield f"  {name} = {shown}"


def _values(array: Npy, is_bfloat: bool) -> str:
    """Return the first numbers of an array: `int32[64] {0, 1, …}`; of vectors
    `int32[64][2] {{0, 1}, …}`."""
    kinds = {"f": "float", "i": "int", "u": "uint", "c": "complex"}
    row = array.shape[-1] if len(array.shape) > 1 else 1
    shown = max(_MAX_SHOWN, row if row <= _MAX_LANES else 0)
    shown -= shown % row if row <= shown else 0
    data = bytes(array.data[: shown * array.item_bytes])
    name = f"{kinds[array.descr[1]]}{8 * array.item_bytes}"
    if is_bfloat:
        name = BFLOAT16.name
        texts = _floats(data, BFLOAT16)
    else:
        texts = _numbers(data, array.descr)
    sizes = "".join(f"[{size}]" for size in array.shape)
    return f"{name}{sizes} {_braces(texts, array.shape)}"


def _numbers(data: bytes, descr: str) -> list[str]:
    """Return numbers of one of the types of `NUMBER_CODES`."""
    size = int(descr[2:])
    if descr[1] == "c":
        halves = _floats(data, FLOAT_FORMATS[size // 2])
        return [
            f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
            for real, imaginary in zip(halves[::2], halves[1::2], strict=True)
        ]
    if descr[1] == "f":
        return _floats(data, FLOAT_FORMATS[size])
    return [str(n) for (n,) in struct.iter_unpack(f"<{NUMBER_CODES[descr]}", data)]


def _floats(data: bytes, form: FloatFormat) -> list[str]:
    """Return numbers with the digits that `print` shows, which tell each from its neighbours."""
    size = form.size_bits // 8
    return [
        float_text(form, int.from_bytes(data[start : start + size], "little"))
        for start in range(0, len(data), size)
    ]


def _structures(array: Npy) -> str:
    """Return the first structures of an array: `struct[64] {{x = 1, y = 2}, …}`."""
    count = math.prod(array.shape)
    numbers = sum(math.prod(_shape(field)) for _, field in leaves(array.fields))
    shown = min(count, max(1, _MAX_SHOWN // numbers))
    size = array.item_bytes
    texts = [_structure(array.fields, array.data, number * size) for number in range(shown)]
    more = ", …" if shown < count else ""
    sizes = "".join(f"[{length}]" for length in array.shape)
    return f"struct{sizes} {{{', '.join(texts)}{more}}}"


def _structure(fields: tuple[Field, ...], data: bytes, first: int) -> str:
    """Return a structure at an offset in bytes: `{x = 1, y = {2, 3}}`."""
    return f"{{{', '.join(_members(fields, data, first))}}}"


def _shape(field: Field) -> tuple[int, ...]:
    """Return the sizes of an array, for one of text those of what is shown: its last dimension is a
    text."""
    return field.shape[:-1] if field.is_text else field.shape


def _members(fields: tuple[Field, ...], data: bytes, first: int) -> Iterator[str]:
    for offset, field in leaves(fields, first):
        if field.is_text:
            texts = _texts(field, data, offset)
            if texts:
                shape = _shape(field)
                yield f"{field.name} = {_braces(texts, shape) if shape else texts[0]}"
                continue
        count = math.prod(field.shape)
        items = [
            _item(field, data, offset + number * field.item_bytes)
            for number in range(min(count, _MAX_SHOWN))
        ]
        yield f"{field.name} = {_braces(items, field.shape) if field.shape else items[0]}"


def _texts(field: Field, data: bytes, offset: int) -> list[str]:
    """Return the first texts of an array of `char` in quotes; none if one is not printable ASCII,
    or has more than zeros behind its end."""
    size = field.shape[-1]
    texts: list[str] = []
    for number in range(min(math.prod(_shape(field)), _MAX_SHOWN)):
        start = offset + number * size
        text, _, rest = bytes(data[start : start + size]).partition(b"\0")
        shown = printable_text(text)
        if shown is None or any(rest):
            return []
        cut = "..." if len(shown) > _MAX_TEXT else ""
        texts.append(json.dumps(shown[:_MAX_TEXT]) + cut)
    return texts if any(text != '""' for text in texts) else []


def _item(field: Field, data: bytes, offset: int) -> str:
    if field.fields:
        return _structure(field.fields, data, offset)
    data = bytes(data[offset : offset + field.item_bytes])
    if field.descr not in NUMBER_CODES:  # bytes, or numbers that are not printed
        return data.hex()
    return _numbers(data, field.descr)[0]


def _braces(texts: Sequence[str], shape: Sequence[int]) -> str:
    """Return the first numbers of an array in C order, each row of each dimension in braces."""
    size = math.prod(shape[1:])
    rows = [texts[index : index + size] for index in range(0, len(texts), size)]
    items = [_braces(row, shape[1:]) if len(shape) > 1 else row[0] for row in rows]
    return f"{{{', '.join(items)}{', …' if len(items) < shape[0] else ''}}}"


def ending_record(ending: Ending) -> dict[str, Json]:
    """Return how many waves have executed how many instructions, and where one stopped."""
    stop = ending.stop
    position: Json = None
    if stop is not None:
        position = {
            "reason": stop.reason,
            "text": stop.text,
            "wave": stop.wave,
            "target_id": stop.target_id,
            "lanes": list[Json](stop.lanes),
            "pc": stop.pc,
            "instruction": stop.instruction,
            "source": None if stop.source is None else stop.source.with_path,
            "barrier": [position.record for position in stop.barrier],
        }
    return {"waves": ending.waves, "instructions": ending.instructions, "stop": position}


def record(result: Result, notes: list[str]) -> dict[str, Json]:
    """Return the members of the object."""
    launched = result.launches[-1]
    return {
        "notes": list[Json](dict.fromkeys(notes)),
        "kernel": launched.request.kernel.name,
        "architecture": launched.request.processor.name,
        "wave_size": launched.machine.lane_count,
        "grid": list[Json](launched.request.geometry.grid),
        "workgroup": list[Json](launched.request.geometry.workgroup),
        "dispatches": [
            {"kernel": launched.request.kernel.name, "instructions": count}
            for launched, count in zip(result.launches, result.instructions, strict=True)
        ],
        **ending_record(result.ending),
        "buffers": [
            {
                "name": name,
                "type": array.type_text,
                "count": array.shape[0],
                "shape": list[Json](array.shape),
                "text": result.texts.get(name),
            }
            for name, array in result.outputs.items()
        ],
    }
