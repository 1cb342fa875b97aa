"""Bombs of many entries that share one long name: of `.debug_str`, or of one symbol."""

from __future__ import annotations

import json
import struct
from typing import Final

from dwarfgpu.dwarf import constants as dw
from tests.dwarf.builder import AMDGPU, Shape, unit
from tools.bombs.elf import CODE_BYTES, FIRST, HERE, NAME, PLACE, START, TYPE, block, program, units
from tools.bombs.model import Bomb, Files

NAME_BYTES: Final = 17_000
"""More than are read of a name."""
_NAME: Final = (dw.AT_NAME, dw.FORM_STRP)
_OF_NAME: Final = bytes(4)
_LOCATION: Final = (dw.AT_LOCATION, dw.FORM_EXPRLOC)
_FUNCTION: Final = Shape(dw.TAG_SUBPROGRAM, (_NAME, *PLACE), True)
_PLUS: Final = b"\x22"


def _strings() -> dict[str, bytes]:
    return {".debug_str": b"N" * NAME_BYTES + b"\0"}


def findings_of_one_name(count: int) -> Files:
    """Variables of a function, each with two mistakes."""
    variable = Shape(dw.TAG_VARIABLE, (_NAME, _LOCATION))
    entries = b"\2" + _OF_NAME + HERE + (b"\3" + _OF_NAME + block(2 * _PLUS)) * count + b"\0"
    return {"bomb": program(entries, _FUNCTION, variable, others=_strings())}


def units_of_one_name(count: int) -> Files:
    """Units whose name, producer and directory are one string."""
    texts = (_NAME, (dw.AT_PRODUCER, dw.FORM_STRP), (dw.AT_COMP_DIR, dw.FORM_STRP))
    roots = (b"\1" + 3 * _OF_NAME + struct.pack("<QI", START + n % 4096, 1) for n in range(count))
    data = b"".join(map(unit, roots))
    return {"bomb": units(data, Shape(dw.TAG_COMPILE_UNIT, (*texts, *PLACE)), others=_strings())}


def enumerators_of_one_name(count: int) -> Files:
    """An enumeration of them, and a variable of its type."""
    enumeration = Shape(dw.TAG_ENUMERATION_TYPE, (_NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True)
    enumerator = Shape(dw.TAG_ENUMERATOR, (_NAME, (dw.AT_CONST_VALUE, dw.FORM_DATA1)))
    entries = b"\2" + _OF_NAME + b"\4" + (b"\3" + _OF_NAME + b"\1") * count + b"\0"
    variable = Shape(dw.TAG_VARIABLE, (NAME, TYPE, _LOCATION))
    entries += b"\4v\0" + struct.pack("<I", FIRST) + block(b"\3" + struct.pack("<Q", START))
    return {"bomb": program(entries, enumeration, enumerator, variable, others=_strings())}


def members_of_one_name(count: int) -> Files:
    """A structure of them, and a variable of its type."""
    base = (_NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_ENCODING, dw.FORM_DATA1))
    entries = b"\2" + _OF_NAME + b"\4\5"
    structure_at = FIRST + len(entries)
    entries += b"\3" + _OF_NAME + struct.pack("<I", 4096)
    entries += (b"\4" + _OF_NAME + struct.pack("<II", FIRST, 4)) * count + b"\0"
    entries += b"\5v\0" + struct.pack("<I", structure_at) + block(b"\3" + struct.pack("<Q", START))
    shapes = (
        Shape(dw.TAG_BASE_TYPE, base),
        Shape(dw.TAG_STRUCTURE_TYPE, (_NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA4)), True),
        Shape(dw.TAG_MEMBER, (_NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA4))),
        Shape(dw.TAG_VARIABLE, (NAME, TYPE, _LOCATION)),
    )
    return {"bomb": program(entries, *shapes, others=_strings())}


def parameters_of_one_name(count: int) -> Files:
    """Parameters of a function; each is a constant."""
    base = (_NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_ENCODING, dw.FORM_DATA1))
    constant = block(b"\x31\x9f")  # DW_OP_lit1, DW_OP_stack_value
    parameter = b"\4" + _OF_NAME + struct.pack("<I", FIRST) + constant
    entries = b"\2" + _OF_NAME + b"\4\5" + b"\3" + _OF_NAME + HERE + parameter * count + b"\0"
    shapes = (
        Shape(dw.TAG_BASE_TYPE, base),
        _FUNCTION,
        Shape(dw.TAG_FORMAL_PARAMETER, (_NAME, TYPE, _LOCATION)),
    )
    return {"bomb": program(entries, *shapes, others=_strings())}


def waves_of_one_name(count: int) -> Files:
    """A state whose waves are in one function, at addresses of their own."""
    waves = [{"pc": START + n % CODE_BYTES, "registers": {"exec": "0x1"}} for n in range(count)]
    state = {
        "schema": "dwarfgpu-state-1",
        "architecture": "gfx942",
        "code_objects": [{"path": "f.co", "load_address": 0}],
        "waves": waves,
    }
    function = b"\2" + _OF_NAME + HERE + b"\0"
    return {
        "bomb": json.dumps(state).encode(),
        "f.co": program(function, _FUNCTION, others=_strings(), machine=AMDGPU),
    }


BOMBS: Final = (
    Bomb("name-of-findings", ".debug_info", "{} variables of one long name with mistakes",
         findings_of_one_name, 20_000,
         ("check bomb --json", "check bomb --json-lines", "check bomb --sarif",
          "check bomb --all")),
    Bomb("name-of-units", ".debug_info", "{} units of one long name", units_of_one_name, 40_000,
         ("info bomb", "info bomb --json", "info bomb --all", "check bomb")),
    Bomb("name-of-enumerators", ".debug_info", "{} enumerators of one long name",
         enumerators_of_one_name, 100_000,
         ("debug bomb <<< complete p N", "debug bomb <<< complete p v")),
    Bomb("name-of-members", ".debug_info", "{} members of one long name", members_of_one_name,
         100_000, ("debug bomb <<< ptype v", "debug bomb <<< ptype/o v")),
    Bomb("name-of-parameters", ".debug_info", "{} parameters of one long name",
         parameters_of_one_name, 9_000, ("bt bomb --pc 0x1000 --json", "where bomb --all"),
         says="--max-listed-characters"),
    Bomb("name-of-waves", "state file", "{} waves in a function with a long name",
         waves_of_one_name, 30_000, ("waves --state bomb", "waves --state bomb --json")),
)  # fmt: skip
