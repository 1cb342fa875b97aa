"""`dwarfgpu convert`: convert an address between address spaces."""

from __future__ import annotations

import json
import re
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dwarfgpu.arch.model import (
    APERTURE_BYTES,
    NO_APERTURES,
    NOWHERE,
    AddressSpace,
    Apertures,
    Architecture,
)
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base import json_reader
from dwarfgpu.base.printable import shell_word
from dwarfgpu.base.readable_files import resolved
from dwarfgpu.base.records import evolve
from dwarfgpu.base.suggest import followed, nearest
from dwarfgpu.errors import OutOfRange, UsageError, shown
from dwarfgpu.expr.dialect.dialect import AMD_2020, DIALECTS
from dwarfgpu.options.context_options import DEFAULT_ARCHITECTURE
from dwarfgpu.options.core_options import add_core_options, require_core
from dwarfgpu.options.integer_options import natural
from dwarfgpu.options.limit_options import add_file_limit_options, file_limits_of
from dwarfgpu.service.machine.convert_address import (
    AddressFocus,
    address_notes,
    conversion_line,
    conversion_table,
    conversions_json,
    converted,
)
from dwarfgpu.terminal.input import is_object

if TYPE_CHECKING:
    from dwarfgpu.options.program_location import ProgramLocation

SCHEMA: Final = "dwarfgpu-convert-1"
ELEMENT_BYTES: Final = (2, 4, 8, 16)
_ADDRESS: Final = re.compile(
    r"\s*(?:(?P<space>\w+)(?:\[(?P<lane>\w+)\])?\s*#\s*)?(?P<address>\w+)\s*"
)


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "address", metavar="SPACE[[LANE]]#ADDRESS", help="the address, such as private_lane#0x10"
    )
    parser.add_argument("second", nargs="?", help=SUPPRESS)
    parser.add_argument(
        "--file", metavar="FILE",
        help="a code object; ADDRESS may then be a place in its code: FILE:LINE or FUNCTION+OFFSET",
    )  # fmt: skip
    parser.add_argument("--to", metavar="SPACE", help="the target space; default: every space")
    parser.add_argument("--lane", metavar="N", help="the lane to which private memory belongs")
    parser.add_argument(
        "--dialect",
        metavar="NAME",
        choices=tuple(DIALECTS),
        help=f"{', '.join(DIALECTS)}; amd-2020: the spaces 0x20 to 0x5f are the private "
        "memory of lanes 0 to 63",
    )
    machine = parser.add_argument_group("machine")
    machine.add_argument("--arch", metavar="GPU", help=f"{DEFAULT_ARCHITECTURE} by default")
    machine.add_argument("--wave-size", metavar="LANES", help="32 or 64")
    machine.add_argument("--state", metavar="FILE", help="a state file, which has the apertures")
    add_core_options(machine)
    machine.add_argument(
        "--wave", metavar="N",
        help="default: the wave that stopped or failed, or else the first",
    )  # fmt: skip
    machine.add_argument("--local-base", metavar="ADDR", help="base of the local aperture")
    machine.add_argument("--private-base", metavar="ADDR", help="base of the private aperture")
    machine.add_argument(
        "--scratch-base", metavar="ADDR", help="the wave's scratch in global memory"
    )
    machine.add_argument("--scratch-size", metavar="BYTES", help="size of the wave's scratch")
    machine.add_argument(
        "--element-size", metavar="BYTES", help="interleave of scratch: 2, 4, 8 or 16; default: 4"
    )
    add_file_limit_options(parser)
    parser.set_defaults(debug_dir=None, load_address=None)


def run(args: Namespace) -> int:
    """Print the address; `EvaluationError` or another error of the engine if there is none."""
    if args.second is not None:
        if is_object(args.address):
            raise UsageError(
                f"{args.address} {args.second}: give the file with --file: "
                f"--file {shell_word(args.address)} {shell_word(args.second)}"
            )
        raise UsageError(
            f"{args.address} {args.second}: a space and an address are one argument, such as "
            "private_lane#0x10"
        )
    focus, of_machine = _focus(args)
    source, address, lane, chosen = _source_address(args, focus)
    target_space, lane = _target_spaces(args, focus.architecture, lane)
    if lane is None and focus.lane is not None:
        lane, chosen = focus.lane, (*chosen, *of_machine)
    if lane is not None and not focus.architecture.is_simt:
        raise UsageError(f"a thread of {focus.architecture.name} has no lanes")
    focus = evolve(focus, lane=lane)
    try:
        source.require_address(address)
    except OutOfRange as error:  # the request is wrong, no conversion
        raise UsageError(error.message) from None
    if lane is not None and not 0 <= lane < focus.architecture.lane_count:
        from dwarfgpu.service.lanes.lane_count import no_such_lane  # few lanes are wrong

        typed = args.address[:60] if args.lane is None else f"--lane {shown(lane)}"
        raise UsageError(no_such_lane(typed, focus.architecture.lane_count))
    conversions = [converted(focus, source, address, space) for space in target_space]
    if args.to is not None and conversions[0].error is not None:
        raise conversions[0].error
    notes = [*chosen, *address_notes(source, address)]
    if args.json:
        record = conversions_json(focus, source, address, conversions, notes)
        print(json.dumps({"schema": SCHEMA, **record}))
        return 0
    if args.to is not None:
        print(conversion_line(source, address, conversions[0]))
    else:
        print(*conversion_table(conversions), sep="\n")
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    return 0


def _focus(args: Namespace) -> tuple[AddressFocus, tuple[str, ...]]:
    """Return the focus, with the lane for which a wave stopped unless one is given, and notes on
    it."""
    lanes = natural(args.wave_size, "--wave-size")
    if args.core is None:
        require_core(args)
    elif args.state is not None:
        raise UsageError("give --core or --state, not both")
    lane, notes = None, tuple[str, ...]()
    if args.core is not None:
        arch, apertures, lane, notes = _of_core(args)
    elif args.state is not None:
        arch, apertures, lane, notes = _of_state(args)
    else:
        if args.wave is not None:
            raise UsageError("--wave: only a state has waves; give --state FILE or --core FILE")
        arch = architecture(args.arch or DEFAULT_ARCHITECTURE, lanes)
        apertures = NO_APERTURES
    machine = "state" if args.core is None else "core file"
    if args.arch is not None and architecture(args.arch).name != arch.name:
        raise UsageError(f"--arch {args.arch}, but the {machine} is of {arch.name}")
    if lanes not in (None, arch.lane_count):
        raise UsageError(
            f"--wave-size {lanes}, but the waves of the {machine} have {arch.lane_count}"
        )
    return AddressFocus(arch, _apertures(args, apertures), lane), notes


def _of_state(
    args: Namespace,
) -> tuple[Architecture, Apertures, int | None, tuple[str, ...]]:
    """Return the architecture and apertures of a wave of the state, and its lane in focus, as for
    every command, with a note."""
    from dwarfgpu.machine.state.load import load_state
    from dwarfgpu.machine.state.loaded_state import wave_named

    state = load_state(Path(args.state), file_limits_of(args))
    wave = wave_named(state.waves, natural(args.wave, "--wave"), state.target)
    arch, apertures = state.architecture, state.target.apertures_of(wave.wave)
    if args.lane is not None or state.target.faulty_lane(wave.wave) is None:
        return arch, apertures, None, ()
    from dwarfgpu.options.opened_session import in_initial_lane
    from dwarfgpu.session.session import Session

    session = Session(arch, (), state.target, wave=wave.wave, pc=wave.pc)
    focused = in_initial_lane(session, is_core=False)
    return arch, apertures, focused.lane, focused.notes


def _of_core(
    args: Namespace,
) -> tuple[Architecture, Apertures, int | None, tuple[str, ...]]:
    """Return the architecture and apertures of a wave of the core file, and its lane in focus, as
    for every command, with a note."""
    from dwarfgpu.options.opened_core import opened_core
    from dwarfgpu.options.opened_session import in_initial_lane
    from dwarfgpu.session.session import Session

    stopped = opened_core(args, None)
    wave = stopped.wave(natural(args.wave, "--wave"))
    arch, apertures = (
        stopped.architecture_of(wave.wave),
        stopped.machine.apertures_of(wave.wave),
    )
    if args.lane is not None or not arch.is_simt:
        return arch, apertures, None, ()
    target = stopped.target()
    session = Session(arch, stopped.code_objects, target, wave=wave.wave, pc=wave.pc)
    focused = in_initial_lane(session, is_core=True)
    return arch, apertures, focused.lane, focused.notes


def _apertures(args: Namespace, apertures: Apertures) -> Apertures:
    values = {
        "local_base": natural(args.local_base, "--local-base"),
        "private_base": natural(args.private_base, "--private-base"),
        "scratch_base": natural(args.scratch_base, "--scratch-base"),
        "scratch_bytes": natural(args.scratch_size, "--scratch-size"),
        "element_bytes": natural(args.element_size, "--element-size"),
    }
    if values["element_bytes"] not in (None, *ELEMENT_BYTES):
        sizes = ", ".join(map(str, ELEMENT_BYTES))
        raise UsageError(f"--element-size {args.element_size}: the compute ABI has {sizes}")
    changes: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    result = evolve(apertures, **changes)
    if NOWHERE not in (result.local_base, result.private_base):
        result = evolve(result, unknown="")  # the arguments say where they are
    for name in ("local_base", "private_base"):
        option, base = f"--{name.replace('_', '-')}", changes.get(name)
        if base is None:
            continue
        if base > (1 << 64) - APERTURE_BYTES:
            raise UsageError(f"{option}: an aperture at {base:#x} does not fit 64 bits")
        if abs(result.local_base - result.private_base) < APERTURE_BYTES:
            other = result.local_base + result.private_base - base
            raise UsageError(
                f"{option}: expected an aperture of {APERTURE_BYTES:#x} bytes apart from that at "
                f"{other:#x}"
            )
    return result


def _source_address(
    args: Namespace, focus: AddressFocus
) -> tuple[AddressSpace, int, int | None, tuple[str, ...]]:
    """Return the space, the address in it, the lane, and the choice among several code
    locations."""
    match = _ADDRESS.fullmatch(args.address)
    address = None if match is None else json_reader.integer_of(match["address"])
    if address is None and args.file is not None:
        location = _program_location(args, focus)
        lane = natural(args.lane, "--lane")
        return focus.architecture.address_space(0), location.pc, lane, location.notes
    if match is None or address is None:
        raise UsageError(f"{args.address[:60]!r}: expected SPACE#ADDRESS, as private_lane#0x10")
    name = match["space"] or "none"
    of_lane = _space_of_lane(args, focus.architecture, name)
    space = of_lane[0] if of_lane else _space(focus.architecture, name, args.address[:60])
    lane = natural(args.lane, "--lane")
    in_brackets = natural(match["lane"], "the lane in brackets")
    if in_brackets is not None and space.scope not in ("lane", "any"):
        raise UsageError(f"{args.address[:60]}: address space {space} has no lanes")
    for named in (of_lane and of_lane[1], in_brackets):
        if named is not None and lane not in (None, named):
            raise UsageError(f"--lane {lane}, but the address is of lane {named}")
        lane = lane if named is None else named
    return space, address, lane, ()


def _program_location(args: Namespace, focus: AddressFocus) -> ProgramLocation:
    """Return the address of a code location: as the state has loaded the file, else as linked."""
    from dwarfgpu.dwarf.code_object import CodeObject  # no other conversion needs these
    from dwarfgpu.machine.state.load import load_state
    from dwarfgpu.options.given_files import opening
    from dwarfgpu.options.program_location import in_file

    path, load_address = resolved(args.file), 0
    limits = file_limits_of(args)
    for loaded in load_state(Path(args.state), limits).code_objects if args.state else ():
        if resolved(loaded.path) == path:
            load_address = loaded.load_address
    with opening():
        code_object = CodeObject.open(path, load_address, args.dialect, limits=limits)
    if code_object.info.architecture is None or (
        code_object.info.architecture.machine != focus.architecture.machine
    ):
        raise UsageError(f"{code_object.name} has no code of {focus.architecture.name}")
    address = in_file(code_object, args.address, "ADDRESS")
    assert address is not None
    return address


def _space_of_lane(
    args: Namespace, arch: Architecture, name: str
) -> tuple[AddressSpace, int] | None:
    """Return what a number is in the dialect of 2020: the private memory of a lane."""
    number = json_reader.integer_of(name) if args.dialect == AMD_2020.name else None
    return None if number is None else arch.space_of_lane(number)


def _space(arch: Architecture, name: str, where: str) -> AddressSpace:
    space = arch.address_space_named(name)
    if space is None:
        spaces = [space.name for space in arch.address_spaces.values()]
        hint, names = nearest(name, spaces), ", ".join(spaces)
        raise UsageError(
            followed(
                f"{where}: {arch.name} has no address space {name[:40]}{hint}", f"known: {names}"
            )
        )
    return space


def _target_spaces(
    args: Namespace, arch: Architecture, lane: int | None
) -> tuple[list[AddressSpace], int | None]:
    """Return the spaces that are wanted, and the lane."""
    if args.to is None:
        return list(arch.address_spaces.values()), lane
    of_lane = _space_of_lane(args, arch, args.to)
    if of_lane is None:
        return [_space(arch, args.to, "--to")], lane
    space, named = of_lane
    if lane not in (None, named):
        raise UsageError(f"--to {args.to} is of lane {named}, but the address is of lane {lane}")
    return [space], named
