"""`dwarfgpu run`: a kernel executed on the simulated wavefronts."""

from __future__ import annotations

import json
import struct
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from dwarfgpu.base.json_reader import Json
from dwarfgpu.base.npy import Npy, npy_bytes
from dwarfgpu.base.writing import write_set
from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.simulated.dispatch import Launched
from dwarfgpu.options.demo import with_run_demo
from dwarfgpu.options.launch import prepare_run
from dwarfgpu.options.launch_options import configure_launch
from dwarfgpu.options.limit_options import add_file_limit_options
from dwarfgpu.options.mangled import add_mangled_option
from dwarfgpu.options.numbers import natural
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.run_kernel import Result, output, run_kernel

SCHEMA: Final = "dwarfgpu-run-1"
_MOST_SHOWN: Final = 8
_MOST_TEXT_LINES: Final = 64


def configure(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="a code object, or a file with one in it"
    )
    parser.add_argument("kernel", metavar="KERNEL", nargs="?", help="its name; or the only one")
    parser.add_argument(
        "--demo", action="store_true", help="a kernel that comes with dwarfgpu and draws a picture"
    )
    configure_launch(parser, is_required=False)
    parser.add_argument(
        "--out", action="append", default=[], metavar="NAME=FILE",
        help="write the memory of an argument to an .npy file",
    )  # fmt: skip
    parser.add_argument(
        "--core", metavar="FILE",
        help="write the core file that the GPU would leave, if a wave cannot continue",
    )  # fmt: skip
    parser.add_argument("--seed", metavar="N", help="another order of waves; the same each time")
    parser.add_argument("--load-address", metavar="ADDR", help="where the code object is loaded")
    parser.add_argument("--target", metavar="GPU", help="which code object of a fat binary")
    add_mangled_option(parser)
    add_file_limit_options(parser)
    parser.set_defaults(beside=None)


def run(args: Namespace) -> int:
    """Run the kernel; 1 where a wave could not go on, `UsageError` for an impossible dispatch."""
    return with_run_demo(args, _run)


def _run(args: Namespace) -> int:
    if args.file is None or args.grid is None or args.workgroup is None:
        raise UsageError("run needs FILE, --grid and --workgroup, or --demo alone")
    outputs = dict(_output(text) for text in args.out)
    seed = natural(args.seed, "--seed") or 0
    prepared = prepare_run(args)
    launched = prepared.launched
    result = run_kernel(prepared.code_object, launched, seed)
    arrays = {path: output(result, name) for name, path in outputs.items()}
    for path, array in arrays.items():
        write_set(path, npy_bytes(array), {})
    notes = list(prepared.notes)
    if args.core is not None and result.stop is not None:
        from dwarfgpu.service.core_of_run import write_core_of_run  # most runs leave none

        notes += write_core_of_run(Path(args.core), prepared.code_object, launched, result)
        notes.append(f"core file {args.core}: dwarfgpu info {args.core}")
    if args.json:
        print(json.dumps({"schema": SCHEMA, **_record(launched, result, notes)}))
    else:
        print(*map(one_line, _lines(launched, result, is_mangled=args.mangled)), sep="\n")
        for note in dict.fromkeys(notes):
            print(one_line(f"note: {note}"), file=sys.stderr)
    return 0 if result.stop is None else 1


def _output(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not equals or not name or not path:
        raise UsageError(f"--out {text[:60]}: expected NAME=FILE")
    return name, Path(path)


def _lines(launched: Launched, result: Result, *, is_mangled: bool) -> Iterator[str]:
    request = launched.request
    kernel = shown_symbol(request.kernel.name, is_mangled=is_mangled)
    sizes = [
        ",".join(map(str, size)) for size in (request.geometry.grid, request.geometry.workgroup)
    ]
    waves = result.machine.waves
    yield (
        f"kernel {kernel} on {request.processor.name}, wave{launched.machine.lane_count}: "
        f"grid {sizes[0]}, workgroup {sizes[1]}"
    )
    stop = result.stop
    if stop is None:
        plural = "s" if len(waves) > 1 else ""
        yield f"  {len(waves)} wave{plural} ended after {result.machine.instructions} instructions"
    else:
        yield f"  {stop.target_id} stopped: {stop.reason}, {stop.text}"
        yield f"  pc {stop.pc:#x}{f': {stop.instruction}' if stop.instruction else ''}"
        if stop.source is not None:
            yield f"  at {stop.source}"
    for name, array in result.outputs.items():
        lines = result.texts[name].splitlines() if name in result.texts else []
        if 0 < len(lines) <= _MOST_TEXT_LINES:
            yield f"  {name} = char[{array.shape[0]}]:"
            yield from (f"    {line}" for line in lines)
        else:
            yield f"  {name} = {_values(array)}"


def _values(array: Npy) -> str:
    """The first numbers of an array: `int32[64] {0, 1, …}`."""
    kinds = {"f": "float", "i": "int", "u": "uint"}
    size = int(array.descr[2:])
    count = array.shape[0]
    shown = min(count, _MOST_SHOWN)
    letter = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "u1": "B", "i2": "h", "u2": "H",
              "i4": "i", "u4": "I", "i8": "q", "u8": "Q"}[array.descr[1:]]  # fmt: skip
    values = struct.unpack(f"<{shown}{letter}", bytes(array.data[: shown * size]))
    texts = [f"{value:g}" if array.descr[1] == "f" else str(value) for value in values]
    more = ", …" if count > shown else ""
    return f"{kinds[array.descr[1]]}{8 * size}[{count}] {{{', '.join(texts)}{more}}}"


def _record(launched: Launched, result: Result, notes: list[str]) -> dict[str, Json]:
    stop = result.stop
    place: Json = None
    if stop is not None:
        place = {
            "reason": stop.reason,
            "text": stop.text,
            "wave": stop.wave,
            "target_id": stop.target_id,
            "lanes": list[Json](stop.lanes),
            "pc": stop.pc,
            "instruction": stop.instruction,
            "source": stop.source,
        }
    return {
        "notes": list[Json](dict.fromkeys(notes)),
        "kernel": launched.request.kernel.name,
        "architecture": launched.request.processor.name,
        "wave_size": launched.machine.lane_count,
        "grid": list[Json](launched.request.geometry.grid),
        "workgroup": list[Json](launched.request.geometry.workgroup),
        "waves": len(result.machine.waves),
        "instructions": result.machine.instructions,
        "stop": place,
        "buffers": [
            {
                "name": name,
                "type": array.descr,
                "count": array.shape[0],
                "text": result.texts.get(name),
            }
            for name, array in result.outputs.items()
        ],
    }
