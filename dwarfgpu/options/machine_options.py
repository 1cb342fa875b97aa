"""The evaluation context on the command line: options to a session."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from attrs import evolve

from dwarfgpu.arch import architecture
from dwarfgpu.arch.model import Architecture
from dwarfgpu.base import json_reader
from dwarfgpu.base.json_reader import Field
from dwarfgpu.base.reading import resolved
from dwarfgpu.cfi.quirks import QUIRKS
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError, InconsistentContext, Malformed, UsageError
from dwarfgpu.expr.context import Context, UnitFormat, format_of
from dwarfgpu.expr.dialect.dialect import DIALECTS, Dialect
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.text.text import assemble
from dwarfgpu.machine.state.load import (
    State,
    WaveState,
    add_memory,
    load_state,
    set_part,
    set_register,
)
from dwarfgpu.machine.state.target import StateTarget
from dwarfgpu.model.location import Entry, Location
from dwarfgpu.model.value import Value
from dwarfgpu.objfile.separate_debug import DEBUG_DIRECTORIES
from dwarfgpu.options import program_location
from dwarfgpu.options.core_options import add_core_options, opened_core, require_core
from dwarfgpu.options.dialects import DIALECT_HELP
from dwarfgpu.options.given_files import opening
from dwarfgpu.options.limit_options import (
    VARIABLE_STEPS,
    add_evaluation_limit_options,
    add_file_limit_options,
    file_limits_of,
    limits_of,
)
from dwarfgpu.options.numbers import cut_short, natural
from dwarfgpu.service.lane_answer import checked_lanes
from dwarfgpu.service.open_machine import Stopped
from dwarfgpu.session.frame import GivenAddress
from dwarfgpu.session.session import Session, split_by_machine

DEFAULT_ARCHITECTURE = "gfx942"
_ADDRESS = re.compile(r"(?:(?P<space>\w+)(?:\[(?P<lane>\d+)\])?#)?(?P<address>\w+)")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the context."""
    machine = parser.add_argument_group("machine")
    machine.add_argument("--state", metavar="FILE", help="registers and memories of stopped waves")
    add_core_options(machine)
    machine.add_argument("--arch", help=f"target architecture, {DEFAULT_ARCHITECTURE} by default")
    machine.add_argument(
        "--reg", action="append", default=[], metavar="NAME=VALUE",
        help="a register: s4=0x10, v3=[1,2,3] (a value a lane), v3=bytes:0a0b…",
    )  # fmt: skip
    machine.add_argument(
        "--mem", action="append", default=[], metavar="SPACE#ADDR=HEX",
        help="memory: private_lane[3]#0x10=0a0b0c0d, or =@FILE; without [N] that of --lane",
    )  # fmt: skip
    machine.add_argument("--target", metavar="GPU", help="which code object of a fat binary")
    machine.add_argument(
        "--debug-dir", metavar="DIR", action="append",
        help="where separate, split and supplementary debug files are; "
        f"default: {DEBUG_DIRECTORIES[0]}",
    )  # fmt: skip
    machine.add_argument("--load-address", metavar="ADDR", help="where the code object is loaded")
    machine.add_argument(
        "--scratch-base", metavar="ADDR", help="AMD GPU: the wave's scratch in global memory"
    )
    focus = parser.add_argument_group("context")
    focus.add_argument(
        "--wave", "--thread", metavar="N|all",
        help="the current thread; of a core file by GDB's number, or the kernel's (LWP); "
        "eval: every one",
    )  # fmt: skip
    focus.add_argument(
        "--lane", metavar="N|LANES", help="the current lane; eval: all, active, inactive, 0-3,7"
    )
    focus.add_argument("--lanes", metavar="N", help="the lane count (DW_AT_LLVM_lanes)")
    focus.add_argument("--iteration", metavar="N", help="the current iteration")
    focus.add_argument(
        "--pc", metavar=program_location.METAVAR,
        help=f"the current program location: {program_location.HELP}, as loaded; with one --lane, "
        "where that lane is too",
    )  # fmt: skip
    focus.add_argument(
        "--force-pc", action="store_true",
        help="take lanes to be where the wave is, wherever DW_AT_LLVM_lane_pc puts them",
    )  # fmt: skip
    focus.add_argument("--frame", metavar="N", help="the call frame, as bt numbers them")
    focus.add_argument(
        "--quirk", action="append", default=[], choices=tuple(QUIRKS),
        help="correct a mistake that producers made in call frame information",
    )  # fmt: skip
    focus.add_argument(
        "--heuristic",
        action="store_true",
        help="AMD GPU: guess callers by the call convention where no frame information tells them",
    )
    focus.add_argument("--cfa", metavar="[SPACE#]ADDR", help="the canonical frame address")
    focus.add_argument("--frame-base", metavar="[SPACE#]ADDR", help="the frame base")
    focus.add_argument("--object", metavar="TEXT", help="the current object, as an expression")
    focus.add_argument(
        "--push", action="append", default=[], metavar="TEXT",
        help="an entry of the initial stack, as an expression; the last given is the top",
    )  # fmt: skip
    focus.add_argument("--want", choices=("value", "location"), help="the result kind")
    focus.add_argument("--dialect", choices=tuple(DIALECTS), help=DIALECT_HELP)
    add_evaluation_limit_options(parser)
    add_file_limit_options(parser)
    focus.add_argument(
        "--strict",
        action="store_true",
        help="read literally what compilers write: upstream clang, SGPRs as bases of addresses",
    )


def stopped_of(args: argparse.Namespace, files: list[str]) -> Stopped:
    """The machine that the options describe."""
    if args.core is None:
        require_core(args)
        return _of_state(args, files)
    if args.state is not None:
        raise UsageError("give --core or --state, not both")
    stopped = opened_core(args, files[0] if files else None, strict=args.strict)
    if args.arch is not None and architecture(args.arch).name != stopped.architecture.name:
        raise UsageError(f"--arch {args.arch}, but the core is of {stopped.architecture.name}")
    return stopped


def _of_state(args: argparse.Namespace, files: list[str]) -> Stopped:
    state = load_state(Path(args.state), file_limits_of(args).waves) if args.state else None
    with opening():
        code_objects = _code_objects(args, files, state)
        arch = _architecture(args, state, code_objects)
    if state is not None:
        target, notes = state.target, state.notes
        return Stopped(arch, target, target, state.waves, code_objects, True, notes=notes)
    target, wave = StateTarget(arch), natural(args.wave, "--wave") or 0
    target.add_wave(wave)
    return Stopped(arch, target, target, (WaveState(wave, None),), code_objects, False)


def sessions_of_waves(args: argparse.Namespace, files: list[str]) -> list[Session]:
    """A session for each wave of the state; `UsageError` with options that are about one wave."""
    if args.state is None and args.core is None:
        raise UsageError("--wave all: only a state has waves; give --state FILE")
    for option in ("reg", "mem", "pc", "frame", "cfa", "frame_base", "scratch_base"):
        if getattr(args, option):
            name = option.replace("_", "-")
            raise UsageError(f"--{name} is about one wave, and --wave all asks for every one")
    args.wave = None
    stopped = stopped_of(args, files)
    first = session_of(args, files, stopped)
    return [
        evolve(
            first.of_wave(wave.wave, wave.pc),
            given_cfa=None if wave.cfa is None else GivenAddress(0, wave.cfa),
        )
        for wave in stopped.all_waves()
    ]


def session_of(
    args: argparse.Namespace, files: list[str], stopped: Stopped | None = None
) -> Session:
    """The session that the options describe; the lane `all` leaves it without a lane."""
    given_lanes = natural(args.lanes, "--lanes")
    if given_lanes is not None:
        checked_lanes(given_lanes)
    stopped = stopped or stopped_of(args, files)
    lane = None if args.lane == "all" else natural(args.lane, "--lane")
    wave, code_objects = stopped.wave(natural(args.wave, "--wave")), stopped.code_objects
    arch = stopped.architecture_of(wave.wave)
    if stopped.has_started or stopped.code_objects:
        _check_lanes(given_lanes, lane, arch)
    own, of_other_machines = code_objects, tuple[CodeObject, ...]()
    if stopped.core is not None:
        own, of_other_machines = split_by_machine(code_objects, arch)
    session = Session(
        arch,
        own,
        stopped.target(),
        wave=wave.wave,
        lane=lane,
        iteration=natural(args.iteration, "--iteration"),
        pc=wave.pc,
        is_pc_forced=args.force_pc,
        given_lanes=given_lanes,
        given_cfa=GivenAddress(0, wave.cfa) if wave.cfa is not None else None,
        strict=args.strict,
        quirks=frozenset(args.quirk),
        is_heuristic=args.heuristic,
        limits=limits_of(args, VARIABLE_STEPS),
        notes=(
            *stopped.notes,
            *filter(None, (code_object.placement_note for code_object in code_objects)),
        ),
        knows_loaded=stopped.core is not None,
        other_code_objects=of_other_machines,
    )
    session = _at_program_location(args.pc, session)
    explicit = stopped.given_of(session.wave)
    _place_scratch(args, session, explicit)
    _set_registers(args, session, explicit)
    _set_memories(args, session, explicit)
    session = evolve(
        session,
        given_cfa=_given_address(args.cfa, "--cfa", arch) or session.given_cfa,
        given_frame_base=_given_address(args.frame_base, "--frame-base", arch),
    )
    if args.pc is not None and not args.force_pc:
        _check_location(session)
    number = natural(args.frame, "--frame")
    if not number:
        return session
    from dwarfgpu.session.backtrace import selected  # no other option needs call frames

    return selected(session, number)


def _at_program_location(text: str | None, session: Session) -> Session:
    """The session at the place that `--pc` names, with a note where that is one of several."""
    if text is None:
        return session
    if program_location.is_number(text):
        return evolve(session, pc=natural(text, "--pc"))
    location = program_location.program_location(session, text, "--pc")
    return evolve(session, pc=location.pc, notes=(*session.notes, *location.notes))


def _check_location(session: Session) -> None:
    """The program location that is given is that of the lane that is given (A.2.5.1)."""
    try:
        lane_pc = session.frame.lane_location(session.lane).pc
    except DwarfGpuError:
        return  # the answer tells
    if lane_pc is not None and lane_pc != session.pc:
        raise InconsistentContext(
            f"--pc {session.pc:#x} and lane {session.lane}, which is at {lane_pc:#x}, disagree: "
            "--force-pc takes the lane to be there; --lane all shows each where it is"
        )


def _check_lanes(count: int | None, lane: int | None, arch: Architecture) -> None:
    """A lane is one of the wave (A.2.5.1), whose size a state or a code object tells."""
    if arch.is_simt and count is not None and count > arch.lane_count:
        raise InconsistentContext(
            f"lane count {count} and the wave of {arch.lane_count} lanes disagree"
        )
    if arch.is_simt and lane is not None and lane >= arch.lane_count:
        raise UsageError(f"--lane {lane}: the wave has {arch.lane_count} lanes, from 0")


def _code_objects(
    args: argparse.Namespace, files: list[str], state: State | None
) -> tuple[CodeObject, ...]:
    load_address = natural(args.load_address, "--load-address")
    named = [(Path(file), load_address or 0) for file in files]
    if load_address is not None and not files:
        if state is None or len(state.code_objects) != 1:
            raise UsageError("--load-address: give the code object that is loaded there by --file")
        named = [(state.code_objects[0].path, load_address)]
    if state is not None:
        at = {
            resolved(code_object.path): code_object.load_address
            for code_object in state.code_objects
        }
        if load_address is None:
            named = [(path, at.get(resolved(path), 0)) for path, _ in named]
        paths = {resolved(path) for path, _ in named}
        named += [
            (code_object.path, code_object.load_address)
            for code_object in state.code_objects
            if resolved(code_object.path) not in paths
            and not (files and len(state.code_objects) == 1)
        ]
    limits = file_limits_of(args)
    return tuple(
        CodeObject.open(
            path,
            address,
            args.dialect,
            strict=args.strict,
            target=args.target,
            debug_directories=args.debug_dir or DEBUG_DIRECTORIES,
            limits=limits,
        )
        for path, address in named
    )


def _architecture(
    args: argparse.Namespace, state: State | None, code_objects: tuple[CodeObject, ...]
) -> Architecture:
    if state is None:
        dialects = code_objects[0].info.architecture if code_objects else None
    else:
        arch = state.architecture
        dialects = _told_by(code_objects)
        if args.arch is not None and architecture(args.arch).name != arch.name:
            raise UsageError(f"--arch {args.arch}, but the state is of {arch.name}")
        if dialects is not None and dialects.name != arch.name:
            raise UsageError(
                f"{code_objects[0].name} is for {dialects.name}, but the state is of {arch.name}"
            )
        return arch
    if args.arch is not None:
        arch = architecture(args.arch)
        return dialects if dialects is not None and dialects.name == arch.name else arch
    return dialects or architecture(DEFAULT_ARCHITECTURE)


def _told_by(code_objects: tuple[CodeObject, ...]) -> Architecture | None:
    """What the first code object is for; None where it cannot be read, and the state tells."""
    try:
        return code_objects[0].info.architecture if code_objects else None
    except Malformed:
        return None


def _place_scratch(args: argparse.Namespace, session: Session, target: StateTarget) -> None:
    base = natural(args.scratch_base, "--scratch-base")
    if base is None:
        return
    if not session.architecture.is_simt:
        raise UsageError(f"--scratch-base: {session.architecture.name} has no scratch memory")
    target.place_scratch(session.wave, base)


def _set_registers(args: argparse.Namespace, session: Session, target: StateTarget) -> None:
    counter = session.architecture.register_named("pc")
    assert session.target is not None
    if args.pc is not None and counter is not None:
        # A.2.5.1: the program location of the top frame is the program counter.
        set_register(target, session.wave, counter, Field("--pc", "value", session.pc))
    keys: set[str] = set()
    for text in args.reg:
        name, equals, value = text.partition("=")
        register = session.architecture.register_named(name.strip())
        part = session.architecture.part_named(name.strip())
        if not equals:
            raise UsageError(f"--reg {text}: expected NAME=VALUE")
        if part is not None:
            if {part.name, part.register.name} & keys:
                raise UsageError(f"--reg {text}: {part.name} is given twice")
            keys.add(part.name)
            set_part(
                session.target, session.wave, part, Field(f"--reg {name}", "value", value.strip())
            )
            continue
        if register is None:
            raise UsageError(f"--reg {text}: {session.architecture.name} has no register {name}")
        value = value.strip()
        field = Field(f"--reg {name}", "value", value)
        if value.startswith("["):
            if not value.endswith("]"):
                raise UsageError(f"--reg {name}: a ] is missing at the end")
            lanes = [element.strip() for element in value[1:-1].split(",")]
            values: list[json_reader.Json] = [None if lane == "null" else lane for lane in lanes]
            field = Field(f"--reg {name}", "value", values)
        elif value.startswith("bytes:"):
            field = Field(f"--reg {name}", "value", {"bytes": value.removeprefix("bytes:")})
        parts = session.architecture.register_parts.values()
        if {register.name, *(e.name for e in parts if e.register is register)} & keys:
            raise UsageError(f"--reg {text}: register {register} is given twice")
        keys.add(register.name)
        target.waves[session.wave].pop(register.name, None)
        set_register(target, session.wave, register, field)


def _set_memories(args: argparse.Namespace, session: Session, target: StateTarget) -> None:
    options = target.without_memory()
    for text in args.mem:
        place, equals, data = text.partition("=")
        match = _ADDRESS.fullmatch(place.strip())
        if not equals or match is None:
            raise UsageError(f"--mem {text}: expected SPACE#ADDRESS=HEX")
        lane = match["lane"] or (None if session.lane is None else str(session.lane))
        space = match["space"] or session.architecture.address_space(0).name
        named = session.architecture.address_space_named(space)
        if data.strip().startswith("@"):
            from dwarfgpu.base.npy import bytes_of

            data = bytes_of(data.strip()[1:]).hex()
        entry: dict[str, json_reader.Json] = {
            "space": space,
            "address": match["address"],
            "bytes": data,
        }
        belongs = named is not None and named.scope in ("lane", "any")
        if lane is not None and belongs:
            entry["lane"] = lane
        elif match["lane"] is not None and named is not None:
            raise UsageError(f"--mem {text}: {named} memory belongs to no lane")
        add_memory(options, Field(f"--mem {text}", "", entry), session.wave)
    target.replace_memory(options)


def _given_address(text: str | None, option: str, arch: Architecture) -> GivenAddress | None:
    if text is None:
        return None
    match = _ADDRESS.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{option} {text}: expected [SPACE#]ADDRESS")
    space = arch.address_space_named(match["space"] or "none")
    if space is None:
        known_names = ", ".join(space.name for space in arch.address_spaces.values())
        raise UsageError(
            f"{option} {text}: no address space {match['space']}; known: {known_names}"
        )
    address = natural(match["address"], option) or 0
    if address >= space.end:
        raise UsageError(f"{option} {text}: {space} has addresses of {space.address_bits} bits")
    return GivenAddress(space.number, address)


def with_entries(args: argparse.Namespace, context: Context, chosen: Dialect) -> Context:
    """The context with the object, the initial stack and the result kind of the options."""
    stack = tuple(_entry(text, "--push", context, chosen) for text in args.push)
    object_entry = None if args.object is None else _entry(args.object, "--object", context, chosen)
    if object_entry is not None and not isinstance(object_entry, Location):
        object_entry = evaluate(
            b"", evolve(context, initial_stack=(object_entry,), result_kind="location")
        )
        assert isinstance(object_entry, Location)
    return evolve(context, initial_stack=stack, object=object_entry, result_kind=args.want)


def _entry(text: str, option: str, context: Context, chosen: Dialect) -> Entry:
    number = json_reader.integer_of(text)
    if number is not None:
        bits = context.generic.bit_size
        if not -(1 << bits - 1) <= number < 1 << bits:
            raise UsageError(
                f"{option}: {cut_short(text)} does not fit the {bits}-bit generic type"
            )
        return Value.of(number, context.generic)
    form = context.unit.format if context.unit is not None else format_of(context.architecture)
    data = assembled(text, chosen, form, context.architecture)
    try:
        return evaluate(data, context, dialect=chosen)
    except DwarfGpuError as error:
        raise UsageError(f"{option} {text}: {error}") from None


def assembled(
    text: str, chosen: Dialect, form: UnitFormat, architecture: Architecture | None
) -> bytes:
    """The bytes of operations as text; what cannot be read is the request's fault."""
    try:
        return assemble(text, chosen, form, architecture)
    except Malformed as error:
        raise UsageError(error.message) from None
