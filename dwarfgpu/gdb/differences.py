"""Known reasons why GDB and dwarfgpu differ on a variable: docs/gdb-differences.md.

Law: a rule identifies its case by more than the two texts if these could hide another difference. A
difference without a rule is an error in one of the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import gdb

from dwarfgpu.base.base_type import is_currency
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.scope.scope_entries import covered
from dwarfgpu.dwarf.scope.variable import Variable, variables_below
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Function,
    Pointer,
    Struct,
    Type,
    Unspecified,
    strip,
)
from dwarfgpu.errors import DwarfGpuError, UndefinedBits
from dwarfgpu.expr.context import ExprLoc, LocList
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.ops.special_value import ENTRY_VALUES
from dwarfgpu.gdb.frames_as_gdb import frame_of_gdb, frame_up_to
from dwarfgpu.gdb.gdb_session import GdbSession
from dwarfgpu.gdb.gdb_variable import GdbVariable
from dwarfgpu.gdb.machine.gdb_values import function_name, symbol_name
from dwarfgpu.model.object import Bits
from dwarfgpu.session.call_site_values import call_site_returning_to
from dwarfgpu.session.read_variable import contents, located
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import OPTIMIZED_OUT, SYNTHETIC_POINTER, UNAVAILABLE

CLOBBERED: Final = "GDB shows the current contents of a register that the callee may have changed"
PAST_MAIN: Final = (
    "GDB does not ask the caller of main for values on entry (set backtrace past-main)"
)
GDB_FOLLOWS_TAIL_CALL: Final = "GDB follows a value on entry through a tail call"
GDB_STOPS_AT_TAIL_CALL: Final = "GDB does not follow a value on entry through a tail call"
GIVEN_BACK: Final = "GDB shows the stack of a function that gave its frame back before a tail call"
ABSTRACT: Final = (
    "GDB needs the address of the callee, but the call site names its abstract instance"
)
LIMITED: Final = "beyond GDB's max-value-size"
LISTED_TWICE: Final = "GDB lists the variable of a block a second time, outside of the block"
MARKED: Final = "GDB marks the operand of DW_OP_GNU_uninit"
GAP: Final = "GDB reads the gap behind the last element of a section"
BEYOND: Final = "GDB invents the bits after the last piece"
SHORTER: Final = "GDB shows nothing of a number with bits after the last piece (GDB 16)"
FLEXIBLE: Final = "GDB follows a pointer to a flexible array although it is optimized out (GDB 16)"
VIRTUAL: Final = "GDB searches a virtual base beyond the bytes that it has read of the object"
INLINED: Final = "GDB mistakes the registers of an inlined function for those of its caller"
OTHER_CLASS: Final = "GDB uses another class of the same name"
SYMBOL: Final = "GDB uses the symbol of a library for a static member that no unit defines"
WIDE: Final = "GDB does not read more bytes than an address has (DW_OP_deref_size)"
WIDE_NUMBERS: Final = "GDB does not calculate with integers of more than 8 bytes"
NULLPTR: Final = "GDB shows the type of nullptr as int or as incomplete"
RVALUE: Final = "GDB does not follow a synthetic rvalue reference"
ENTRY: Final = "GDB uses an empty range of a location list on entry to a function"
SHORT: Final = "GDB adds zeros to a value that is smaller than its piece, which is ill-formed"
BASE: Final = "GDB forgets the base address of a location list in a split unit"
NO_CFI: Final = "GDB continues without call frame information"
BEFORE: Final = "GDB continues below address 0, where a frame base is not set up yet"
WORDS: Final = "the same, worded differently"

CLOSURE: Final = "GDB takes a function value of Go or Pascal for the variable that has it"
_WITH_FUNCTION_VALUES: Final = (dw.LANG_GO, dw.LANG_PASCAL83)
_OTHER_WORDS: Final = {dw.LANG_RUST, dw.LANG_D, dw.LANG_GO, *dw.ADA}
_REGISTER: Final = re.compile(r"b?reg([0-9]+)")
_NUMBERED: Final = ("regx", "bregx", "regval_type", "GNU_regval_type")
_LARGE: Final = re.compile(
    r"\{?<error(?: reading variable)?: value requires [0-9]+ bytes, which is more"
)
_INCOMPLETE: Final = "<incomplete type>"
_GENERIC: Final = "<error: attempt to dereference a generic pointer>"
"""What GDB says of a variable whose nullptr_t it takes for void, as it does of a typedef of it."""
_MARK: Final = " [uninitialized] "
_TOO_WIDE: Final = (
    "<error: that operation is not available on integers of more than 8 bytes>",
    "<error: value cannot be represented as integer of 8 bytes>",  # GDB 16
)
_DESCRIBED: Final = re.compile(r"the location describes ([0-9]+) of [0-9]+ bits")
_UNSIZED: Final = (
    "<synthetic pointer><error reading variable: Location address is not set.>",
    "<error: access outside bounds of object referenced via synthetic pointer>",
)
"""What GDB says of a record behind a synthetic pointer whose size it cannot compute."""
_TYPED: Final = re.compile(r"\(([^()].*?) \*(?: const)?\) (0x.*)")
_TYPE: Final = re.compile(r"\([^()]*\) ")
_TAG: Final = re.compile(r"\b(?:struct|class|union|enum) ")
_POINTER_TYPE: Final = re.compile(r"(?:\([^()]*\)|\{.*\}) (?=0x)")
_TOO_SHORT: Final = re.compile(r"a part of [0-9]+ bits, but an implicit value has [0-9]+ left>$")
_ABSENT_STATIC: Final = re.compile(r"(static \w+ = )<optimized out>")
_BELOW: Final = re.compile(r"<error: .*: bit offset -[0-9]+ is outside the [0-9]+ bits of ")
_WITHOUT_CFI: Final = re.compile(r"<error: .*\(CFA\): no call frame information for pc 0x")
_FUNCTION: Final = re.compile(r"\{.*\} 0x")
_DEEPEST: Final = 8
_MAX_BASES: Final = 1000
_MAX_CALLS: Final = 8


def have_same_bits(gdb_variable: GdbVariable, own_bits: Bits | None, mask: int) -> bool:
    """Return whether both know the same about some bits.

    For a scalar, GDB says that some of its bits are lost, but not which.
    """
    their_bits = gdb_variable.bits
    if their_bits is None or own_bits is None:
        return False
    undefined = their_bits.undefined & mask
    defined = mask & ~undefined
    return (
        not (their_bits.value ^ own_bits.value) & defined
        and not own_bits.unknown & defined
        and bool(own_bits.undefined & undefined) == bool(undefined)
    )


def why_only_in_gdb(
    session: GdbSession, symbol: gdb.Symbol, gdb_variable: GdbVariable
) -> str | None:
    """Return why only GDB has a variable."""
    function = [*session.frame.subprograms][session.inline_level : session.inline_level + 1]
    if not function or not (gdb_variable.text == OPTIMIZED_OUT or gdb_variable.is_lost):
        return None
    has_it = any(
        (child.name, child.decl_line or 0) == (symbol_name(symbol), symbol.line)
        for die in function[0].die.origins()
        for child in variables_below(die)
    )
    return LISTED_TWICE if has_it else None


def reason_of(
    frame: gdb.Frame,
    session: GdbSession,
    variable: Variable,
    gdb_variable: GdbVariable,
    own_variable: GdbVariable,
) -> str | None:
    """Return why the values of a variable differ, which both have."""
    if _LARGE.match(gdb_variable.text):
        return LIMITED
    if gdb_variable.text == UNAVAILABLE and own_variable.is_section and own_variable.bits:
        return GAP if own_variable.bits.is_complete else None
    if gdb_variable.text == _MARK + own_variable.text and _is_same_object(
        gdb_variable, own_variable
    ):
        return MARKED
    if _described_bits(own_variable) is not None and _is_same_object(gdb_variable, own_variable):
        return BEYOND
    if gdb_variable.text == OPTIMIZED_OUT and _has_short_pieces(session, variable):
        return SHORTER
    if own_variable.text == OPTIMIZED_OUT and _is_pointer_to_flexible(variable, gdb_variable):
        return FLEXIBLE
    if gdb_variable.text in _TOO_WIDE:
        instructions = tuple(instructions_of(session, variable))
        if any(map(_is_wide_read, instructions)):
            return WIDE
        if any(_has_wide_type(variable, instruction) for instruction in instructions):
            return WIDE_NUMBERS
    if _has_absent_static(gdb_variable.text, own_variable.text) and _is_same_object(
        gdb_variable, own_variable
    ):
        return SYMBOL
    if _is_by_wrong_frame(frame, session, variable, gdb_variable):
        return INLINED
    if _is_other_class(variable, gdb_variable):
        return OTHER_CLASS
    if _has_base_outside(frame, variable, own_variable) and _is_same_object(
        gdb_variable, own_variable
    ):
        return VIRTUAL
    if _is_nullptr(variable, gdb_variable, own_variable):
        return NULLPTR
    if _TOO_SHORT.search(own_variable.text) and not gdb_variable.text.startswith("<error"):
        return SHORT
    if _WITHOUT_CFI.match(own_variable.text) and not gdb_variable.text.startswith("<error"):
        return NO_CFI
    if _BELOW.match(own_variable.text) and gdb_variable.text == UNAVAILABLE:
        return BEFORE
    if _is_by_empty_range(session, variable, gdb_variable):
        return ENTRY
    if _is_followed(variable, gdb_variable, own_variable):
        return RVALUE
    if variable.unit.language in _WITH_FUNCTION_VALUES and _FUNCTION.match(gdb_variable.text):
        return CLOSURE
    is_same = have_same_bits(gdb_variable, own_variable.bits, gdb_variable.mask)
    # In Rust GDB 13 omits the padding behind the last member of what has an enumeration. In D it
    # shows the elements of a slice, which is a length and a pointer here. In Go it spells pointers
    # as in C, and in Ada it shows no array behind an access value with bounds.
    if _texts_agree(gdb_variable, own_variable.text) or (
        is_same
        and (
            variable.unit.language in _OTHER_WORDS
            or _is_pointer_of_pascal(variable, gdb_variable, own_variable)
            or (variable.unit.style == "pascal" and _has_words_of_pascal(variable.type))
        )
    ):
        return WORDS
    if not is_same and _is_by_caller_of_main(frame, session, variable, gdb_variable):
        return PAST_MAIN
    if gdb_variable.text == OPTIMIZED_OUT:
        return _reason_of_loss(session, variable)
    if own_variable.text == OPTIMIZED_OUT or _has_fewer_known_bits(gdb_variable, own_variable):
        return _reason_of_value(frame, session, variable)
    return None


def _is_same_object(gdb_variable: GdbVariable, own_variable: GdbVariable) -> bool:
    """Return whether the bits that both know are equal, except for those that dwarfgpu has cut
    off."""
    if (
        gdb_variable.bits is None
        or own_variable.bits is None
        or gdb_variable.bits.size_bits != own_variable.bits.size_bits
    ):
        return False
    described = _described_bits(own_variable)
    mask = gdb_variable.mask if described is None else gdb_variable.mask & (1 << described) - 1
    return bool(mask) and have_same_bits(gdb_variable, own_variable.bits, mask)


def _has_fewer_known_bits(gdb_variable: GdbVariable, own_variable: GdbVariable) -> bool:
    """Return whether GDB knows more of the bits and nothing else differs."""
    if (
        OPTIMIZED_OUT not in own_variable.text
        or gdb_variable.bits is None
        or own_variable.bits is None
    ):
        return False
    return have_same_bits(
        gdb_variable, own_variable.bits, gdb_variable.mask & ~own_variable.bits.undefined
    )


def _described_bits(own_variable: GdbVariable) -> int | None:
    """Return how many bits the location describes; None for all of them."""
    reasons = () if own_variable.bits is None else own_variable.bits.reasons
    matches = [match for reason in reasons if (match := _DESCRIBED.fullmatch(reason))]
    return int(matches[0][1]) if matches else None


def _texts_agree(gdb_variable: GdbVariable, own_text: str) -> bool:
    """Compare texts of incomplete, lost or optimized out values, and of types unknown to GDB.

    GDB shows a structure or array whose name is hidden member by member, with all of them missing.
    """
    gdb_text, own_text = _without_tags(gdb_variable.text), _without_tags(own_text)
    if gdb_text == own_text and not gdb_variable.mask:
        return True
    if gdb_text == _INCOMPLETE:
        return own_text.endswith("is incomplete: it has no size>")
    if gdb_text in _UNSIZED:
        return own_text.endswith("its size is unknown.>")
    if gdb_text.startswith("<error: asked for position 0 of stack, stack only has 0 elements"):
        return own_text.endswith("the stack has 0>")
    if own_text.endswith(OPTIMIZED_OUT):
        return gdb_variable.is_lost and gdb_text.startswith(own_text.removesuffix(OPTIMIZED_OUT))
    their_match, two = _TYPED.fullmatch(gdb_text), _TYPED.fullmatch(own_text)
    return bool(
        their_match
        and two
        and their_match[2] == two[2]
        and canonical(their_match[1]) == canonical(two[1])
    )


def _without_tags(text: str) -> str:
    """Return a text without `struct` and the like in the type that it begins with: GDB writes
    `(app.Pt &)` in D."""
    begin = _TYPE.match(text)
    return text if begin is None else _TAG.sub("", begin[0]) + text[begin.end() :]


def _is_pointer_of_pascal(
    variable: Variable, gdb_variable: GdbVariable, own_variable: GdbVariable
) -> bool:
    """Return whether only the types of a pointer are worded differently: `(^LongInt) 0x0`; GDB
    shows no type of a pointer whose type has a name."""
    if variable.unit.language != dw.LANG_PASCAL83 or not isinstance(strip(variable.type), Pointer):
        return False
    texts = (gdb_variable.text, own_variable.text)
    gdb_text, own_text = (_POINTER_TYPE.sub("", text, count=1) for text in texts)
    return gdb_text == own_text


def _has_words_of_pascal(type_: Type | None, depth: int = 0) -> bool:
    """Return whether an object has parts that GDB does not know: procedural values, Booleans that
    are true with any number but 0, numbers of the type Currency."""
    bare = strip(type_)
    if depth > _DEEPEST:
        return False
    match bare:
        case Base(base=base):
            return base.encoding == "boolean" or is_currency(base)
        case Pointer():
            return isinstance(strip(bare.target), Function)
        case Array():
            return _has_words_of_pascal(bare.element, depth + 1)
        case Struct():
            return any(_has_words_of_pascal(member.type, depth + 1) for member in bare.members)
    return False


def _has_absent_static(gdb_text: str, own_text: str) -> bool:
    """Return whether the texts differ by static members that dwarfgpu cannot locate."""
    pattern, count = _ABSENT_STATIC.subn(r"\1\0", own_text)
    parts = [re.escape(part) for part in pattern.split("\0")]
    return count > 0 and re.fullmatch("[^,{}]+".join(parts), gdb_text) is not None


def _is_by_wrong_frame(
    frame: gdb.Frame, session: GdbSession, variable: Variable, gdb_variable: GdbVariable
) -> bool:
    """Return whether GDB evaluates the call site's value on entry with the callee's registers."""
    is_on_entry = any(
        instruction.operation.name in ENTRY_VALUES
        for instruction in instructions_of(session, variable)
    )
    attribute = variable.location
    if attribute is None or not is_on_entry or gdb_variable.bits is None:
        return False
    context = session.context(frame_of_gdb(session, frame))
    try:
        where = located(attribute, context, None)
        bits = contents(Reading(variable, variable.type, None, where), context).bits
    except DwarfGpuError:
        return False
    return bits is not None and have_same_bits(gdb_variable, bits, gdb_variable.mask)


def _is_by_caller_of_main(
    frame: gdb.Frame, session: GdbSession, variable: Variable, gdb_variable: GdbVariable
) -> bool:
    """Return whether GDB ends the stack at main, and without the callers of main nothing more is
    known."""
    attribute = variable.location
    if attribute is None or gdb.parameter("backtrace past-main"):
        return False
    while (older := frame.older()) is not None:
        frame = older
    debugger = session.debugger
    if (
        function_name(frame) != "main"
        or debugger is None
        or debugger.session(frame).gdb_frame is not None
    ):
        return False
    context = session.context(frame_up_to(session, debugger.session(frame).level))
    try:
        where = located(attribute, context, None)
        bits = contents(Reading(variable, variable.type, None, where), context).bits
    except UndefinedBits:
        return gdb_variable.text == OPTIMIZED_OUT
    except DwarfGpuError:
        return False
    if bits is not None and bits.undefined == (1 << bits.size_bits) - 1:
        return gdb_variable.text == OPTIMIZED_OUT
    return bits is not None and have_same_bits(gdb_variable, bits, gdb_variable.mask)


def _is_other_class(variable: Variable, gdb_variable: GdbVariable) -> bool:
    """Return whether GDB has an empty class instead of the entry's class with members."""
    kind = strip(variable.type)
    if gdb_variable.text != "{<No data fields>}" or not isinstance(kind, Struct):
        return False
    return any(not member.is_static for member in kind.members)


def _is_nullptr(variable: Variable, gdb_variable: GdbVariable, own_variable: GdbVariable) -> bool:
    """Return whether it is or contains nullptr, and nothing else differs."""
    kind = strip(variable.type)
    if isinstance(kind, Unspecified) and gdb_variable.text in (_INCOMPLETE, _GENERIC):
        return kind.is_nullptr and own_variable.text in ("0", OPTIMIZED_OUT)
    if gdb_variable.bits is None or own_variable.bits is None:
        return False
    if not have_same_bits(gdb_variable, own_variable.bits, gdb_variable.mask):
        return False
    if isinstance(kind, Unspecified):
        is_less = gdb_variable.bits.size_bits < own_variable.bits.size_bits
        return kind.is_nullptr and gdb_variable.text == own_variable.text and is_less
    parts = [re.escape(part) for part in gdb_variable.text.split(_INCOMPLETE)]
    return (
        len(parts) > 1
        and re.fullmatch("(?:0|<optimized out>)".join(parts), own_variable.text) is not None
    )


def _is_by_empty_range(session: GdbSession, variable: Variable, gdb_variable: GdbVariable) -> bool:
    """Return whether GDB's value is that of an empty range at the frame's location."""
    attribute, pc = variable.location, session.pc
    if not isinstance(attribute, LocList):
        return False
    for name in attribute.empty:
        if name.begin == pc:
            try:
                where = located(ExprLoc(name.expression, attribute.unit), session.context(), None)
                result = contents(Reading(variable, variable.type, None, where), session.context())
            except DwarfGpuError:
                continue
            if result.bits is not None and have_same_bits(
                gdb_variable, result.bits, gdb_variable.mask
            ):
                return True
    return False


def _is_followed(variable: Variable, gdb_variable: GdbVariable, own_variable: GdbVariable) -> bool:
    """Return whether only dwarfgpu shows the target of an rvalue reference."""
    kind = strip(variable.type)
    if not isinstance(kind, Pointer) or kind.kind != "rvalue_reference":
        return False
    return gdb_variable.text.endswith(SYNTHETIC_POINTER) and own_variable.text.startswith(
        f"{gdb_variable.text}: "
    )


def _has_short_pieces(session: GdbSession, variable: Variable) -> bool:
    """Return whether it is a number, and its pieces have fewer bits: 80 of a long double's 128."""
    kind = strip(variable.type)
    return isinstance(kind, Base) and 0 < bits_of_pieces(session, variable) < kind.base.bit_size


def bits_of_pieces(session: GdbSession, variable: Variable) -> int:
    """Return how many bits the pieces of its location have; 0 without pieces."""
    bits = 0
    for instruction in instructions_of(session, variable):
        if instruction.operation.name in ("piece", "bit_piece"):
            size = instruction.operands[0]
            assert isinstance(size, int)
            bits += size if instruction.operation.name == "bit_piece" else 8 * size
    return bits


def _is_pointer_to_flexible(variable: Variable, gdb_variable: GdbVariable) -> bool:
    """Return whether GDB cannot read the target of a pointer, a structure whose last member is an
    array of unknown length."""
    kind = strip(variable.type)
    target = strip(kind.target) if isinstance(kind, Pointer) else None
    if gdb_variable.text != UNAVAILABLE or not isinstance(target, Struct) or not target.members:
        return False
    last = strip(target.members[-1].type)
    return isinstance(last, Array) and last.dimensions[-1:] == (None,)


def _has_base_outside(frame: gdb.Frame, variable: Variable, own_variable: GdbVariable) -> bool:
    """Return whether it has a virtual base outside of the memory that GDB has read for it.

    For example a reference to a class that is a part of another one, and an object whose table is
    not yet that of its class.
    """
    kind = strip(variable.type)
    if _has_virtual_base(kind):
        return "> = <invalid address>" in own_variable.text
    if not isinstance(kind, Pointer) or kind.kind == "pointer":
        return False
    if not _has_virtual_base(strip(kind.target)):
        return False
    try:
        value = frame.read_var(variable.name).referenced_value()
        return bool(value.dynamic_type != value.type.unqualified())
    except (gdb.error, ValueError):
        return False


def _has_virtual_base(kind: object) -> bool:
    pending, count = [kind], 0
    while pending and count < _MAX_BASES:
        count += 1
        kind_ = pending.pop()
        bases = [m for m in kind_.members if m.is_base_class] if isinstance(kind_, Struct) else []
        if any(m.is_virtual for m in bases):
            return True
        pending += [strip(m.type) for m in bases]
    return False


def _reason_of_loss(session: GdbSession, variable: Variable) -> str | None:
    """Return why GDB has no value."""
    if variable.unit.is_split and isinstance(variable.location, LocList):
        return BASE
    stack, level = session.call_stack, session.level
    frames = () if stack is None else (stack.frame(level), stack.frame(level + 1))
    if any(frame is not None and frame.is_tail_call for frame in frames):
        return GDB_STOPS_AT_TAIL_CALL
    return ABSTRACT if _called_as_abstract(session) else None


def _reason_of_value(frame: gdb.Frame, session: GdbSession, variable: Variable) -> str | None:
    """Return why dwarfgpu has no value."""
    instructions, left = instructions_of(session, variable), session.frame.left_frame()
    if left is not None and left.has_part_in(instructions):
        return GIVEN_BACK
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    older = frame.older()
    if older is not None and older.type() == gdb.TAILCALL_FRAME:
        return GDB_FOLLOWS_TAIL_CALL
    return CLOBBERED if _depends_on_clobbered(session, instructions, variable) else None


def _depends_on_clobbered(
    session: Session, instructions: Iterable[Instruction], variable: Variable, depth: int = 0
) -> bool:
    """Return whether the location, or a value passed by a call, needs a register that neither a
    rule nor an ABI preserves for an outer frame."""
    for instruction in instructions:
        number = _named_register(instruction)
        if number is not None and session.level and session.frame.register(number).is_undefined:
            return True
        if instruction.operation.name in ENTRY_VALUES and depth < _MAX_CALLS:
            values = _values_of_call_site(session, instruction, variable)
            if values is not None and _depends_on_clobbered(*values, variable, depth + 1):
                return True
    return False


def _values_of_call_site(
    session: Session, on_entry: Instruction, variable: Variable
) -> tuple[Session, Sequence[Instruction]] | None:
    """Return the context of the calling frame, and the values on entry from its call site."""
    unit, block = variable.unit, on_entry.operands[0]
    try:
        calling, return_address = session.calling()
        call = call_site_returning_to(calling.code_object, return_address)
        inner = decode(block, unit.dialect, unit.format) if isinstance(block, bytes) else None
        number = None if inner is None else _named_register(inner.instructions[0])
        parameter = None if call is None or number is None else call.passed_in(number)
        if parameter is None or parameter.value is None:
            return None
        operations = decode(parameter.value.expression, unit.dialect, unit.format)
        return calling, operations.instructions
    except (DwarfGpuError, IndexError):
        return None


def _called_as_abstract(session: GdbSession) -> bool:
    """Return whether the call that made the frame names an entry without code."""
    try:
        calling, return_address = session.calling()
        call = call_site_returning_to(calling.code_object, return_address)
        return call is not None and call.callee is not None and not covered(call.callee)
    except DwarfGpuError:
        return False


def instructions_of(session: GdbSession, variable: Variable) -> Iterator[Instruction]:
    """Yield the operations of its location."""
    match variable.location:
        case LocList() as attribute:
            entries = attribute.matching(session.pc)
            expressions = [entry.expression for entry in entries]
        case ExprLoc() as attribute:
            expressions = [attribute.expression]
        case _:
            return
    for expression in expressions:
        yield from decode(expression, variable.unit.dialect, variable.unit.format).instructions


def _is_wide_read(instruction: Instruction) -> bool:
    operands = instruction.operands
    is_read = instruction.operation.name == "deref_size"
    return is_read and isinstance(operands[0], int) and operands[0] > 8


def _has_wide_type(variable: Variable, instruction: Instruction) -> bool:
    """Return whether an operation names a base type of more than 8 bytes."""
    named = zip(instruction.operation.operands, instruction.operands, strict=True)
    try:
        return any(
            variable.unit.base_type(operand).bit_size > 64
            for info, operand in named
            if info.codec.meaning == "type" and isinstance(operand, int) and operand
        )
    except DwarfGpuError:
        return False


def _named_register(instruction: Instruction) -> int | None:
    """Return the register that an operation names."""
    name = _REGISTER.fullmatch(instruction.operation.name)
    if name is not None:
        return int(name[1])
    number = instruction.operands[0] if instruction.operation.name in _NUMBERED else None
    return number if isinstance(number, int) else None
