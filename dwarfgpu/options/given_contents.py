"""Registers, memory and addresses that options give."""

from __future__ import annotations

import argparse
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base import json_reader
from dwarfgpu.base.input_files import record_input
from dwarfgpu.base.json_reader import Field
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.suggest import nearest
from dwarfgpu.errors import LONGEST_NAME, UsageError, shortened
from dwarfgpu.expr.explicit_context import ExplicitAddress
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import Target, WaveId
from dwarfgpu.options.integer_options import natural

_ADDRESS: Final = pattern(r"(?:(?P<space>\w+)(?:\[(?P<lane>[0-9]+)\])?#)?(?P<address>\w+)")


def place_scratch(args: argparse.Namespace, target: StateTarget, wave: WaveId) -> None:
    base = natural(args.scratch_base, "--scratch-base")
    if base is None:
        return
    if not target.architecture.is_simt:
        raise UsageError(f"--scratch-base: {target.architecture.name} has no scratch memory")
    target.place_scratch(wave, base)


def set_registers(
    args: argparse.Namespace, machine: Target, target: StateTarget, wave: WaveId, pc: int | None
) -> None:
    if args.pc is None and not args.reg:
        return
    from dwarfgpu.machine.state.load_contents import set_part, set_register  # few have options

    number = target.architecture.program_counter
    if args.pc is not None and number is not None:
        # A.2.5.1: the program location of the top frame is the program counter.
        counter = target.architecture.register(number)
        set_register(target, wave, counter, Field("--pc", "value", pc))
    keys: set[str] = set()
    for text in args.reg:
        name, equals, value = text.partition("=")
        option = f"--reg {_named(text)}"
        register = target.architecture.register_named(name.strip())
        part = target.architecture.part_named(name.strip())
        if not equals or not name.strip():
            raise UsageError(f"{option}: expected NAME=VALUE")
        if part is not None:
            if {part.name, part.register.name} & keys:
                raise UsageError(f"{option}: {part.name} is given twice")
            keys.add(part.name)
            set_part(machine, target, wave, part, _one_value(name, value.strip()))
            continue
        if register is None:
            known = target.architecture
            advice = nearest(name.strip(), known.by_name)
            raise UsageError(f"{option}: {known.name} has no register {_named(name)}{advice}")
        value = value.strip()
        field = _one_value(name, value)
        if value.startswith("["):
            if not value.endswith("]"):
                raise UsageError(f"--reg {name}: a ] is missing at the end")
            lanes = [element.strip() for element in value[1:-1].split(",")]
            values: list[json_reader.Json] = [None if lane == "null" else lane for lane in lanes]
            field = Field(f"--reg {name}", "value", values)
        elif "," in value:
            raise UsageError(f"{option}: values of lanes are a list: {name}=[{_named(value)}]")
        elif (
            isinstance(field.value, str)
            and 1 < target.architecture.lane_count == register.type.vector_size
        ):
            # As one number, as wide as all lanes, it would be zero in all lanes but the first.
            raise UsageError(
                f"{option}: {name} has a value for each lane: [{_named(value)}] gives "
                "that of lane 0"
            )
        parts = target.architecture.register_parts.values()
        if {register.name, *(e.name for e in parts if e.register is register)} & keys:
            raise UsageError(f"{option}: register {register} is given twice")
        keys.add(register.name)
        target.forget_register(wave, register, 0, (register.size_bits + 7) // 8)
        set_register(target, wave, register, field)


def _named(text: str) -> str:
    """Return a text of any length as a message has it, whose reason follows."""
    return shortened(text, LONGEST_NAME)


def _one_value(name: str, value: str) -> Field:
    """Return `bytes:HEX` as state files have bytes; any other value as it is."""
    data = value.removeprefix("bytes:")
    return Field(f"--reg {name}", "value", value if data == value else {"bytes": data})


def set_memories(
    args: argparse.Namespace, target: StateTarget, wave: WaveId, lane: int | None
) -> None:
    if not args.mem:
        return
    from dwarfgpu.machine.state.load_contents import add_memory  # few have options

    options = target.without_memory()
    for text in args.mem:
        address_text, equals, data = text.partition("=")
        option = f"--mem {_named(text)}"
        match = _ADDRESS.fullmatch(address_text.strip())
        if not equals or match is None:
            raise UsageError(f"{option}: expected SPACE#ADDRESS=HEX")
        named_lane = match["lane"] or (None if lane is None else str(lane))
        space = match["space"] or target.architecture.address_space(0).name
        named = target.architecture.address_space_named(space)
        if data.strip().startswith("@"):
            from dwarfgpu.base.npy import bytes_of

            path = data.strip()[1:]
            data = bytes_of(path).hex()
            record_input(path)
        entry: dict[str, json_reader.Json] = {
            "space": space,
            "address": match["address"],
            "bytes": data,
        }
        belongs = named is not None and named.scope in ("lane", "any")
        if named_lane is not None and belongs:
            entry["lane"] = named_lane
        elif match["lane"] is not None and named is not None:
            raise UsageError(f"{option}: {named} memory belongs to no lane")
        advice = f"write {space}[N]#{match['address']}, or give --lane N"
        add_memory(options, Field(option, "", entry), wave, advice=advice)
    target.replace_memory(options)


def explicit_address(text: str | None, option: str, arch: Architecture) -> ExplicitAddress | None:
    if text is None:
        return None
    match, typed = _ADDRESS.fullmatch(text.strip()), f"{option} {_named(text)}"
    if match is None:
        raise UsageError(f"{typed}: expected [SPACE#]ADDRESS")
    space = arch.address_space_named(match["space"] or "none")
    if space is None:
        known_names = ", ".join(space.name for space in arch.address_spaces.values())
        raise UsageError(
            f"{typed}: no address space {_named(match['space'])}; known: {known_names}"
        )
    address = natural(match["address"], option) or 0
    if address >= space.end:
        raise UsageError(f"{typed}: {space} has addresses of {space.address_bits} bits")
    return ExplicitAddress(space.number, address)
