"""The trace of `dwarfgpu run --trace`: a line for each instruction, as text or JSON."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from dwarfgpu.cli.printing import print_notes
from dwarfgpu.cli.run_stop_options import chosen_wave
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.target import WaveId
from dwarfgpu.options.integer_options import natural
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.lanes.lane_count import no_such_lane
from dwarfgpu.service.run.instruction_trace import RunTrace, TracedInstruction
from dwarfgpu.view.json_object import JsonObject, Plain

SCHEMA: Final = "dwarfgpu-run-trace-1"
_TEXT_WIDTH: Final = 44
_MAX_RUNS: Final = 4
"""Neighbours with equal values that a line of text shows."""


def trace_of(
    args: Namespace, code_objects: Iterable[CodeObject], waves: Sequence[WaveId], lane_count: int
) -> RunTrace:
    """Return the object that prints the trace that the options describe; `UsageError` for a lane
    without a number, and for a lane or wave that the run does not have.

    `waves`: those of the run; `lane_count`: of the largest one.
    """
    lane = natural(args.lane, "--lane")
    if lane is not None and lane >= lane_count:
        raise UsageError(no_such_lane(f"--lane {lane}", lane_count))
    shown_wave: list[int] = []
    noted: list[str] = []

    def show(traced: TracedInstruction) -> None:
        if args.json:
            print(json.dumps(_record(traced, lane), allow_nan=False))
            return
        wave = traced.entry.wave
        if shown_wave != [wave]:
            shown_wave[:] = [wave]
            print(f"wave {wave}")
        print(*map(one_line, _lines(traced, lane)), sep="\n")
        if trace.notes and not noted:
            noted.extend(trace.notes)
            print_notes(noted)

    most, wave = natural(args.trace_limit, "--trace-limit"), chosen_wave(args, waves)
    trace = RunTrace(code_objects, show, most, wave)
    return trace


def _lines(traced: TracedInstruction, lane: int | None) -> Iterator[str]:
    entry = traced.entry
    if traced.source_line is not None:
        line = traced.source_line
        yield f"{line.file.shown_name}:{line.line}  {(traced.source or '').strip()}".rstrip()
    changes = [
        f"{register.name} = {value}"
        for register in entry.registers
        if (value := _value(register.lanes, register.values, lane))
    ]
    for access in entry.accesses:
        verb = "atomic" if access.is_read and access.is_written else "load"
        verb = "store" if access.is_written and not access.is_read else verb
        where = _value(access.lanes, access.addresses, lane)
        if where:
            changes.append(f"{verb} {access.size_bytes} bytes at {access.space} {where}")
    yield f"  {entry.pc:#x}  {entry.text:<{_TEXT_WIDTH}}  {', '.join(changes)}".rstrip()


def _value(lanes: Sequence[int] | None, values: Sequence[int], lane: int | None) -> str:
    """Return a scalar, the value of a lane, or those of lanes: `{[0-31] 0x1, [32] 0x5}`; nothing
    where the lane has none."""
    if lanes is None:
        return f"{values[0]:#x}"
    pairs = list(zip(lanes, values, strict=False))
    if lane is not None:
        return next((f"{value:#x}" for number, value in pairs if number == lane), "")
    runs = []
    for _, members in groupby(enumerate(pairs), lambda pair: (pair[1][0] - pair[0], pair[1][1])):
        run = [pair for _, pair in members]
        first, last = run[0][0], run[-1][0]
        runs.append(f"[{first if first == last else f'{first}-{last}'}] {run[0][1]:#x}")
    more = ", …" if len(runs) > _MAX_RUNS else ""
    return f"{{{', '.join(runs[:_MAX_RUNS])}{more}}}"


def _record(traced: TracedInstruction, lane: int | None) -> JsonObject:
    entry, line = traced.entry, traced.source_line
    registers: list[Plain] = []
    for register in entry.registers:
        lanes, values = _of_lane(register.lanes, register.values, lane)
        if values:
            registers.append(
                {
                    "name": register.name,
                    "bytes": register.size_bytes,
                    "lanes": lanes,
                    "values": list[Plain](values),
                }
            )
    memory: list[Plain] = []
    for access in entry.accesses:
        lanes, addresses = _of_lane(access.lanes, access.addresses, lane)
        if addresses:
            memory.append(
                {
                    "space": access.space,
                    "is_read": access.is_read,
                    "is_written": access.is_written,
                    "bytes": access.size_bytes,
                    "lanes": lanes,
                    "addresses": list[Plain](addresses),
                }
            )
    return {
        "schema": SCHEMA,
        "wave": entry.wave,
        "pc": entry.pc,
        "instruction": entry.text,
        "source_line": None if line is None else f"{line.file.path}:{line.line}",
        "source": traced.source,
        "registers": registers,
        "memory": memory,
    }


def _of_lane(
    lanes: Sequence[int] | None, values: Sequence[int], lane: int | None
) -> tuple[list[Plain] | None, list[int]]:
    if lanes is None:
        return None, list(values)
    pairs = [pair for pair in zip(lanes, values, strict=False) if lane is None or pair[0] == lane]
    return [number for number, _ in pairs], [value for _, value in pairs]
