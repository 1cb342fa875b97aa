"""Bombs for the rules of names of Ada and Fortran."""

from __future__ import annotations

import json
import struct
from functools import partial
from typing import Final

from dwarfgpu.dwarf import constants as dw
from tests.dwarf.builder import Shape, unit
from tools.bombs.elf import FIRST as FIRST_OF_C
from tools.bombs.elf import (
    HERE,
    INT,
    MAIN,
    NAME,
    OF_INT,
    OF_MAIN,
    OF_UNIT,
    PLACE,
    START,
    TYPE,
    block,
    units,
    word,
)
from tools.bombs.elf import UNIT as UNIT_OF_C
from tools.bombs.model import Bomb, Files

INFO: Final = ".debug_info"
FIRST: Final = FIRST_OF_C + 1
_UNIT: Final = Shape(
    dw.TAG_COMPILE_UNIT, (*UNIT_OF_C.attributes, (dw.AT_LANGUAGE, dw.FORM_DATA1)), True
)
_GLOBAL: Final = Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_EXTERNAL, dw.FORM_FLAG_PRESENT)))
_IMPORT: Final = (dw.AT_IMPORT, dw.FORM_REF4)
_MODULE: Final = Shape(dw.TAG_MODULE, (NAME,), True)
_USE: Final = Shape(dw.TAG_IMPORTED_MODULE, (_IMPORT,), True)
_RENAMING: Final = Shape(dw.TAG_IMPORTED_DECLARATION, (NAME, _IMPORT))
ADA_95: Final = 0x0D
FORTRAN_03: Final = 0x22


def _program(language: int, entries: bytes, *shapes: Shape) -> bytes:
    """A program of one unit of a language: its entries, with shapes from code 2 on."""
    data = unit(OF_UNIT + bytes((language,)) + entries + b"\0")
    return units(data, _UNIT, *shapes)


def packages(count: int) -> Files:
    """Each has a variable `x`; a function is in as many packages, with other names."""
    variables = b"".join(b"\3p%d__x\0" % index + word(FIRST) for index in range(count))
    function = b"\2" + b"a__" * count + b"main\0" + HERE + b"\0"
    return {"bomb": _program(ADA_95, b"\4" + OF_INT + variables + function, MAIN, _GLOBAL, INT)}


def modules(count: int) -> Files:
    """Each uses the one before, but for a variable, and `main` uses the last."""
    out = b"\6" + OF_INT
    used, variable = 0, 0
    for number in range(count):
        module = FIRST + len(out)
        out += b"\4m%d\0" % number
        if number:
            out += b"\5" + word(used) + b"\7z\0" + word(variable) + b"\0"
        used, variable = module, FIRST + len(out)
        out += b"\3v%d\0" % number + word(FIRST) + b"\0"
    out += b"\2main\0" + HERE + b"\5" + word(used) + b"\0" + b"\0"
    shapes = MAIN, _GLOBAL, _MODULE, _USE, INT, _RENAMING
    return {"bomb": _program(FORTRAN_03, out, *shapes)}


def subranges(count: int) -> Files:
    """Each is one of the subrange before it, the first one of `int`."""
    one = len(b"\3s0000000\0" + word(0))
    first = FIRST + len(b"\4" + OF_INT)
    chain = b"".join(
        b"\3s%07d\0" % number + word(first + one * (number - 1) if number else FIRST)
        for number in range(count)
    )
    shapes = MAIN, Shape(dw.TAG_SUBRANGE_TYPE, (NAME, TYPE)), INT
    return {"bomb": _program(ADA_95, b"\4" + OF_INT + chain + OF_MAIN + b"\0", *shapes)}


def blocks(language: int, count: int) -> Files:
    """Blocks of code in `main`, each with a variable."""
    inner = (b"\5" + HERE + b"\3v\0" + word(FIRST)) * count + b"\0" * count
    shapes = MAIN, _GLOBAL, INT, Shape(dw.TAG_LEXICAL_BLOCK, PLACE, True)
    return {"bomb": _program(language, b"\4" + OF_INT + OF_MAIN + inner + b"\0", *shapes)}


_LOCAL: Final = Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_LOCATION, dw.FORM_EXPRLOC)))
_RECORD: Final = Shape(dw.TAG_STRUCTURE_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True)
_MADE: Final = Shape(
    dw.TAG_STRUCTURE_TYPE, (*_RECORD.attributes, (dw.AT_ARTIFICIAL, dw.FORM_FLAG_PRESENT)), True
)
_COMPONENT: Final = Shape(dw.TAG_MEMBER, (NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1)))
_DATA: Final = 0x100000
"""The address of variables."""


def _record(begin: bytes, *components: tuple[bytes, int, int]) -> bytes:
    """A record with its components, by name, type and offset."""
    parts = b"".join(b"\7%s\0" % name + word(type_) + bytes([at]) for name, type_, at in components)
    return begin + b"\x10" + parts + b"\0"


def tags(padding: bytes, end: bytes, count: int) -> Files:
    """Variables in `main` that may have any type derived from one: each has another, and the tag
    that leads to its name. Strings of the file have padding for each; all names have an end."""
    out = b"\4" + OF_INT + b"\4a\0\x08\7"
    root = FIRST + len(out)
    out += _record(b"\5p__root\0", (b"_tag", FIRST + len(OF_INT) + 1, 0), (b"a", FIRST, 8))
    out += _record(b"\5ada__tags__type_specific_data\0", (b"expanded_name", FIRST, 0))
    made = FIRST + len(out)
    out += _record(b"\6T1b\0", (b"_parent", root, 0), (b"b", FIRST, 12))
    data, names, variables = b"", b"", b""
    for number in range(count):
        name = b"p__t%d%s\0" % (number, end)
        out += _record(b"\5" + name, (b"_parent", root, 0), (b"b", FIRST, 12))
        start, name_at = _DATA + 40 * number, _DATA + 40 * count + len(names)
        data += struct.pack("<QQQQII", 0, start + 16, name_at, start + 16, number, number)
        names += name
        place = b"\x03" + word(start + 24, 8)
        variables += b"\3v%d\0" % number + word(made) + block(place)
    code = unit(OF_UNIT + bytes((ADA_95,)) + out + OF_MAIN + variables + b"\0\0")
    shapes = _UNIT, MAIN, _LOCAL, INT, _RECORD, _MADE, _COMPONENT
    state = {
        "schema": "dwarfgpu-state-1",
        "architecture": "x86_64",
        "waves": [{"pc": START, "registers": {"rsp": 0x10000}}],
        "code_objects": [{"path": "bomb"}],
        "memory": [{"address": _DATA, "bytes": (data + names).hex()}],
    }
    file = units(code, *shapes, others={".debug_str": padding * count + b"\0"})
    return {"bomb": file, "state": json.dumps(state).encode()}


_ARGUMENT: Final = Shape(dw.TAG_TEMPLATE_TYPE_PARAMETER, (NAME, TYPE))
_FUNCTION: Final = Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE), True)
_PARAMETER: Final = Shape(dw.TAG_FORMAL_PARAMETER, (NAME, TYPE))
_CPLUSPLUS_14: Final = 0x21


def instances(count: int) -> Files:
    """Each is of a class template, with the one before as its argument, and has a function that is
    an instance of one with it; no name has the arguments, as with `-gsimple-template-names`."""
    out, argument = bytearray(b"\4" + OF_INT), FIRST
    for number in range(count):
        instance = FIRST + len(out)
        out += b"\3A%d\0\4" % number + b"\5T\0" + word(argument) + b"\0"
        out += b"\6f%d\0" % number + HERE + b"\5T\0" + word(instance)
        out += b"\7p\0" + word(instance) + b"\0"
        argument = instance
    shapes = MAIN, _RECORD, INT, _ARGUMENT, _FUNCTION, _PARAMETER
    return {"bomb": _program(_CPLUSPLUS_14, bytes(out) + OF_MAIN + b"\0", *shapes)}


AT_MAIN: Final = (
    "eval --file bomb --pc 0x1000 x",
    "eval --file bomb --pc 0x1000 nosuch",
    "debug --pc 0x1000 bomb <<< print x; print nosuch",
)
OF_TAGS: Final = "debug --state state <<< info locals", "eval --state state v0"
BOMBS: Final = (
    Bomb("packages", INFO, "a function of Ada in {} packages, and as many others", packages,
         100_000, AT_MAIN, small=62, says="is in several packages"),
    Bomb("modules", INFO, "{} modules of Fortran that use one another, but for a variable", modules,
         20_000, (*AT_MAIN, "eval --file bomb --pc 0x1000 m0::nosuch"),
         small=25, says="lead through too many scopes"),
    Bomb("blocks-of-ada", INFO, "{} blocks of Ada in one another", partial(blocks, ADA_95), 20_000,
         AT_MAIN, small=40),
    Bomb("blocks-of-fortran", INFO, "{} blocks of Fortran in one another",
         partial(blocks, FORTRAN_03), 20_000, AT_MAIN, small=60),
    Bomb("subranges", INFO, "a chain of {} subranges of Ada", subranges, 60_000,
         ("debug bomb <<< info types .", "debug bomb <<< ptype s0000900", "check bomb"), small=50),
    Bomb("instances", INFO, "{} instances of templates in one another, named without arguments",
         instances, 120_000,
         ("debug bomb <<< info functions f[0-9]9", "debug bomb <<< info functions",
          "debug bomb <<< info types ^A.*9<", "debug bomb <<< rbreak ^f.*1<", "check bomb"),
         says="the search is incomplete"),
    Bomb("tags", INFO, "{} variables of Ada, each of another class-wide type",
         partial(tags, b"p__ttag" * 4_200, b""), 700, OF_TAGS, small=20),
    Bomb("tag-names", INFO, "{} variables of Ada of types with names of 900 letters",
         partial(tags, b"", b"z" * 900), 4_000, OF_TAGS, small=20),
)  # fmt: skip
