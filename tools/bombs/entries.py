"""Bombs of `.debug_info`, `.debug_types` and `.debug_abbrev`."""

from __future__ import annotations

import json
from functools import partial
from math import isqrt
from typing import Final

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.dwarf import constants as dw
from tests.dwarf.builder import AMDGPU, X86_64, Shape, abbreviations, unit
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
    TYPE,
    UNIT,
    block,
    packed,
    program,
    units,
    word,
)
from tools.bombs.model import Bomb, Files

LOCATION = (dw.AT_LOCATION, dw.FORM_EXPRLOC)
AT_X = block(b"\3" + word(0x1000, 8))
"""A location: DW_OP_addr."""
IS_0 = block(b"\x30\x9f")
"""A location: DW_OP_lit0, DW_OP_stack_value."""
INFO = ".debug_info"


def headers(count: int) -> Files:
    return {"bomb": units(unit(b"") * count, UNIT)}


def units_with_unreadable_ranges(count: int) -> Files:
    """Units whose DW_AT_ranges leads nowhere, with a function each."""
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, ((dw.AT_RANGES, dw.FORM_SEC_OFFSET),), True),
        Shape(
            dw.TAG_SUBPROGRAM,
            ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, 0x0B)),
        ),
    )
    function = b"\x02f\0" + (0x1000).to_bytes(8, "little") + b"\x04"
    one = unit(b"\x01\xff\xff\xff\xff" + function + b"\0")
    return {"bomb": units(one * count, *shapes, others={".debug_rnglists": b"\0"})}


def damaged_units(count: int) -> Files:
    """Units whose entry has an abbreviation that there is not."""
    return {"bomb": units(unit(b"\5") * count, UNIT)}


def units_with_entries(count: int) -> Files:
    """Units of a function, a structure with a member, and a variable of it."""
    body = b"\3" + OF_INT + b"\4s\0\4\5m\0" + word(FIRST) + b"\0\0"
    body += b"\6v\0" + word(FIRST + len(b"\3" + OF_INT)) + AT_X + OF_MAIN + b"\0\0"
    shapes = (
        INT,
        Shape(dw.TAG_STRUCTURE_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True),
        Shape(dw.TAG_MEMBER, (NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
        Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)),
    )
    return {"bomb": units(unit(OF_UNIT + body) * count, UNIT, MAIN, *shapes)}


def flat(count: int) -> Files:
    return {"bomb": program(b"\2" * count, Shape(dw.TAG_LEXICAL_BLOCK))}


def base_types(count: int) -> Files:
    """Base types with a size in bits, too."""
    shape = Shape(INT.tag, (*INT.attributes, (dw.AT_BIT_SIZE, dw.FORM_DATA1)))
    return {"bomb": program((b"\2" + OF_INT + b"\x20") * count, shape)}


def structures(count: int) -> Files:
    shape = Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_BYTE_SIZE, dw.FORM_DATA1),))
    return {"bomb": program(b"\2\4" * count, shape)}


def code_blocks(count: int) -> Files:
    return {"bomb": program((b"\2" + HERE) * count, Shape(dw.TAG_LEXICAL_BLOCK, PLACE))}


def inflated(count: int) -> Files:
    info = packed(unit(OF_UNIT + b"\2" * count))
    return {"bomb": units(b"", UNIT, Shape(dw.TAG_LEXICAL_BLOCK), others={INFO: info})}


def deep(count: int) -> Files:
    shapes = (MAIN, Shape(dw.TAG_LEXICAL_BLOCK, (), True))
    return {"bomb": program(OF_MAIN + b"\3" * count + b"\0" * (count + 1), *shapes)}


def chained(tag: int, attribute: int, count: int) -> Files:
    """Each entry refers to the one before."""
    entries, last = b"\3x\0", FIRST
    links = [b""] * count
    for number in range(count):
        links[number] = b"\4" + word(last)
        last = FIRST + len(entries) + 5 * number
    shapes = (MAIN, Shape(tag, (NAME,)), Shape(tag, ((attribute, dw.FORM_REF4),)))
    return {"bomb": program(entries + b"".join(links) + OF_MAIN + b"\0", *shapes)}


def circular(attribute: int, count: int) -> Files:
    """Pairs of entries that refer to each other."""
    pairs = (
        b"\3" + word(FIRST + 10 * number + 5) + b"\3" + word(FIRST + 10 * number)
        for number in range(count)
    )
    shapes = (MAIN, Shape(dw.TAG_VARIABLE, ((attribute, dw.FORM_REF4),)))
    return {"bomb": program(b"".join(pairs) + OF_MAIN + b"\0", *shapes)}


def typedefs(count: int) -> Files:
    """A variable of a type at the end of a chain of typedefs that begins with `int`."""
    chain = [b"\4" + OF_INT]
    size = len(chain[0])
    for number in range(count):
        at = FIRST if number == 0 else FIRST + size + 5 * (number - 1)
        chain.append(b"\5" + word(at))
    last = FIRST + size + 5 * (count - 1)
    variable = b"\3x\0" + word(last) + AT_X
    shapes = (Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)), INT, Shape(dw.TAG_TYPEDEF, (TYPE,)))
    return {"bomb": program(b"".join(chain) + variable + OF_MAIN + b"\0", MAIN, *shapes)}


def aliases(count: int) -> Files:
    """Imported declarations, each of the next one and the last of `int`."""
    one = len(b"\4a\0" + word(0))
    chain = (b"\4a\0" + word(FIRST + one * (number + 1)) for number in range(count))
    alias = Shape(dw.TAG_IMPORTED_DECLARATION, (NAME, (dw.AT_IMPORT, dw.FORM_REF4)))
    return {"bomb": program(b"".join(chain) + b"\3" + OF_INT + OF_MAIN + b"\0", MAIN, INT, alias)}


def own_type(count: int) -> Files:
    """Typedefs that are typedefs of themselves, each with a variable."""
    entries = b""
    for _ in range(count):
        entries += b"\4t\0" + word(FIRST + len(entries))
        entries += b"\3x\0" + word(FIRST + len(entries) - 7) + AT_X
    shapes = (Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)), Shape(dw.TAG_TYPEDEF, (NAME, TYPE)))
    return {"bomb": program(entries + OF_MAIN + b"\0", MAIN, *shapes)}


def namesakes(count: int) -> Files:
    variable = b"\3x\0" + word(FIRST) + AT_X
    shapes = (MAIN, Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)), INT)
    return {"bomb": program(b"\4" + OF_INT + variable * count + OF_MAIN + b"\0", *shapes)}


def functions(count: int) -> Files:
    shapes = (MAIN, Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE)))
    entries = (
        b"\3f%d\0" % number + word(START + number % CODE_BYTES, 8) + word(1)
        for number in range(count)
    )
    return {"bomb": program(b"".join(entries) + OF_MAIN + b"\0", *shapes)}


def methods(count: int) -> Files:
    """Functions of the class `ns::C`, each declared in it and defined outside."""
    linkage = (dw.AT_LINKAGE_NAME, dw.FORM_STRING)
    language = (dw.AT_LANGUAGE, dw.FORM_DATA1)
    whole = Shape(dw.TAG_COMPILE_UNIT, (*PLACE, NAME, language), True)
    shapes = (
        MAIN,
        Shape(dw.TAG_NAMESPACE, (NAME,), True),
        Shape(dw.TAG_CLASS_TYPE, (NAME,), True),
        Shape(dw.TAG_SUBPROGRAM, (NAME, linkage)),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_SPECIFICATION, dw.FORM_REF4), *PLACE)),
    )
    entries = [b"\3ns\0\4C\0"]
    definitions = []
    at = FIRST + 1 + len(entries[0])  # behind DW_AT_language
    for number in range(count):
        name = b"m%d" % number
        entries.append(b"\5%s\0_ZN2ns1C%d%sEv\0" % (name, len(name), name))
        address = START + number % CODE_BYTES
        definitions.append(b"\6" + word(at) + word(address, 8) + word(1))
        at += len(entries[-1])
    cplusplus = b"\4"
    inside = b"".join((*entries, b"\0\0", *definitions, OF_MAIN, b"\0\0"))
    return {"bomb": units(unit(OF_UNIT + cplusplus + inside), whole, *shapes)}


def long_parameters(count: int) -> Files:
    """Functions with two parameters of a class that has a name of 60,000 letters."""
    language = (dw.AT_LANGUAGE, dw.FORM_DATA1)
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, (*PLACE, NAME, language), True),
        MAIN,
        Shape(dw.TAG_CLASS_TYPE, (NAME,)),
        Shape(dw.TAG_SUBPROGRAM, (NAME, *PLACE), True),
        Shape(dw.TAG_FORMAL_PARAMETER, (TYPE,)),
    )
    both = (b"\5" + word(FIRST + 1)) * 2 + b"\0"  # behind DW_AT_language
    functions = (
        b"\4f%d\0" % number + word(START + number % CODE_BYTES, 8) + word(1) + both
        for number in range(count)
    )
    inside = b"\3" + b"C" * 60_000 + b"\0" + b"".join(functions) + OF_MAIN
    return {"bomb": units(unit(OF_UNIT + b"\4" + inside + b"\0\0"), *shapes)}


def variables(count: int) -> Files:
    shapes = (MAIN, Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)), INT)
    entries = (b"\3v%d\0" % number + word(FIRST) + AT_X for number in range(count))
    return {"bomb": program(b"\4" + OF_INT + b"".join(entries) + OF_MAIN + b"\0", *shapes)}


def local_variables(count: int) -> Files:
    shapes = (MAIN, Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)), INT)
    entries = (b"\3v%d\0" % number + word(FIRST) + AT_X for number in range(count))
    return {"bomb": program(b"\4" + OF_INT + OF_MAIN + b"".join(entries) + b"\0", *shapes)}


def large_locals(count: int, tag: int = dw.TAG_VARIABLE, machine: int = X86_64) -> Files:
    """As many variables as one structure has members, which overlap, all with the value 0: the
    count is that of the members in all of them."""
    side = isqrt(count)
    structure, member = (
        Shape(dw.TAG_STRUCTURE_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA4)), True),
        Shape(dw.TAG_MEMBER, (NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA4))),
    )
    shapes = (MAIN, Shape(tag, (NAME, TYPE, LOCATION)), INT, structure, member)
    members = (b"\6m%d\0" % number + word(FIRST) + word(0) for number in range(side))
    type_at = FIRST + len(b"\4" + OF_INT)
    types = b"\5s\0" + word(4) + b"".join(members) + b"\0"
    of_main = (b"\3v%d\0" % number + word(type_at) + IS_0 for number in range(side))
    entries = b"\4" + OF_INT + types + OF_MAIN + b"".join(of_main) + b"\0"
    return {"bomb": program(entries, *shapes, machine=machine)}


def large_locals_of_waves(count: int) -> Files:
    """The same in the lanes of twenty waves."""
    state = {
        "schema": "dwarfgpu-state-1",
        "architecture": "gfx942",
        "waves": [{"pc": 0x1010, "registers": {"exec": (1 << 64) - 1}}] * 20,
        "code_objects": [{"path": "bomb"}],
    }
    return {**large_locals(count, machine=AMDGPU), "state": json.dumps(state).encode()}


def unread_members(count: int) -> Files:
    """As `large_locals`, but the last member of the structure says twice where it is."""
    side = isqrt(count)
    place = (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1)
    shapes = (
        Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)),
        INT,
        Shape(dw.TAG_STRUCTURE_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True),
        Shape(dw.TAG_MEMBER, (NAME, TYPE, place)),
        Shape(dw.TAG_MEMBER, (NAME, TYPE, place, (dw.AT_DATA_BIT_OFFSET, dw.FORM_DATA1))),
    )
    type_at = FIRST + len(b"\4" + OF_INT)
    member = b"m\0" + word(FIRST) + b"\0"
    structure = b"\5s\0\4" + (b"\6" + member) * side + b"\7" + member + b"\0\0"
    entries = b"\4" + OF_INT + structure + OF_MAIN
    return {
        "bomb": program(entries + (b"\3x\0" + word(type_at) + IS_0) * side + b"\0", MAIN, *shapes)
    }


LONGEST_CHAIN: Final = 1_500
"""Types from the last to `int`; tests of how the work grows have shorter ones."""


def used_chain(tag: int, length: int, count: int) -> Files:
    """A chain of types that begins with `int`, and many variables, and members of a structure, that
    have the last of them: fewer members where each would be shown as an error."""
    is_array = tag == dw.TAG_ARRAY_TYPE
    members = count if tag in (dw.TAG_TYPEDEF, dw.TAG_CONST_TYPE) else count // 10
    shapes = (
        Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)),
        INT,
        Shape(tag, (NAME, TYPE), is_array),
        Shape(dw.TAG_STRUCTURE_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True),
        Shape(dw.TAG_MEMBER, (NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
        Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_DATA1),)),
    )
    entries, last = b"\4" + OF_INT, FIRST
    for _ in range(min(length, LONGEST_CHAIN)):
        here = FIRST + len(entries)
        entries += b"\5t\0" + word(last) + (b"\x08\1\0" if is_array else b"")
        last = here
    structure = FIRST + len(entries)
    entries += b"\6s\0\4" + (b"\7m\0" + word(last) + b"\0") * members + b"\0"
    entries += b"\3x\0" + word(structure) + IS_0
    variables = (b"\3v\0" + word(last) + IS_0) * count
    return {"bomb": program(entries + OF_MAIN + variables + b"\0", MAIN, *shapes)}


def nameless(count: int) -> Files:
    """Functions without a name, a place or anything else, each with a variable `x`."""
    shapes = (MAIN, Shape(dw.TAG_SUBPROGRAM, (), True), Shape(dw.TAG_VARIABLE, (NAME, LOCATION)))
    one = b"\3\4x\0" + AT_X + b"\0"
    return {"bomb": program(one * count + OF_MAIN + b"\0", *shapes)}


def doubled(count: int, *, has_names: bool = True) -> Files:
    """Structures with two members of the structure before: 2 to the power of the count in all.
    Those without names are no levels of `set print max-depth`."""
    name = (NAME,) if has_names else ()
    entries = b"\4" + OF_INT
    last = FIRST
    for _ in range(count):
        here = FIRST + len(entries)
        member = word(last)
        names = (b"s\0", b"a\0", b"b\0") if has_names else (b"",) * 3
        entries += (
            b"\5" + names[0] + b"\4" + b"".join(b"\6" + n + member + b"\0" for n in names[1:])
        )
        entries, last = entries + b"\0", here
    entries += b"\3x\0" + word(last) + (AT_X if has_names else b"\2\x30\x9f")  # lit0, stack_value
    shapes = (
        Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)),
        INT,
        Shape(dw.TAG_STRUCTURE_TYPE, (*name, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True),
        Shape(dw.TAG_MEMBER, (*name, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
    )
    return {"bomb": program(entries + OF_MAIN + b"\0", MAIN, *shapes)}


def diamonds(count: int) -> Files:
    """Classes that inherit twice from the class before."""
    entries = b"\4" + OF_INT
    last = FIRST
    for number in range(count):
        here = FIRST + len(entries)
        entries += b"\5s%d\0\4" % number
        if number:
            entries += (b"\6" + word(last) + b"\0") * 2
        entries, last = entries + b"\0", here
    entries += b"\3x\0" + word(last) + AT_X
    shapes = (
        Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)),
        INT,
        Shape(dw.TAG_CLASS_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True),
        Shape(dw.TAG_INHERITANCE, (TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
    )
    return {"bomb": program(entries + OF_MAIN + b"\0", MAIN, *shapes)}


def _each_in_all_later(count: int, tag: int) -> Files:
    """A number of entries that name no more than their type: each class has one for each class
    before."""
    entries, parts, last = b"\4" + OF_INT, b"", FIRST
    for number in range(isqrt(2 * count)):
        last = FIRST + len(entries)
        entries += b"\5s%d\0\4" % number + parts + b"\0"
        parts += b"\6" + word(last) + b"\0"
    entries += b"\3x\0" + word(last) + AT_X
    shapes = (
        Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)),
        INT,
        Shape(dw.TAG_CLASS_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True),
        Shape(tag, (TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
    )
    return {"bomb": program(entries + OF_MAIN + b"\0", MAIN, *shapes)}


def inherited_by_all(count: int) -> Files:
    """Classes that inherit all classes before."""
    return _each_in_all_later(count, dw.TAG_INHERITANCE)


def unnamed_in_all(count: int) -> Files:
    """Classes with an unnamed member of each class before."""
    return _each_in_all_later(count, dw.TAG_MEMBER)


def members(count: int) -> Files:
    """A structure of many members."""
    entries = b"\4" + OF_INT
    at = FIRST + len(entries)
    entries += b"\5s\0\4" + (b"\6m\0" + word(FIRST) + b"\0") * count + b"\0"
    shapes = (
        Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)),
        INT,
        Shape(dw.TAG_STRUCTURE_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True),
        Shape(dw.TAG_MEMBER, (NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
    )
    return {"bomb": program(entries + b"\3x\0" + word(at) + AT_X + OF_MAIN + b"\0", MAIN, *shapes)}


def variants(count: int) -> Files:
    """A structure whose variants are in one another, with a member each."""
    entries = b"\4" + OF_INT
    at = FIRST + len(entries)
    inner = b"\6\7" + b"\x08m\0" + word(FIRST) + b"\0"
    entries += b"\5s\0\4" + inner * count + b"\0" * (2 * count + 1)
    shapes = (
        Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)),
        INT,
        Shape(dw.TAG_STRUCTURE_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True),
        Shape(dw.TAG_VARIANT_PART, (), True),
        Shape(dw.TAG_VARIANT, (), True),
        Shape(dw.TAG_MEMBER, (NAME, TYPE, (dw.AT_DATA_MEMBER_LOCATION, dw.FORM_DATA1))),
    )
    return {"bomb": program(entries + b"\3x\0" + word(at) + AT_X + OF_MAIN + b"\0", MAIN, *shapes)}


def dimensions(count: int) -> Files:
    """An array of that many dimensions, each of two elements."""
    entries = b"\4" + OF_INT
    at = FIRST + len(entries)
    entries += b"\5" + word(FIRST) + b"\6\2" * count + b"\0\3x\0" + word(at) + AT_X
    shapes = (
        Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)),
        INT,
        Shape(dw.TAG_ARRAY_TYPE, (TYPE,), True),
        Shape(dw.TAG_SUBRANGE_TYPE, ((dw.AT_COUNT, dw.FORM_DATA1),)),
    )
    return {"bomb": program(entries + OF_MAIN + b"\0", MAIN, *shapes)}


def enumerators(count: int) -> Files:
    """An enumeration of many names for one number."""
    entries = b"\4e\0\4" + b"\5a\0\1" * count + b"\0\3x\0" + word(FIRST) + AT_X
    shapes = (
        Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)),
        Shape(dw.TAG_ENUMERATION_TYPE, (NAME, (dw.AT_BYTE_SIZE, dw.FORM_DATA1)), True),
        Shape(dw.TAG_ENUMERATOR, (NAME, (dw.AT_CONST_VALUE, dw.FORM_DATA1))),
    )
    return {"bomb": program(entries + OF_MAIN + b"\0", MAIN, *shapes)}


def inlined(count: int) -> Files:
    """Calls inlined into one another, all of the whole function."""
    shapes = (
        MAIN,
        Shape(dw.TAG_SUBPROGRAM, (NAME,)),
        Shape(dw.TAG_INLINED_SUBROUTINE, ((dw.AT_ABSTRACT_ORIGIN, dw.FORM_REF4), *PLACE), True),
    )
    calls = (b"\4" + word(FIRST) + HERE) * count
    return {"bomb": program(b"\3f\0" + OF_MAIN + calls + b"\0" * (count + 1), *shapes)}


def directives(count: int) -> Files:
    """Namespaces that each import all of the next one; the last one imports the first."""
    one = len(b"\3n00000000\0\4") + 4 + 1
    entries = b"".join(
        b"\3n%08d\0\4" % number + word(FIRST + one * ((number + 1) % count)) + b"\0"
        for number in range(count)
    )
    shapes = (
        MAIN,
        Shape(dw.TAG_NAMESPACE, (NAME,), True),
        Shape(dw.TAG_IMPORTED_MODULE, ((dw.AT_IMPORT, dw.FORM_REF4),)),
    )
    entries += b"\4" + word(FIRST)
    return {"bomb": program(entries + OF_MAIN + b"\0", *shapes)}


def imported_units(count: int) -> Files:
    """Units that each import the next one; the last one imports the first."""
    one = len(unit(b"\1\2" + word(0) + b"\0"))
    data = b"".join(
        unit(b"\1\2" + word(one * ((number + 1) % count) + HEADER_BYTES) + b"\0")
        for number in range(count)
    )
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, (), True),
        Shape(dw.TAG_IMPORTED_UNIT, ((dw.AT_IMPORT, dw.FORM_REF_ADDR),)),
    )
    return {"bomb": units(data, *shapes)}


def self_calls(count: int) -> Files:
    """Variables whose location calls the location of the next, the last one the first."""
    one = len(b"\3x00000000\0" + block(b"\x98" + word(0, 2)))
    count = min(count, 4_000)  # DW_OP_call2 has 16 bits
    entries = b"".join(
        b"\3x%08d\0" % number + block(b"\x98" + word(FIRST + one * ((number + 1) % count), 2))
        for number in range(count)
    )
    shapes = (MAIN, Shape(dw.TAG_VARIABLE, (NAME, LOCATION)))
    return {"bomb": program(entries + OF_MAIN + b"\0", *shapes)}


def long_name(count: int) -> Files:
    """Variables that share a name of as many bytes."""
    shapes = (MAIN, Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRP), LOCATION)))
    entries = (b"\3" + word(0) + AT_X) * count
    others = {".debug_str": b"A" * (100 * count) + b"\0"}
    return {"bomb": program(entries + OF_MAIN + b"\0", *shapes, others=others)}


def operations(count: int) -> Files:
    """A location of many operations that do nothing."""
    expression = AT_X[1:] + b"\x96" * count
    shapes = (MAIN, Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)), INT)
    entries = b"\4" + OF_INT + b"\3x\0" + word(FIRST) + block(expression)
    return {"bomb": program(entries + OF_MAIN + b"\0", *shapes)}


OPERATIONS: Final = 20_000
"""Of each of the long locations."""


def long_locations(count: int) -> Files:
    """Variables that each have another location of many operations."""
    shapes = (MAIN, Shape(dw.TAG_VARIABLE, (NAME, TYPE, LOCATION)), INT)
    swaps = b"\x12\x13" * (OPERATIONS // 2)  # DW_OP_dup, DW_OP_drop
    entries = (
        b"\3v%d\0" % number + word(FIRST) + block(b"\x0c" + word(number) + swaps)
        for number in range(count)
    )
    return {"bomb": program(b"\4" + OF_INT + b"".join(entries) + OF_MAIN + b"\0", *shapes)}


def long_number(count: int) -> Files:
    """A constant of as many bytes."""
    shapes = (MAIN, Shape(dw.TAG_VARIABLE, (NAME, TYPE, (dw.AT_CONST_VALUE, dw.FORM_UDATA))), INT)
    value = b"\x81" * count + b"\1"
    entries = b"\4" + OF_INT + b"\3x\0" + word(FIRST) + value
    return {"bomb": program(entries + OF_MAIN + b"\0", *shapes)}


def declared_abbreviations(count: int) -> Files:
    """A table of abbreviations that no entry has."""
    return {"bomb": program(OF_MAIN + b"\0", MAIN, *[Shape(dw.TAG_VARIABLE, (NAME,))] * count)}


def attributes(count: int) -> Files:
    """An abbreviation of many attributes without values, and an entry of it."""
    wide = Shape(dw.TAG_VARIABLE, ((dw.AT_EXTERNAL, 0x19),) * count)  # DW_FORM_flag_present
    return {"bomb": program(b"\3" * (count // 10) + OF_MAIN + b"\0", MAIN, wide)}


def overlapping_tables(count: int) -> Files:
    """Units that each have the abbreviation table of the one before, without its first entry."""
    one = abbreviations(Shape(dw.TAG_COMPILE_UNIT))[1:-1]
    records = [encode_uleb(code) + one for code in range(1, count + 1)]
    data, at = b"", 0
    for code, record in enumerate(records, 1):
        root = encode_uleb(code)
        data += unit(root)[:8] + word(at) + root
        at += len(record)
    return {"bomb": units(data, others={".debug_abbrev": b"".join(records) + b"\0"})}


def type_units(count: int) -> Files:
    """Type units of one signature, whose type refers to it again."""
    kind = unit(b"\2" + word(1, 8), kind=2)
    head = kind[:12] + word(1, 8) + word(24)
    body = head[4:] + b"\2" + word(1, 8)
    one = word(len(body)) + body
    shapes = (
        UNIT,
        Shape(dw.TAG_STRUCTURE_TYPE, ((dw.AT_SIGNATURE, dw.FORM_REF_SIG8),)),
        Shape(dw.TAG_VARIABLE, (NAME, (dw.AT_TYPE, dw.FORM_REF_SIG8), LOCATION)),
    )
    info = unit(OF_UNIT + b"\3x\0" + word(1, 8) + AT_X + b"\0")
    return {"bomb": units(info + one * count, *shapes)}


ASK = ("where --all bomb", "check bomb", "debug bomb <<< print x")
_OF_LOCALS = (
    "eval --file bomb --pc 0x1000", "eval --json --file bomb --pc 0x1000",
    "debug --pc 0x1000 bomb <<< info locals", "debug --pc 0x1000 bomb <<< bt full",
    "debug bomb <<< info scope main", "debug bomb <<< ptype x",
)  # fmt: skip
_OF_NAMES = ("debug bomb <<< ptype/o x", "debug bomb <<< print _Alignof(struct s)")
_PARTS = (
    "debug bomb <<< complete print x.", "debug bomb <<< print x==x",
    "debug bomb <<< print x.nothing", "debug bomb <<< ptype x",
)  # fmt: skip
BOMBS = (
    Bomb("units", INFO, "{} units without entries", headers, 250_000,
         ("info bomb", *ASK), small=100, cpu_seconds=8.0),
    Bomb("damaged-units", INFO, "{} units whose entry is unreadable", damaged_units, 200_000,
         ("info bomb", *ASK), small=100, cpu_seconds=8.0),
    Bomb("unreadable-ranges", INFO, "{} units whose list of ranges is outside of the section",
         units_with_unreadable_ranges, 190_000,
         ("debug bomb <<< info line *0x1008", "debug bomb <<< info symbol 0x1008",
          "debug bomb <<< break f", "debug bomb <<< print f", "debug bomb <<< info functions f",
          "where bomb f", "check bomb"), small=30, says="--max-namesakes"),
    Bomb("unit-entries", INFO, "{} units of six entries", units_with_entries, 199_000,
         ("info bomb", "check bomb"), small=60, says="--max-dies"),
    Bomb("entries", INFO, "{} entries in one unit", flat, 2_000_000, ASK),
    Bomb("base-types", INFO, "{} base types in one unit", base_types, 1_000_000,
         ("check bomb",), says="--max-dies"),
    Bomb("structures", INFO, "{} structures in one unit", structures, 3_900_000,
         ("check bomb",), says="--max-dies"),
    Bomb("code-blocks", INFO, "{} blocks of the same code", code_blocks, 3_900_000,
         ("check bomb",), says="--max-dies"),
    Bomb("inflated", INFO, "{} entries that are compressed", inflated, 16_000_000,
         ("info bomb", *ASK), says="--max-inflated-ratio"),
    Bomb("deep", INFO, "{} blocks in one another", deep, 500_000, ASK),
    Bomb("specifications", INFO, "a chain of {} DW_AT_specification", lambda count: chained(
        dw.TAG_VARIABLE, dw.AT_SPECIFICATION, count), 30_000, ASK, small=50),
    Bomb("origins", INFO, "a chain of {} DW_AT_abstract_origin", lambda count: chained(
        dw.TAG_SUBPROGRAM, dw.AT_ABSTRACT_ORIGIN, count), 30_000, ASK, cpu_seconds=4.0),
    Bomb("origin-circles", INFO, "{} pairs of entries that are each other's origin",
         lambda count: circular(dw.AT_ABSTRACT_ORIGIN, count), 30_000, ASK, small=25),
    Bomb("typedefs", INFO, "a chain of {} typedefs", typedefs, 100_000,
         (*ASK, "debug bomb <<< ptype x")),
    Bomb("aliases", INFO, "a chain of {} imported declarations", aliases, 60_000,
         (*ASK, "debug bomb <<< info types")),
    Bomb("own-types", INFO, "{} typedefs of themselves", own_type, 20_000,
         (*ASK, "debug bomb <<< ptype x")),
    Bomb("namesakes", INFO, "{} variables of one name", namesakes, 60_000,
         (*ASK, "where bomb x", "debug bomb <<< ptype x"), cpu_seconds=4.0,
         says="--max-namesakes", small=50),
    Bomb("functions", INFO, "{} functions in one unit", functions, 1_000_000,
         ("debug bomb <<< break nosuch", "debug bomb <<< list nosuch",
          "debug bomb <<< info functions zz", "debug bomb <<< info scope main",
          "where bomb x --function nosuch", "where --all bomb", "info --json bomb", "check bomb"),
         small=60, cpu_seconds=8.0),
    Bomb("methods", INFO, "{} functions of a class in one unit", methods, 1_000_000,
         ("debug bomb <<< break nosuch", "debug bomb <<< print nosuch",
          "debug bomb <<< complete break m1", "where bomb x --function nosuch", "where --all bomb",
          "info --json bomb", "check bomb",
          "debug bomb <<< info functions zz", "debug bomb <<< info functions [x-z]q",
          "debug bomb <<< info types [x-z]q", "debug bomb <<< rbreak [x-z]q"), small=60,
         says="--max-searched-names", cpu_seconds=9.0),
    Bomb("long-parameters", INFO, "{} functions with parameters of a class of a very long name",
         long_parameters, 200_000,
         (*ASK, "debug bomb <<< info functions [x-z]q", "debug --pc 0x1000 bomb <<< bt"),
         small=62, says="long names take far more"),
    Bomb("variables", INFO, "{} variables in one unit", variables, 1_500_000,
         ("debug bomb <<< info variables zz", "debug bomb <<< print nosuch", "check bomb",
          "where bomb v5", "debug bomb <<< complete break v1", "debug bomb <<< complete print v",
          "debug bomb <<< list v5", "eval --file bomb --pc 0x1000 nosuch",
          "debug --pc 0x1000 bomb <<< complete print v1")),
    Bomb("locals", INFO, "{} variables of one function", local_variables, 1_500_000,
         ("debug --pc 0x1000 bomb <<< print nosuch", "debug --pc 0x1000 bomb <<< print v5",
          "debug --pc 0x1000 bomb <<< bt", "debug --pc 0x1000 bomb <<< bt full",
          "debug --pc 0x1000 bomb <<< info locals",
          "debug --pc 0x1000 bomb <<< info locals zz", "debug --pc 0x1000 bomb <<< info args",
          "where bomb v5", "check bomb"), small=60),
    Bomb("large-locals", INFO, "{} members in as many variables of one structure as it has",
         large_locals, 25_000_000,
         ("eval --file bomb --pc 0x1000", "eval --json --file bomb --pc 0x1000",
          "debug --pc 0x1000 bomb <<< info locals", "debug --pc 0x1000 bomb <<< bt full"),
         small=50, says="--max-listed-characters"),
    Bomb("locals-of-waves", INFO, "{} members, the same in all lanes of 20 waves",
         large_locals_of_waves, 25_000_000,
         ("eval --state state --lane all", "eval --state state --json --lane all",
          "eval --state state --wave all", "eval --state state --json --wave all"),
         small=50, says="--max-listed-characters"),
    Bomb("unread-members", INFO, "{} members in as many variables of a structure, the last wrong",
         unread_members, 25_000_000, _OF_LOCALS, small=2_500),
    Bomb("used-subranges", INFO, "{} variables and members of a type at the end of 1,500 subranges",
         partial(used_chain, dw.TAG_SUBRANGE_TYPE, 1_500), 9_000, (*ASK, *_OF_LOCALS), small=15),
    Bomb("used-typedefs", INFO, "{} variables and members of a type at the end of 950 typedefs",
         partial(used_chain, dw.TAG_TYPEDEF, 950), 9_000, (*ASK, *_OF_LOCALS, *_OF_NAMES),
         small=15),
    Bomb("used-qualifiers", INFO, "{} variables and members of a type at the end of 950 qualifiers",
         partial(used_chain, dw.TAG_CONST_TYPE, 950), 9_000, (*ASK, *_OF_LOCALS, *_OF_NAMES),
         small=15),
    Bomb("used-arrays", INFO, "{} variables and members of a type at the end of 900 arrays",
         partial(used_chain, dw.TAG_ARRAY_TYPE, 900), 9_000, (*ASK, *_OF_LOCALS, *_OF_NAMES),
         small=15),
    Bomb("nameless", INFO, "{} variables of nameless functions, of one name", nameless, 20_000,
         (*ASK, "where bomb x", "where bomb main::x"), small=50),
    Bomb("doubled", INFO, "structures with two members of another, {} deep", doubled, 2_000,
         (*ASK, "debug bomb <<< ptype/o x", "eval --file bomb x"), small=12),
    Bomb("doubled-unnamed", INFO, "unnamed structures with two unnamed members of another, {} deep",
         partial(doubled, has_names=False), 60,
         (*ASK, "debug bomb <<< whatis x", "eval --file bomb x"), small=12),
    Bomb("diamonds", INFO, "classes that inherit another one twice, {} deep", diamonds, 2_000,
         (*ASK, "debug bomb <<< ptype x", "debug bomb <<< print x.nothing",
          "debug bomb <<< complete print x.", "debug bomb <<< print x==x"), small=40),
    Bomb("inherited-by-all", INFO, "{} base classes of classes that inherit all before them",
         inherited_by_all, 900_000, (*ASK, *_PARTS, "debug bomb <<< info vtbl x"), small=60,
         says="base classes"),
    Bomb("unnamed-in-all", INFO, "{} unnamed members of classes with one of each class before",
         unnamed_in_all, 900_000, (*ASK, *_PARTS), small=60, says="unnamed members"),
    Bomb("members", INFO, "a structure of {} members of one name", members, 200_000,
         (*ASK, "debug bomb <<< ptype/o x", "debug bomb <<< print x.m"), cpu_seconds=8.0),
    Bomb("variants", INFO, "{} variants of a structure in one another", variants, 40_000,
         (*ASK, "debug bomb <<< ptype x", "debug bomb <<< print x")),
    Bomb("dimensions", INFO, "an array of {} dimensions", dimensions, 100_000,
         (*ASK, "debug bomb <<< ptype x")),
    Bomb("enumerators", INFO, "an enumeration of {} names", enumerators, 200_000,
         (*ASK, "debug bomb <<< ptype x")),
    Bomb("inlined", INFO, "{} calls inlined into one another", inlined, 20_000,
         (*ASK, "debug --pc 0x1000 bomb <<< bt 5", "where --all --against bomb bomb")),
    Bomb("directives", INFO, "a circle of {} using-directives", directives, 20_000,
         (*ASK, "debug bomb <<< print n00000000::x"), small=16),
    Bomb("imported-units", INFO, "a circle of {} imported units", imported_units, 20_000, ASK),
    Bomb("self-calls", INFO, "a circle of {} DW_OP_call2", self_calls, 4_000,
         (*ASK, "eval --file bomb x00000000")),
    Bomb("long-name", INFO, "{} variables that share a name of megabytes", long_name, 30_000, ASK),
    Bomb("operations", INFO, "a location of {} operations", operations, 2_000_000,
         (*ASK, "eval --file bomb x"), says="--max-steps"),
    Bomb("long-locations", INFO, "{} variables with locations of 20,000 operations",
         long_locations, 300, ("where --all bomb", "check bomb", "debug bomb <<< print v0"),
         small=1, says="--max-analyzed-bytes"),
    Bomb("long-number", INFO, "a LEB128 number of {} bytes", long_number, 16_000_000,
         (*ASK, "eval --file bomb x"), says="does not fit 64 bits"),
    Bomb("abbreviations", ".debug_abbrev", "{} abbreviations", declared_abbreviations, 200_000,
         ASK),
    Bomb("attributes", ".debug_abbrev", "entries of {} attributes", attributes, 10_000, ASK),
    Bomb("tables", ".debug_abbrev", "{} tables that overlap", overlapping_tables, 50_000, ASK,
         small=125, says="overlap"),
    Bomb("type-units", ".debug_info", "{} type units that lead to themselves", type_units, 50_000,
         (*ASK, "debug bomb <<< ptype x"), small=50),
)  # fmt: skip
