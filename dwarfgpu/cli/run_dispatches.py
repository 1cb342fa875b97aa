"""The dispatches of `dwarfgpu run`, one after the other on one machine: prepared, run, reported."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.json_reader import Json
from dwarfgpu.base.npy import npy_bytes
from dwarfgpu.base.records import frozen
from dwarfgpu.base.writing import write_file
from dwarfgpu.cli.printing import print_notes
from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.errors import UsageError
from dwarfgpu.options.integer_options import natural
from dwarfgpu.options.opened_launch import Prepared, prepare_next
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.run.run_kernel import (
    Attach,
    Result,
    buffer_names,
    buffers_not_made,
    require_numpy,
    run_kernel,
)
from dwarfgpu.service.run.run_report import (
    SCHEMA,
    buffer_lines,
    ending_lines,
    heading,
    record,
    saved_core_note,
    saved_state_note,
)
from dwarfgpu.terminal.progress import Progress

if TYPE_CHECKING:  # most runs have neither
    from dwarfgpu.cli.run_stops import ShownStops
    from dwarfgpu.service.run.resumed_waves import ResumedWaves

OF_DISPATCH: Final = ("grid", "workgroup", "arg", "dynamic_lds", "scratch")
"""Options of one dispatch."""


@frozen(eq=False)
class Showing:
    """What a run shows while it lasts."""

    stops: ShownStops | None
    attach: Attach | None
    """Adds the trace."""
    progress: Progress


def outputs_of(args: Namespace) -> dict[str, Path]:
    """Return the files of `--out`, by the names of buffers; `UsageError` for a buffer with two."""
    outputs: dict[str, Path] = {}
    for name, path in map(_output, args.out):
        if name in outputs:
            raise UsageError(f"--out {name}: given twice")
        outputs[name] = path
    return outputs


def _output(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not equals or not name or not path:
        raise UsageError(f"--out {text[:60]}: expected NAME=FILE")
    return name, Path(path)


def sections_of(args: Namespace) -> list[Namespace]:
    """Return the options of each dispatch, in their order."""
    return [*args.earlier, args]


def prepared_dispatches(
    args: Namespace, sections: Sequence[Namespace], first: Callable[[Namespace], Prepared]
) -> list[Prepared]:
    """Prepare the dispatches of the options; `first` prepares the first one. `UsageError` says
    which one is wrong, or which `--out` names no buffer. The numbers in `--out` become names."""
    out: list[Prepared] = []
    for section in sections:
        own = {name: getattr(section, name) for name in OF_DISPATCH}
        kernel = args.kernel if section.then is None else section.then
        options = Namespace(**{**vars(args), **own, "kernel": kernel})
        try:
            out.append(prepare_next(options, out) if out else first(options))
        except UsageError as error:
            if section.then is None:
                raise
            raise UsageError(f"--then {kernel}: {error.message}") from None
    outputs = outputs_of(args)
    names = buffer_names([prepared.launched for prepared in out], outputs)
    args.out = [f"{name}={path}" for name, path in zip(names, outputs.values(), strict=True)]
    outputs_of(args)  # a buffer by its name and by its number is given twice
    return out


def run_all(
    args: Namespace,
    dispatches: Sequence[Prepared],
    showing: Showing,
    behind: ResumedWaves | None = None,
) -> Result:
    """Run dispatches up to the first that cannot continue; what became of the last one.

    `behind`: waves that have gone on to their end, whose memory is that of the dispatches.
    """
    require_numpy()
    stops, visit = showing.stops, None
    code_object = dispatches[0].code_object
    if stops is not None:
        from dwarfgpu.service.run.run_breakpoints import visitor  # most runs have none

        launches = [prepared.launched for prepared in dispatches]
        quirks = frozenset(args.quirk)
        visit = visitor(stops.visit, code_object, launches, is_mangled=args.mangled, quirks=quirks)
    result, seed = None, natural(args.seed, "--seed") or 0
    for prepared in dispatches:
        if not args.json:
            print(one_line(heading(prepared.launched, is_mangled=args.mangled)))
        result = run_kernel(
            code_object,
            prepared.launched,
            seed,
            frozenset() if stops is None else stops.addresses,
            visit,
            showing.attach,
            None if args.json or args.trace else showing.progress.executed,
            tracks_writes=args.save is not None or stops is not None,
            earlier=result,
            global_memory=None if behind is None else behind.target.global_memory,
            executor="lockstep" if args.executor == "auto" else args.executor,
        )
        showing.progress.clear()
        if not args.json:
            print(*map(one_line, ending_lines(result.ending)), sep="\n")
        if result.stop is not None:
            break
    assert result is not None
    return result


def report(
    args: Namespace,
    dispatches: Sequence[Prepared],
    result: Result,
    showing: Showing,
    earlier_notes: Sequence[str] = (),
    earlier_dispatches: Sequence[Json] = (),
) -> int:
    """Write and print what a run has left; its exit status: 1 where a wave could not continue, an
    expression meant nothing at any stop, or a buffer of `--out` was not created, 2 where a file
    could not be written: all others are."""
    unwritten: list[str] = []
    failed: list[str] = []
    for name, path in outputs_of(args).items():
        if name in result.outputs:
            with adding_failures(failed):
                write_file(path, npy_bytes(result.outputs[name]), replaces="argument")
        else:
            unwritten.append(unwritten_note(name, path))
    notes = [*earlier_notes, *(note for prepared in dispatches for note in prepared.notes)]
    notes += result.order_notes
    notes += _written(args, dispatches[0], result, failed)
    notes += failed
    notes += [*_not_run(dispatches, result, is_mangled=args.mangled), *unwritten]
    notes += [] if showing.stops is None else showing.stops.notes
    if args.json:
        answer = record(result, notes)
        own = answer["dispatches"]
        assert isinstance(own, list)
        stops = [] if showing.stops is None else showing.stops.records
        answer |= {"dispatches": [*earlier_dispatches, *own], "stops": stops}
        print(json.dumps({"schema": SCHEMA, **answer}, allow_nan=False))
    else:
        for line in buffer_lines(result):
            print(one_line(line))
        print_notes(notes)
    if failed:
        return 2
    if unwritten or (showing.stops is not None and showing.stops.has_meaningless):
        return 1
    return 0 if result.stop is None or result.stop.is_inserted else 1


@contextmanager
def adding_failures(failed: list[str]) -> Iterator[None]:
    """Add why a file cannot be written to a list: hours of a run are in the others."""
    try:
        yield
    except UsageError as error:
        failed.append(error.message)


def unwritten_note(name: str, path: Path) -> str:
    """Return the note about a file of `--out` for a buffer whose dispatch did not run."""
    return f"--out {name}: {path} is not written: no buffer was created for it"


def kernels_of(dispatches: Sequence[Prepared], *, is_mangled: bool) -> str:
    """Return the names of the kernels of dispatches, as in their headings."""
    names = (prepared.launched.request.kernel.name for prepared in dispatches)
    return ", ".join(shown_symbol(name, is_mangled=is_mangled) for name in names)


def _not_run(dispatches: Sequence[Prepared], result: Result, *, is_mangled: bool) -> list[str]:
    """Return a note about dispatches after one that could not continue, and their buffers."""
    remaining = dispatches[len(result.launches) :]
    if not remaining:
        return []
    not_made = buffers_not_made([prepared.launched for prepared in dispatches], result)
    kernels = kernels_of(remaining, is_mangled=is_mangled)
    buffers = f"; buffers that were not created: {', '.join(not_made)}" if not_made else ""
    return [f"not run: {kernels}{buffers}"]


def _written(args: Namespace, prepared: Prepared, result: Result, failed: list[str]) -> list[str]:
    """Write the core file and the state where the run stopped; notes about them. `failed`: as of
    `adding_failures`."""
    if args.save is None and args.core is None:
        return []
    from dwarfgpu.options.program_name import program_name  # most runs save nothing

    notes: list[str] = []
    code_object, launched = prepared.code_object, result.launches[-1]
    if args.save is not None and result.stop is None:
        notes.append(
            f"no state is saved in {args.save}: all waves have ended; --break stops them earlier"
        )
    elif args.save is not None:
        from dwarfgpu.service.run.state_of_run import write_state_of_run

        with adding_failures(failed):
            arrays = write_state_of_run(Path(args.save), code_object, launched, result)
            notes += [saved_state_note(args.save, result.stop, program_name()), *arrays]
    if args.core is not None and result.stop is None:
        notes.append(
            f"no core file is written to {args.core}: all waves have ended; --break with --stops "
            "ends the run earlier"
        )
    elif args.core is not None:
        from dwarfgpu.service.run.core_of_run import write_core_of_run  # most runs leave none

        with adding_failures(failed):
            notes += write_core_of_run(Path(args.core), code_object, launched, result)
            notes.append(saved_core_note(args.core, program_name()))
    return notes
