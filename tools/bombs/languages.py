"""Bombs for the rules of names of Ada and Fortran."""

from __future__ import annotations

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
    TYPE,
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


def blocks(language: int, count: int) -> Files:
    """Blocks of code in `main`, each with a variable."""
    inner = (b"\5" + HERE + b"\3v\0" + word(FIRST)) * count + b"\0" * count
    shapes = MAIN, _GLOBAL, INT, Shape(dw.TAG_LEXICAL_BLOCK, PLACE, True)
    return {"bomb": _program(language, b"\4" + OF_INT + OF_MAIN + inner + b"\0", *shapes)}


AT_MAIN: Final = (
    "eval --file bomb --pc 0x1000 x",
    "eval --file bomb --pc 0x1000 nosuch",
    "debug --pc 0x1000 bomb <<< print x; print nosuch",
)
BOMBS: Final = (
    Bomb("packages", INFO, "a function of Ada in {} packages, and as many others", packages,
         100_000, AT_MAIN, small=250, says="is in several packages"),
    Bomb("modules", INFO, "{} modules of Fortran that use one another, but for a variable", modules,
         20_000, (*AT_MAIN, "eval --file bomb --pc 0x1000 m0::nosuch"),
         small=100, says="lead through too many scopes"),
    Bomb("blocks-of-ada", INFO, "{} blocks of Ada in one another", partial(blocks, ADA_95), 20_000,
         AT_MAIN, small=120),
    Bomb("blocks-of-fortran", INFO, "{} blocks of Fortran in one another",
         partial(blocks, FORTRAN_03), 20_000, AT_MAIN, small=120),
)  # fmt: skip
