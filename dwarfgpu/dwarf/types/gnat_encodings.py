"""What GNAT says about Ada in names: the default until GNAT 11, and `-fgnat-encodings=all` since.

GNAT's file `exp_dbug.ads` defines the suffixes. Those that change a value are decoded here, or make
it an error: scales (`___XF`), the bounds behind a pointer to an array (`___XUP`), the types that
implement an array by the positions of enumerators (`tP`) or a packed array (`___XP`), bounds that
are discriminants (`___XA`), types with padding (`___PAD`), biased numbers (`___XB`), and places in
a record (`___XVE`).

Law: a name means this in units of Ada alone.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.types.computed_attributes import NAMES, constant_offset
from dwarfgpu.dwarf.types.dynamic_properties import Bounds, Computed
from dwarfgpu.dwarf.types.lower_bounds import constant_lower
from dwarfgpu.errors import Unsupported, shortened
from dwarfgpu.expr.context import ExprLoc

if TYPE_CHECKING:
    from dwarfgpu.base.base_type import BaseType
    from dwarfgpu.dwarf.die import Die
    from dwarfgpu.dwarf.types.types import Struct

_ENDS: Final = (dw.AT_LOWER_BOUND, dw.AT_UPPER_BOUND)
_FIXED: Final = "___XF"
_SCALE: Final = pattern(r"___XF(?:_[0-9]+_[0-9]+)?_([0-9]{1,100})_([0-9]{1,100})\Z")
"""The delta, if it is another number, and the scale. GNAT's numbers have up to 128 bits."""
_BIASED: Final = "___XB"
_ARRAY: Final = "___XUA"
_POINTER: Final = "___XUP"
_POSITIONS: Final = "P"
"""GNAT counts the elements by the positions of enumerators, which are not their values."""
_PACKED: Final = "___XP"
_IMPLEMENTATION: Final = pattern(r"(?:P|___XP([0-9]*)(?:___XD[A-Z]*_[0-9_a-z]*)?)\Z")
"""What follows the name of an array in that of the type that implements it: of a packed one the
bits of an element, and the bounds of the number that has all."""
_MOST_DIGITS: Final = 4
"""Of the bits of an element."""
_BOUNDED: Final = "___XA"
_BOUNDS: Final = pattern(
    r"___XDLU_([0-9]+m?|[a-z](?:_?[a-z0-9])*)__([0-9]+m?|[a-z](?:_?[a-z0-9])*)\Z"
)
"""The bounds of an index: numbers, negative ones with an m, and names of discriminants."""
_SAYS_BOUNDS: Final = "___XD"
_FROM_1: Final = pattern(r"___XDL(?:_1|U_1__[a-z0-9_]+)\Z")
"""The name of an index whose lower bound is 1."""
_PADDED: Final = "___PAD"
_MODULAR: Final = "___UMT"
_MEASURED: Final = ("___XVE", "___XVU")
_DEEPEST: Final = 20
_LONGEST_NAME: Final = 1000
"""Characters of a name that is decoded."""
_LONGEST: Final = 100
"""Characters of a name in a message."""
_SIGNED: Final = 0x05
"""DW_ATE_signed."""
_OBJECT: Final = b"\x97"
"""DW_OP_push_object_address; the next ones are DW_OP_deref, deref_size and plus_uconst."""
_DEREF: Final = b"\x06"
_DEREF_SIZE: Final = b"\x94"
_PLUS_UCONST: Final = b"\x23"
_MOST_BYTES: Final = 1 << 32
"""Of a structure: what is behind is in none."""
_ADVICE: Final = "-fgnat-encodings=minimal describes it in DWARF"


def modulus_of(die: Die) -> int | None:
    """Return how many values the modular type of a subrange has, where that is no power of 2 for
    which GNAT has a base type: `t___UMT` is the base type of one, and a subtype is a subrange of
    its type."""
    for _ in range(_DEEPEST):
        below = die.reference(dw.AT_TYPE)
        if below is None or below.tag != dw.TAG_SUBRANGE_TYPE:
            break
        die = below
    is_modular = below is not None and (below.name or "").endswith(_MODULAR)
    upper = die.integer(dw.AT_UPPER_BOUND) if is_modular else None
    return None if upper is None else upper + 1


def decoded(die: Die, base: BaseType) -> BaseType:
    """Return the base type that the name of an entry means: one with a scale.

    `Unsupported` for a biased number, and for a scale that is not a fraction above 0.
    """
    name = die.name
    if name is None or "___X" not in name or die.unit.language not in dw.ADA:
        return base
    if _BIASED in name:
        raise Unsupported(
            f"{shortened(name, _LONGEST)} has a bias, which is not decoded; {_ADVICE}"
        )
    if _FIXED not in name or base.encoding not in ("signed", "unsigned"):
        return base
    scale = _SCALE.search(name)
    numerator, denominator = (0, 0) if scale is None else (int(scale[1]), int(scale[2]))
    if not numerator or not denominator:
        raise Unsupported(f"the scale in {shortened(name, _LONGEST)} is not decoded; {_ADVICE}")
    from fractions import Fraction  # few programs have such types

    encoding = f"{base.encoding}_fixed"
    return evolve(base, encoding=encoding, scale=Fraction(numerator, denominator))


def undecoded_bias(member: Die) -> Unsupported | None:
    """Return why a component of a range without a name has no value: not all numbers of the range
    fit in its bits, so GNAT stores them less the lower bound, which it says in no name."""
    range_type, bits = member.reference(dw.AT_TYPE), member.integer(dw.AT_BIT_SIZE)
    if range_type is None or range_type.tag != dw.TAG_SUBRANGE_TYPE or not bits:
        return None
    lower, upper = constant_lower(range_type), range_type.integer(dw.AT_UPPER_BOUND)
    if lower is None or upper is None or lower > upper or bits >= 64:
        return None
    half = 1 << bits - 1
    fits = upper < 2 * half if lower >= 0 else -half <= lower and upper < half
    if fits or range_type.has(dw.AT_GNU_BIAS):  # the type itself is an error
        return None
    return Unsupported(f"{member.name} has a bias, which is not decoded; {_ADVICE}")


def bounds_behind(die: Die, rank: int) -> list[Bounds]:
    """Return the bounds of the array in a pointer to an array with its bounds, which are in the
    structure to which the member P_BOUNDS points; nothing for any other array."""
    if not (die.name or "").endswith(_ARRAY) or die.unit.language not in dw.ADA:
        return []
    holder = _holder(die)
    if holder is None:
        return []
    pointer = _components(holder).get("P_BOUNDS")
    target = None if pointer is None else pointer.reference(dw.AT_TYPE)
    structure = None if target is None else target.reference(dw.AT_TYPE)
    if pointer is None or structure is None:
        return []
    fields, to_pointer = _components(structure), _plus(pointer)
    if to_pointer is None:
        return []
    to_bounds = _OBJECT + to_pointer + _DEREF

    def bound(number: int, field: Die) -> Computed | None:
        (size, is_signed), to_field = _index(field), _plus(field)
        if to_field is None or not 0 < size <= die.unit.format.address_size:
            return None
        code = to_bounds + to_field + _DEREF_SIZE + bytes((size,))
        sign_bits = 8 * size if is_signed else None
        return Computed(NAMES[number], ExprLoc(code, die.unit), sign_bits=sign_bits)

    bounds: list[Bounds] = []
    for dimension in range(rank):
        lower, upper = fields.get(f"LB{dimension}"), fields.get(f"UB{dimension}")
        if lower is None or upper is None:
            return []
        measured = bound(dw.AT_LOWER_BOUND, lower), bound(dw.AT_UPPER_BOUND, upper)
        if None in measured:
            return []
        bounds.append(Bounds(*measured))
    return bounds


def implemented_array(die: Die) -> tuple[Die, int | None] | None:
    """Return the array of the program that a type of GNAT's implements, and the bits of its
    elements if they are packed; None for a type that implements no array.

    The array has the indexes: `tP` counts its elements by their positions, and `t___XP1` is a
    number or bytes. `Unsupported` where the file does not name the array, where it has no bounds,
    and for bits that are not decoded.
    """
    name = die.name or ""
    is_packed = _PACKED in name and _POINTER not in name
    is_by_position = name.endswith(_POSITIONS) and die.has(dw.AT_GNAT_DESCRIPTIVE_TYPE)
    if not is_packed and not is_by_position or die.unit.language not in dw.ADA:
        return None
    bits, array = _packed_bits(die, name), die.reference(dw.AT_GNAT_DESCRIPTIVE_TYPE)
    for _ in range(_DEEPEST):
        if array is None or array.tag != dw.TAG_TYPEDEF:
            break
        array = array.reference(dw.AT_TYPE)
    if array is None or array.tag != dw.TAG_ARRAY_TYPE or array.name != _of_program(name):
        raise _undecoded_array(name)
    if _lacks_bounds(array) and not discriminated_bounds(array, die):
        raise _undecoded_array(name)
    return array, bits


def _of_program(name: str) -> str:
    """Return the name of the array that a type with a name implements; the same name if it is that
    of the array."""
    return _IMPLEMENTATION.sub("", name)


def _packed_bits(die: Die, name: str) -> int | None:
    """Return the bits of the elements of an array that a type with a name implements; None if they
    are not packed.

    `Unsupported` where the name has no number of bits, and for the other order of bits, in which
    GNAT does not begin with the first one.
    """
    if _PACKED not in name:
        return None
    implementation = _IMPLEMENTATION.search(name)
    digits = "" if implementation is None else implementation[1] or ""
    bits = int(digits) if 0 < len(digits) <= _MOST_DIGITS else 0
    if not bits or die.unit.endian != "little":
        raise _undecoded_array(name)
    return bits


def _undecoded_array(name: str) -> Unsupported:
    return Unsupported(
        f"GNAT's encoding of the array {shortened(name, _LONGEST)} is not decoded; {_ADVICE}"
    )


def _lacks_bounds(array: Die) -> bool:
    """Return whether an index of an array has no upper bound, or no lower one where its name does
    not say 1, which is what an index without one begins with."""
    described = array.reference(dw.AT_GNAT_DESCRIPTIVE_TYPE)
    is_named = described is not None and (described.name or "").endswith(_BOUNDED)
    named = described.children((dw.TAG_MEMBER,)) if described is not None and is_named else ()
    names = iter([index.name or "" for index in named])
    for index in array.children((dw.TAG_SUBRANGE_TYPE, dw.TAG_ENUMERATION_TYPE)):
        name = next(names, None)
        if index.tag == dw.TAG_ENUMERATION_TYPE:
            continue
        if not index.has(dw.AT_UPPER_BOUND) and not index.has(dw.AT_COUNT):
            return True
        if name is None or _SAYS_BOUNDS not in name or index.has(dw.AT_LOWER_BOUND):
            continue
        if len(name) > _LONGEST_NAME or _FROM_1.search(name) is None:
            return True
    return False


def discriminated_bounds(array: Die, component: Die) -> list[Bounds]:
    """Return the bounds of an array in a record, which are discriminants of the record and numbers,
    as a structure of GNAT's names them; nothing for any other array, and for other bounds.

    `component`: the type of the component, which is in the record: the array or what implements it.
    """
    if array.unit.language not in dw.ADA or not array.has(dw.AT_GNAT_DESCRIPTIVE_TYPE):
        return []
    described, record = array.reference(dw.AT_GNAT_DESCRIPTIVE_TYPE), component.parent()
    is_named = described is not None and (described.name or "").endswith(_BOUNDED)
    if described is None or not is_named or record is None or not _lacks_bounds(array):
        return []
    components = _components(record)

    def bound(number: int, text: str) -> int | Computed | None:
        if is_decimal(text.removesuffix("m")):
            value = int(text.removesuffix("m"))
            return -value if text.endswith("m") else value
        discriminant = components.get(text)
        return None if discriminant is None else Computed(NAMES[number], discriminant)

    bounds: list[Bounds] = []
    for index in described.children((dw.TAG_MEMBER,)):
        name = index.name or ""
        texts = _BOUNDS.search(name) if len(name) <= _LONGEST_NAME else None
        if texts is None or not _index(index)[0] or _is_enumeration(index):
            return []
        lower, upper = bound(dw.AT_LOWER_BOUND, texts[1]), bound(dw.AT_UPPER_BOUND, texts[2])
        if lower is None or upper is None:
            return []
        bounds.append(Bounds(lower, upper))
    dimensions = array.children((dw.TAG_SUBRANGE_TYPE, dw.TAG_ENUMERATION_TYPE))
    return bounds if len(bounds) == sum(1 for _ in dimensions) else []


def undecoded_bounds(member: Die) -> Unsupported | None:
    """Return why a component has no size: it is an array whose bounds only names have that are not
    decoded; None for any other component."""
    array = member.reference(dw.AT_TYPE)
    if array is None or array.tag != dw.TAG_ARRAY_TYPE:
        return None
    described = array.reference(dw.AT_GNAT_DESCRIPTIVE_TYPE)
    is_named = described is not None and (described.name or "").endswith(_BOUNDED)
    if not is_named or not _lacks_bounds(array) or discriminated_bounds(array, array):
        return None
    return Unsupported(f"GNAT's encoding of the bounds of {member.name} is not decoded; {_ADVICE}")


def undecoded_size(record: Struct) -> Unsupported | None:
    """Return why a record has no size of its own: the file has none, and what is behind the end of
    the last component depends on the alignment; None if the file says it."""
    first = record.members[0].die if record.members else None
    structure = None if first is None else first.parent()
    if (
        structure is None
        or structure.unit.language not in dw.ADA
        or not structure.has(dw.AT_GNAT_DESCRIPTIVE_TYPE)
        or structure.has(dw.AT_BYTE_SIZE)
    ):
        return None
    name = shortened(record.name or "a record", _LONGEST)
    return Unsupported(f"GNAT's encoding of the size of {name} is not decoded; {_ADVICE}")


def _is_enumeration(index: Die) -> bool:
    """Return whether the values of an index are those of an enumeration."""
    kind = index.reference(dw.AT_TYPE)
    for _ in range(_DEEPEST):
        if kind is None or kind.tag == dw.TAG_ENUMERATION_TYPE:
            break
        kind = kind.reference(dw.AT_TYPE)
    return kind is not None


def abstract_array(array: Die) -> Die | None:
    """Return the array in the abstract instance of a subprogram, or of a block in it, that has
    bounds which one in another instance lacks; None for any other array.

    The bounds are variables of the abstract instance, and GCC leaves them out of the copies of the
    array that it describes in the instances that have code. The abstract instance has one array of
    the name.
    """
    around = array.parent()
    for _ in range(_DEEPEST):
        if around is None or around.has(dw.AT_ABSTRACT_ORIGIN):
            break
        around = around.parent() if around.tag == dw.TAG_LEXICAL_BLOCK else None
    if around is None or not around.has(dw.AT_ABSTRACT_ORIGIN):
        return None
    arrays = _arrays_in(list(around.origins())[-1]).get(array.name, [])
    if len(arrays) != 1:
        return None
    own, described = (one.children((dw.TAG_SUBRANGE_TYPE,)) for one in (array, arrays[0]))
    for index, whole in zip(own, described, strict=False):
        if any(whole.has(end) and not index.has(end) for end in _ENDS):
            return arrays[0]
    return None


@kept_with(lambda scope: scope.unit)
def _arrays_in(scope: Die) -> dict[str | None, list[Die]]:
    """Return the arrays of a scope by their names."""
    arrays: dict[str | None, list[Die]] = {}
    for entry in scope.children((dw.TAG_ARRAY_TYPE,)):
        arrays.setdefault(entry.name, []).append(entry)
    arrays.pop(None, None)
    return arrays


def bits_behind(die: Die) -> int | None:
    """Return the bits of the elements of a packed array in a pointer to an array with its bounds,
    which the name of the pointer has; None for any other array.

    `Unsupported` for bits that are not decoded.
    """
    if not (die.name or "").endswith(_ARRAY) or die.unit.language not in dw.ADA:
        return None
    holder = _holder(die)
    return None if holder is None else _packed_bits(die, _implementation_behind(holder) or "")


def _holder(die: Die) -> Die | None:
    """Return the structure with the pointer to an array: it is around the array or beside it."""
    name, around = _of_program((die.name or "").removesuffix(_ARRAY)), die.parent()
    if around is None:
        return None
    implementation = _implementation_behind(around)
    if implementation is not None and _of_program(implementation) == name:
        return around
    return _pointers_in(around).get(name)


def _implementation_behind(structure: Die) -> str | None:
    """Return the name of the type that implements the array to which a structure points with its
    bounds; None for any other structure."""
    name = structure.name or ""
    return name.removesuffix(_POINTER) if name.endswith(_POINTER) else None


@kept_with(lambda scope: scope.unit)
def _pointers_in(scope: Die) -> dict[str, Die]:
    """Return the pointers to arrays in a scope by the names of these, which many arrays ask for;
    the first one of a name."""
    pointers: dict[str, Die] = {}
    for entry in scope.children((dw.TAG_STRUCTURE_TYPE,)):
        name = _implementation_behind(entry)
        if name is not None:
            pointers.setdefault(_of_program(name), entry)
    return pointers


@kept_with(lambda structure: structure.unit)
def _components(structure: Die) -> dict[str | None, Die]:
    """Return the components of a structure by their names: many arrays may share one."""
    return {child.name: child for child in structure.children((dw.TAG_MEMBER,))}


def _index(field: Die) -> tuple[int, bool]:
    """Return the bytes of a bound and whether it has a sign; 0 bytes if that is unknown."""
    kind = field.reference(dw.AT_TYPE)
    for _ in range(_DEEPEST):
        if kind is None:
            break
        size = kind.integer(dw.AT_BYTE_SIZE)
        below = kind.reference(dw.AT_TYPE)
        if size is not None and (below is None or kind.tag == dw.TAG_ENUMERATION_TYPE):
            return size, kind.integer(dw.AT_ENCODING) == _SIGNED
        kind = below
    return 0, False


def _plus(member: Die) -> bytes | None:
    """Return what adds the place of a member to an address; None if that is no constant."""
    offset = _offset(member)
    if offset is None or not 0 <= offset < _MOST_BYTES:
        return None
    return _PLUS_UCONST + encode_uleb(offset) if offset else b""


def _offset(member: Die) -> int | None:
    """Return the place of a member, 0 if it has none; before DWARF 4 it is an expression."""
    offset = member.integer(dw.AT_DATA_MEMBER_LOCATION)
    if offset is not None or not member.has(dw.AT_DATA_MEMBER_LOCATION):
        return offset or 0
    location = member.unit.location_of(member, dw.AT_DATA_MEMBER_LOCATION)
    return constant_offset(location.expression) if isinstance(location, ExprLoc) else None


def undecoded_offset(structure: Die, first: Die | None, member: Die) -> Unsupported | None:
    """Return why the place of a member of a record is unknown: it is behind one of variable size,
    and the file says 0; None if the file says where it is, and for the first member."""
    if (
        structure.tag != dw.TAG_STRUCTURE_TYPE
        or not structure.has(dw.AT_GNAT_DESCRIPTIVE_TYPE)
        or structure.has(dw.AT_BYTE_SIZE)
        or member.has(dw.AT_BIT_SIZE)
        or member.has(dw.AT_DATA_BIT_OFFSET)
        or first in (None, member)
        or _offset(member) != 0
    ):
        return None
    return Unsupported(f"GNAT's encoding of the place of {member.name} is not decoded; {_ADVICE}")


def has_measured_parts(structure: Die) -> bool:
    """Return whether a record or union has components of variable size: its DW_AT_byte_size is not
    its size, and some components are pointers to the objects."""
    return structure.unit.language in dw.ADA and (structure.name or "").endswith(_MEASURED)


def without_padding(structure: Die) -> Die | None:
    """Return the type of the only component, F, of a structure that is a type with padding; None
    for any other structure."""
    if not (structure.name or "").endswith(_PADDED) or structure.unit.language not in dw.ADA:
        return None
    component = _only_component(structure)
    if component is None or component.name != "F":
        return None
    target = component.reference(dw.AT_TYPE)
    is_padded_too = target is not None and (target.name or "").endswith(_PADDED)
    return None if is_padded_too else target


@kept_with(lambda structure: structure.unit)
def _only_component(structure: Die) -> Die | None:
    """Return the component of a structure with one, for which each array of such elements asks."""
    members = [*islice(structure.children((dw.TAG_MEMBER,)), 2)]
    return members[0] if len(members) == 1 else None


def padded_bits(array: Die) -> int | None:
    """Return the stride of an array whose elements have padding; None for any other array."""
    element = array.reference(dw.AT_TYPE) if array.unit.language in dw.ADA else None
    size = None if element is None else element.integer(dw.AT_BYTE_SIZE)
    if element is None or size is None or element.tag != dw.TAG_STRUCTURE_TYPE:
        return None
    return None if without_padding(element) is None else 8 * size
