"""Bombs of scopes, types and calls that are in one another, as deep as a file says."""

from __future__ import annotations

import json
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.calls.call_sites import AT_CALL_ORIGIN, AT_CALL_RETURN_PC, AT_CALL_VALUE
from dwarfgpu.expr.text.assembly import assemble
from tests.dwarf.builder import Shape, abbreviations, unit
from tests.dwarf.builder import elf as elf_file
from tools.bombs.elf import (
    CODE_BYTES,
    FIRST,
    HEADER_BYTES,
    HERE,
    INT,
    MAIN,
    NAME,
    OF_INT,
    OF_MAIN,
    OF_UNIT,
    PLACE,
    START,
    TEXT,
    TYPE,
    UNIT,
    block,
    program,
    units,
    word,
)
from tools.bombs.model import Bomb, Files
from tools.bombs.sections import CIE, fde

INFO: Final = ".debug_info"
_AT_X: Final = block(b"\3" + word(0x1000, 8))
"""A location: DW_OP_addr."""
_VARIABLE: Final = Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_LOCATION, dw.FORM_EXPRLOC)))
_FIRST_ENTRY: Final = b"\4" + OF_INT
"""Of a unit whose third abbreviation is `_VARIABLE` and whose fourth is `INT`."""
_X: Final = b"\3x\0" + word(FIRST) + _AT_X
"""A variable `x` of the type `int`."""
_CPLUSPLUS_14: Final = 0x21
_ORIGIN: Final = (dw.AT_ABSTRACT_ORIGIN, dw.FORM_REF4)
_SIZE: Final = (dw.AT_BYTE_SIZE, dw.FORM_DATA1)


def namespaces(count: int) -> Files:
    """The innermost one has a variable, a structure and a function."""
    shapes = (
        Shape(dw.TAG_NAMESPACE, (NAME,), True),
        Shape(dw.TAG_STRUCTURE_TYPE, (NAME, _SIZE)),
        Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE)),
    )
    inside = _X + b"\6s\0\4" + b"\7f\0" + HERE
    entries = _FIRST_ENTRY + b"\5n\0" * count + inside + b"\0" * count
    return {"bomb": program(entries + OF_MAIN + b"\0", MAIN, _VARIABLE, INT, *shapes)}


def named_in_namespaces(count: int) -> Files:
    """Each namespace has a variable and a structure."""
    shapes = Shape(dw.TAG_NAMESPACE, (NAME,), True), Shape(dw.TAG_STRUCTURE_TYPE, (NAME, _SIZE))
    entries = _FIRST_ENTRY + (b"\5" + b"n" * 50 + b"\0" + _X + b"\6x\0\4") * count + b"\0" * count
    return {"bomb": program(entries + OF_MAIN + b"\0", MAIN, _VARIABLE, INT, *shapes)}


def declared_in_namespaces(count: int) -> Files:
    """Variables that are declared in a namespace each, in 99 around all, and defined outside, as
    gcc has it."""
    shapes = (
        Shape(dw.TAG_NAMESPACE, (NAME,), True),
        Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_DECLARATION, dw.FORM_FLAG_PRESENT))),
        Shape(dw.TAG_VARIABLE, ((dw.AT_SPECIFICATION, dw.FORM_REF4), _VARIABLE.attributes[-1])),
    )
    entries, defined = _FIRST_ENTRY + b"\5n\0" * 99, b""
    for number in range(count):
        entries += b"\5b%d\0" % number
        defined += b"\7" + word(HEADER_BYTES + len(OF_UNIT) + len(entries)) + _AT_X
        entries += b"\6x\0" + word(FIRST) + b"\0"
    entries += b"\0" * 99 + defined
    return {"bomb": program(entries + OF_MAIN + b"\0", MAIN, _VARIABLE, INT, *shapes)}


def functions(count: int) -> Files:
    """Functions of one name without code."""
    shape = Shape(dw.TAG_SUBPROGRAM, (NAME, TYPE), True)
    entries = _FIRST_ENTRY + (b"\5n\0" + word(FIRST)) * count + b"\0" * count
    return {"bomb": program(entries + OF_MAIN + b"\0", MAIN, _VARIABLE, INT, shape)}


def blocks(count: int) -> Files:
    """Blocks of code in `main`, each with a variable."""
    shapes = (MAIN, _VARIABLE, INT, Shape(dw.TAG_LEXICAL_BLOCK, PLACE, True))
    inside = (b"\5" + HERE + _X) * count + b"\0" * count
    return {"bomb": program(_FIRST_ENTRY + OF_MAIN + inside + b"\0", *shapes)}


def inlined_calls(count: int) -> Files:
    """Calls inlined into one another, all of the whole function, each with a variable."""
    shapes = (
        MAIN,
        _VARIABLE,
        INT,
        Shape(dw.TAG_SUBPROGRAM, (NAME,)),
        Shape(dw.TAG_INLINED_SUBROUTINE, (_ORIGIN, *PLACE), True),
    )
    inlined = FIRST + len(_FIRST_ENTRY)
    calls = (b"\6" + word(inlined) + HERE + _X) * count
    entries = _FIRST_ENTRY + b"\5f\0" + OF_MAIN + calls + b"\0" * (count + 1)
    return {"bomb": program(entries, *shapes)}


def concrete_blocks(count: int) -> Files:
    """Blocks of code in one another, each an instance of a block without code."""
    shapes = (
        MAIN,
        _VARIABLE,
        INT,
        Shape(dw.TAG_SUBPROGRAM, (NAME,), True),
        Shape(dw.TAG_LEXICAL_BLOCK, (), True),
        Shape(dw.TAG_LEXICAL_BLOCK, (*PLACE, _ORIGIN), True),
    )
    abstract = _FIRST_ENTRY + b"\5f\0"
    origin = FIRST + len(abstract)
    abstract += b"\6" + _X + b"\0\0"
    inside = (b"\7" + HERE + word(origin)) * count + b"\0" * count
    return {"bomb": program(abstract + OF_MAIN + inside + b"\0", *shapes)}


def lane_pcs(count: int) -> Files:
    """Calls inlined into one another that no lane ever entered, and a wave in the innermost."""
    undefined = (dw.AT_LLVM_LANE_PC, dw.FORM_EXPRLOC)
    nowhere = block(assemble("DW_OP_LLVM_undefined"))
    shapes = (
        Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE, undefined), True),
        Shape(dw.TAG_SUBPROGRAM, (NAME,)),
        Shape(dw.TAG_INLINED_SUBROUTINE, (_ORIGIN, *PLACE, undefined), True),
    )
    calls = (b"\4" + word(FIRST) + HERE + nowhere) * count
    entries = OF_UNIT + b"\3f\0" + OF_MAIN + nowhere + calls + b"\0" * (count + 2)
    sections = {".debug_info": unit(entries), ".debug_abbrev": abbreviations(UNIT, *shapes)}
    state = {
        "schema": "dwarfgpu-state-1",
        "architecture": "gfx942",
        "waves": [{"pc": 0x1010, "registers": {"exec": 255}}],
        "code_objects": [{"path": "bomb"}],
    }
    return {"bomb": elf_file({**sections, **TEXT}), "state": json.dumps(state).encode()}


def inlined_bases(count: int) -> Files:
    """Calls inlined into one another, and in the innermost a variable whose location asks for the
    frame base until the limit ends it."""
    shapes = (
        _WITH_BASE,
        _VARIABLE,
        INT,
        Shape(dw.TAG_SUBPROGRAM, (NAME,)),
        Shape(dw.TAG_INLINED_SUBROUTINE, (_ORIGIN, *PLACE), True),
    )
    calls = (b"\6" + word(FIRST + len(_FIRST_ENTRY)) + HERE) * count
    step = _BASES + assemble("DW_OP_lit1; DW_OP_minus; DW_OP_dup")
    back = b"\x28" + word(0x10000 - len(step) - 3, 2)  # DW_OP_bra
    looping = block(assemble("DW_OP_const2u 60000") + step + back)
    variable = b"\3x\0" + word(FIRST) + looping
    entries = _FIRST_ENTRY + b"\5f\0" + _OF_MAIN_WITH_BASE + calls + variable
    return {"bomb": program(entries + b"\0" * (count + 1), *shapes), "state": _STOPPED}


def called_bases(count: int) -> Files:
    """Variables whose locations call others, two each time, which ask for the frame base."""
    return _called(count, _BASES)


def called_pieces(count: int) -> Files:
    """Variables whose locations call others, two each time, which make pieces."""
    return _called(count, assemble("DW_OP_reg0; DW_OP_bit_piece 1, 0"))


def values_of_values(count: int) -> Files:
    """Variables that are the values of others, of two each time."""
    return _called(count, assemble("DW_OP_lit1"), _VARIABLE_VALUE, b"\x22\x9f")  # plus, stack_value


def values_of_constants(count: int) -> Files:
    """Variables whose locations have the value of a constant a thousand times."""
    constant = Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_CONST_VALUE, dw.FORM_SDATA)))
    one = _VARIABLE_VALUE + word(FIRST + len(_FIRST_ENTRY)) + b"\x13"  # DW_OP_drop
    location = block(one * 1_000 + b"\x30\x9f")  # DW_OP_lit0; DW_OP_stack_value
    variables = b"".join(b"\3v%d\0" % number + word(FIRST) + location for number in range(count))
    entries = _FIRST_ENTRY + b"\5c\0" + word(FIRST) + b"\1" + _OF_MAIN_WITH_BASE + variables
    return {"bomb": program(entries + b"\0", _WITH_BASE, _VARIABLE, INT, constant),
            "state": _STOPPED}  # fmt: skip


def _called(count: int, innermost: bytes, operation: bytes = b"\x99", end: bytes = b"") -> Files:
    """Variables whose locations call others (DW_OP_call4), each of these the next one twice."""
    entries, called = _FIRST_ENTRY, innermost + end[1:]
    for number in range(CALL_DEPTH):
        here = HEADER_BYTES + len(OF_UNIT) + len(entries)
        entries += b"\3q%d\0" % number + word(FIRST) + block(called)
        called = (operation + word(here)) * 2 + end
    variables = b"".join(
        b"\3v%d\0" % number + word(FIRST) + block(called[:5] + end[1:]) for number in range(count)
    )
    entries += _OF_MAIN_WITH_BASE + variables + b"\0"
    return {"bomb": program(entries, _WITH_BASE, _VARIABLE, INT), "state": _STOPPED}


CALL_DEPTH: Final = 24
"""Of locations that call one another: more operations than any limit allows."""
_VARIABLE_VALUE: Final = b"\xfd"
"""DW_OP_GNU_variable_value."""
_BASES: Final = assemble("DW_OP_fbreg 0; DW_OP_drop") * 8
_WITH_BASE: Final = Shape(
    dw.TAG_SUBPROGRAM, (NAME, *PLACE, (dw.AT_FRAME_BASE, dw.FORM_EXPRLOC)), True
)
_OF_MAIN_WITH_BASE: Final = OF_MAIN + block(assemble("DW_OP_breg7 0"))
_STOPPED: Final = json.dumps({
    "schema": "dwarfgpu-state-1",
    "architecture": "x86_64",
    "waves": [{"pc": START, "registers": {"rax": 0, "rsp": 0x2000}}],
    "code_objects": [{"path": "bomb"}],
}).encode()  # fmt: skip


def passed_on(count: int) -> Files:
    """Frames of a function that calls itself with what it was called with, and one more."""
    shapes = (
        MAIN,
        Shape(dw.TAG_FORMAL_PARAMETER, _VARIABLE.attributes),
        INT,
        Shape(
            dw.TAG_CALL_SITE,
            ((AT_CALL_RETURN_PC, dw.FORM_ADDR), (AT_CALL_ORIGIN, dw.FORM_REF4)),
            True,
        ),
        Shape(
            dw.TAG_CALL_SITE_PARAMETER,
            ((dw.AT_LOCATION, dw.FORM_EXPRLOC), (AT_CALL_VALUE, dw.FORM_EXPRLOC)),
        ),
    )
    on_entry = assemble("DW_OP_entry_value(DW_OP_reg5)")
    one_more = block(on_entry + assemble("DW_OP_plus_uconst 1"))
    variable = b"\3x\0" + word(FIRST) + block(on_entry + assemble("DW_OP_stack_value"))
    call = b"\5" + word(START + 0x10, 8) + word(FIRST + len(_FIRST_ENTRY))
    call += b"\6" + block(assemble("DW_OP_reg5")) + one_more + b"\0"
    entries = _FIRST_ENTRY + b"\2f\0" + HERE + variable + call + b"\0"
    frames = {".debug_frame": CIE + fde(b"\x0e\x08\x90\2", size_bytes=CODE_BYTES)}
    stack = {"address": 0x10000, "bytes": word(START + 0x10, 8).hex() * count}
    state = {
        "schema": "dwarfgpu-state-1",
        "architecture": "x86_64",
        "waves": [{"pc": START + 0x10, "registers": {"rsp": 0x10000}}],
        "code_objects": [{"path": "bomb"}],
        "memory": [stack],
    }
    file = program(entries, *shapes, others=frames)
    return {"bomb": file, "state": json.dumps(state).encode()}


_LINKED: Final = (dw.AT_LINKAGE_NAME, dw.FORM_STRING)
_OF_CPLUSPLUS: Final = Shape(
    dw.TAG_COMPILE_UNIT, (*UNIT.attributes, (dw.AT_LANGUAGE, dw.FORM_DATA1)), True
)
"""Of a unit that begins with `OF_UNIT` and its language."""
_ARGUMENTS: Final = b"I" + b"2BC" * 900 + b"E"
"""Of a template, in mangled names."""


def linked_names(count: int) -> Files:
    """Structures that only linkers have a name for, in 900 namespaces or a class of 900 arguments;
    each has a variable."""
    shapes = Shape(dw.TAG_STRUCTURE_TYPE, (_LINKED, _SIZE)), _VARIABLE
    out = OF_UNIT + bytes((_CPLUSPLUS_14,))
    for number in range(count):
        around = b"3n_s" * 900 if number % 4 else b"1A" + _ARGUMENTS
        at = HEADER_BYTES + len(out)
        out += b"\2N%s8s%07dE\0\4" % (around, number) + b"\3v%d\0" % number + word(at) + _AT_X
    return {"bomb": units(unit(out + b"\0"), _OF_CPLUSPLUS, *shapes)}


def linked_instances(count: int) -> Files:
    """Structures that only linkers have a name for, in a class of 900 arguments; each has a
    variable outside of functions, and a pointer in a function."""
    shapes = (
        Shape(dw.TAG_STRUCTURE_TYPE, (_LINKED, _SIZE)),
        _VARIABLE,
        MAIN,
        Shape(dw.TAG_POINTER_TYPE, (TYPE,)),
    )
    out, inside = bytearray(OF_UNIT + bytes((_CPLUSPLUS_14,))), bytearray(b"\4main\0" + HERE)
    kinds = []
    for number in range(count):
        kinds.append(HEADER_BYTES + len(out))
        out += b"\2N1A%s8s%07dE\0\4" % (_ARGUMENTS, number)
        out += b"\3v%d\0" % number + word(kinds[-1]) + _AT_X
    for number, kind in enumerate(kinds):
        at = HEADER_BYTES + len(out) + len(inside)
        inside += b"\5" + word(kind) + b"\3p%d\0" % number + word(at) + _AT_X
    return {"bomb": units(unit(bytes(out + inside) + bytes(2)), _OF_CPLUSPLUS, *shapes)}


def instances_of_variables(count: int) -> Files:
    """Variables of one name, whose linkage names have 900 arguments of a template."""
    shape = Shape(dw.TAG_VARIABLE, (NAME, _LINKED, TYPE, (dw.AT_LOCATION, dw.FORM_EXPRLOC)))
    language = bytes((_CPLUSPLUS_14,))
    at = word(FIRST + len(language)) + _AT_X
    variables = b"".join(
        b"\3v\0_Z1v%s8w%07dE\0" % (_ARGUMENTS[:-1], number) + at for number in range(count)
    )
    entries = OF_UNIT + language + b"\2" + OF_INT + variables
    return {"bomb": units(unit(entries + b"\0"), _OF_CPLUSPLUS, INT, shape)}


OF_TYPEDEFS: Final = "c::" + "".join(f"t{number}::" for number in range(198)) + "f"
"""A member function of a class, whose name is written in nearly as many scopes as one may be."""


def scopes_of_bases(count: int) -> Files:
    """A class with as many base classes, the last with 198 typedefs of the class itself, and a
    function in 200 classes, each derived from it."""
    shapes = (
        MAIN,
        Shape(dw.TAG_STRUCTURE_TYPE, (NAME, _SIZE), True),
        Shape(dw.TAG_INHERITANCE, (TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
        Shape(dw.TAG_TYPEDEF, (NAME, TYPE)),
        _VARIABLE,
    )
    at_function = word(START + 0x800, 8) + word(0x10)
    first = FIRST + 1  # the language
    others = b"".join(b"\3b%d\0\1\0" % number for number in range(count))
    starts, at = [], first
    for number in range(count):
        starts.append(at)
        at += len(b"\3b%d\0\1\0" % number)
    derived = b"\3c\0\1" + b"".join(b"\4" + word(base) + b"\0" for base in (*starts, 0))
    typedefs = b"".join(b"\5t%d\0" % number + word(at) for number in range(198))
    member = b"\2f\0" + at_function + b"\0"
    last = b"\3b\0\1" + typedefs + member + b"\0"
    derived = derived[:-5] + word(at + len(derived) + 1) + b"\0\0"
    around = (b"\3n\0\1\4" + word(at) + b"\0") * 200 + b"\2g\0" + HERE + b"\0" + b"\0" * 200
    variable = b"\6o\0" + word(at) + _AT_X
    data = OF_UNIT + bytes((_CPLUSPLUS_14,)) + others + derived + last + around + variable
    return {"bomb": units(unit(data + b"\0"), _OF_CPLUSPLUS, *shapes)}


ASK: Final = ("where --all bomb", "check bomb", "eval --file bomb nosuch")
BOMBS: Final = (
    Bomb("namespaces", INFO, "{} namespaces in one another", namespaces, 100_000,
         (*ASK, "debug bomb <<< break nosuch", "debug bomb <<< ptype n::nosuch")),
    Bomb("deep-namesakes", INFO, "{} namespaces in one another, with a variable of one name each",
         named_in_namespaces, 20_000, ("debug bomb <<< list x", "debug bomb <<< info line x"),
         small=30, says="--max-searched-names"),
    Bomb("deep-declarations", INFO, "{} variables of one name in a hundred namespaces each",
         declared_in_namespaces, 19_000,
         ("debug bomb <<< print x", "debug bomb <<< list x", "debug bomb <<< info line x"),
         small=30, says="--max-searched-names"),
    Bomb("scopes-of-bases", INFO, "{} base classes of the scopes of names", scopes_of_bases, 800,
         ("eval --file bomb --pc 0x1000 nosuch", f"eval --file bomb {OF_TYPEDEFS}",
          f"eval --file bomb o.{OF_TYPEDEFS}", f"debug bomb <<< break {OF_TYPEDEFS}"),
         small=3, says="the scopes of a name have more than 20000 base classes"),
    Bomb("nested-functions", INFO, "{} functions of one name in one another", functions, 20_000,
         ("eval --file bomb --pc 0x1000 n", "debug --pc 0x1000 bomb <<< ptype n; info line n"),
         small=60),
    Bomb("scopes", INFO, "{} blocks with a variable in one another", blocks, 20_000,
         (*ASK, "debug bomb <<< info scope main", "debug --pc 0x1000 bomb <<< bt full 1"),
         small=30),
    Bomb("inlined-locals", INFO, "{} calls inlined into one another, with a variable each",
         inlined_calls, 8_000, ("debug --pc 0x1000 bomb <<< bt full",
         "debug --pc 0x1000 bomb <<< bt", "debug --pc 0x1000 bomb <<< frame 5; info locals",
         "debug bomb <<< info scope main", "where --all --against bomb bomb"),
         small=30),
    Bomb("concrete-blocks", INFO, "{} instances of a block in one another", concrete_blocks, 8_000,
         (*ASK, "debug bomb <<< info scope main", "debug --pc 0x1000 bomb <<< info locals"),
         small=30),
    Bomb("lane-pcs", INFO, "{} inlined calls that no lane has entered", lane_pcs, 12_000,
         ("bt --state state", "lanes --state state", "where --all bomb",
          "debug --state state <<< bt 20; info lanes"), small=5, says="--max-command-steps"),
    Bomb("inlined-bases", INFO, "{} calls inlined into one another, around a location that loops",
         inlined_bases, 15_000, ("eval --state state x", "debug --state state <<< print x"),
         small=5, says="--max-steps"),
    Bomb("called-bases", INFO, "{} variables whose locations ask for the frame base in calls",
         called_bases, 2_000, ("eval --state state v0", "eval --state state",
         "debug --state state <<< info locals"), small=2, says="--max-command-steps"),
    Bomb("called-pieces", INFO, "{} variables whose locations make pieces in calls",
         called_pieces, 2_000, ("eval --state state v0", "eval --state state",
         "debug --state state <<< info locals"), small=2, says="--max-command-steps"),
    Bomb("values-of-values", INFO, "{} variables that are the values of others, of two each time",
         values_of_values, 2_000, ("eval --state state v0", "eval --state state",
         "debug --state state <<< info locals"), small=2, says="--max-command-steps"),
    Bomb("values-of-constants", INFO, "{},000 values of a constant in locations",
         values_of_constants, 1_000, ("eval --state state v0", "eval --state state",
         "debug --state state <<< info locals"), small=2, says="--max-command-steps"),
    Bomb("passed-on", INFO, "{} frames that pass on what they were called with", passed_on,
         100_000, ("eval --state state x", "explain --state state x", "bt --state state --limit 50",
         "debug --state state <<< bt 5; bt -5; frame 9; print x; info locals"), small=15,
         says="values on entry"),
    Bomb("linked-names", INFO, "{} structures with long names that only linkers know", linked_names,
         3_000, (*ASK, "debug bomb <<< info types", "debug bomb <<< info variables"), small=7),
    Bomb("linked-instances", INFO, "{} structures in templates that only linkers know",
         linked_instances, 3_700, (*ASK, "debug bomb <<< info types",
         "debug bomb <<< info variables", "debug bomb <<< info variables -t zzz",
         "debug --pc 0x1000 bomb <<< info locals"), small=1, says="--max-searched-names"),
    Bomb("variable-instances", INFO, "{} instances of a template of variables, of one name",
         instances_of_variables, 3_700, ("where bomb v", "eval --file bomb v",
         "debug bomb <<< print v", "debug bomb <<< list v", "debug bomb <<< info variables"),
         small=1, says="--max-searched-names"),
)  # fmt: skip
