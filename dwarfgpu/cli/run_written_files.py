"""The files that `dwarfgpu run` writes, checked before the first instruction."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from dwarfgpu.base.records import frozen
from dwarfgpu.cli.run_dispatches import outputs_of, sections_of
from dwarfgpu.options.kernel_argument_options import argument_files
from dwarfgpu.options.opened_launch import Prepared
from dwarfgpu.options.written_files import WrittenFile, require_written_files


def require_run_outputs(
    args: Namespace, dispatches: Sequence[Prepared], inputs: Sequence[Path] = ()
) -> None:
    """Raise `UsageError` for a file of `--out`, `--save` or `--core` that cannot be written, that
    two of them name, or that the run reads: one of `inputs` or an array of `--arg`.

    `--out NAME` may replace the array of the same argument, `--save` the state that is resumed.
    """
    arrays = list(_arrays(args, dispatches))
    inputs = [*inputs, *(array.path for array in arrays)]
    require_written_files(_outputs(args, arrays), inputs)


@frozen
class _Array:
    path: Path
    buffers: tuple[str, ...]
    """What `--out` may call the buffer that has its numbers."""


def _arrays(args: Namespace, dispatches: Sequence[Prepared]) -> Iterator[_Array]:
    sections = sections_of(args)[-len(dispatches) :] if dispatches else []
    for number, (prepared, section) in enumerate(zip(dispatches, sections, strict=True), 1):
        request = prepared.launched.request
        for key, path in argument_files(section.arg):
            numbered = (item for item in request.parameters if str(item.number) == key)
            name = next((item.title for item in numbered), key)
            yield _Array(path, (name, f"{name}.{number}"))


def _outputs(args: Namespace, arrays: Sequence[_Array]) -> Iterator[WrittenFile]:
    for name, path in outputs_of(args).items():
        updated = tuple(array.path for array in arrays if name in array.buffers)
        yield WrittenFile(f"--out {name}", path, updated)
    if args.save is not None:
        state = () if args.state is None else (Path(args.state),)
        yield WrittenFile("--save", Path(args.save), state)
    if args.core is not None:
        yield WrittenFile("--core", Path(args.core))
