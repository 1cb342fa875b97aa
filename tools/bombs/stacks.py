"""Bombs of call frames: stacks of many frames, whose functions or rules are many."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.calls.call_sites import (
    AT_CALL_ORIGIN,
    AT_CALL_PC,
    AT_CALL_RETURN_PC,
    AT_CALL_TAIL_CALL,
)
from tests.dwarf.builder import Content, Shape, unit
from tools.bombs.elf import FIRST, MAIN, NAME, OF_UNIT, PLACE, START, UNIT, units, word
from tools.bombs.model import Bomb, Files
from tools.bombs.sections import CIE, fde

_ALL_CALLS: Final = 0x7A
_CODE_BYTES: Final = 16
"""Of each function."""
_JUMPS: Final = 9
"""From each function to others, at most."""
_RETURN_ADDRESS: Final = b"\x0c\7\x08\x90\2"
"""The CFA is RSP+8, below which the return address is."""
_STACK: Final = 0x10000
_SHAPES: Final = (
    Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE, (_ALL_CALLS, dw.FORM_FLAG_PRESENT)), True),
    Shape(dw.TAG_CALL_SITE, ((AT_CALL_RETURN_PC, dw.FORM_ADDR), (AT_CALL_ORIGIN, dw.FORM_REF4))),
    Shape(
        dw.TAG_CALL_SITE,
        (
            (AT_CALL_PC, dw.FORM_ADDR),
            (AT_CALL_TAIL_CALL, dw.FORM_FLAG_PRESENT),
            (AT_CALL_ORIGIN, dw.FORM_REF4),
        ),
    ),
)


def tail_call_chain(count: int) -> Files:
    """A function that calls the first of a chain, where each jumps to the next one and back to some
    before it; the last one runs."""
    jumps = [
        (*range(max(0, number - _JUMPS), number), *range(number + 1, count)[:1])
        for number in range(count)
    ]
    jumps[-1] = ()
    return _stopped([*jumps, ()], {count: 0}, [count - 1, count])


def tail_call_stack(count: int) -> Files:
    """Functions that each call the one before, and jump to some before it."""
    jumps = [[*range(max(0, number - _JUMPS), number)] for number in range(count)]
    return _stopped(jumps, {number: number - 1 for number in range(1, count)}, range(count))


def frames_of_a_row(count: int) -> Files:
    """A frame for each 50 register rules of the one entry."""
    rules = b"".join(b"\5" + encode_uleb(number) + b"\1" for number in range(200, 200 + count))
    size_bytes = _CODE_BYTES * (count // 50 + 2)
    code: dict[str, bytes | Content] = {
        ".text": Content(bytes(size_bytes), flags=6, address=START),
        ".debug_frame": CIE + fde(_RETURN_ADDRESS + rules, size_bytes=size_bytes),
    }
    main = b"\2main\0" + word(START, 8) + word(size_bytes) + b"\0"
    return {"bomb": _program(main, size_bytes, code, MAIN), "state": _state(range(count // 50 + 1))}


def _stopped(jumps: Sequence[Iterable[int]], calls: dict[int, int], frames: Sequence[int]) -> Files:
    """A program whose functions make tail calls, and one call each at most; its call frames, from
    the innermost one on."""
    entries, at = bytearray(), [0] * len(jumps)
    for _ in range(2):  # the second time with the offsets that the first one found
        entries.clear()
        for number, targets in enumerate(jumps):
            at[number], begin = FIRST + len(entries), START + _CODE_BYTES * number
            entries += b"\2f%d\0" % number + word(begin, 8) + word(_CODE_BYTES)
            if number in calls:
                entries += b"\3" + word(begin + 8, 8) + word(at[calls[number]])
            for target in targets:
                entries += b"\4" + word(begin + 12, 8) + word(at[target])
            entries += b"\0"
    size_bytes = _CODE_BYTES * len(jumps)
    code: dict[str, bytes | Content] = {
        ".text": Content(bytes(size_bytes), flags=6, address=START),
        ".debug_frame": CIE + fde(_RETURN_ADDRESS, size_bytes=size_bytes),
    }
    file = _program(bytes(entries), size_bytes, code, *_SHAPES)
    return {"bomb": file, "state": _state(frames)}


def _program(
    entries: bytes, size_bytes: int, code: Mapping[str, bytes | Content], *shapes: Shape
) -> bytes:
    """A program whose unit has more code than that of others."""
    begin = b"\1" + word(START, 8) + word(size_bytes) + b"u\0"
    assert len(begin) == len(OF_UNIT)
    return units(unit(begin + entries + b"\0"), UNIT, *shapes, others=code)


def _state(frames: Sequence[int]) -> bytes:
    """A thread in the first of some functions, which those behind it called."""
    stack = b"".join(word(START + _CODE_BYTES * number + 8, 8) for number in frames[1:])
    state = {
        "schema": "dwarfgpu-state-1",
        "architecture": "x86_64",
        "waves": [{"pc": START + _CODE_BYTES * frames[0] + 4, "registers": {"rsp": _STACK}}],
        "code_objects": [{"path": "bomb"}],
        "memory": [{"address": _STACK, "bytes": (stack + bytes(8)).hex()}],
    }
    return json.dumps(state).encode()


_STACKED: Final = ("bt --state state", "eval --state state --frame 1 $pc")
BOMBS: Final = (
    Bomb("tail-call-chain", ".debug_info", "{} functions that jump to the next one, and back",
         tail_call_chain, 990, _STACKED, small=40),
    Bomb("tail-call-stack", ".debug_info", "{} frames of functions that jump to nine others each",
         tail_call_stack, 1_000, _STACKED, small=30),
    Bomb("frames-of-a-row", ".debug_frame", "{} rules of an entry, and a frame for each 50",
         frames_of_a_row, 50_000, _STACKED, small=1_000),
)  # fmt: skip
