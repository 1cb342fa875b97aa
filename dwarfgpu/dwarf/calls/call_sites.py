"""Call sites, and the values on entry to the callee that they describe (DWARF 5 3.4).

Law: only what the callee cannot have changed is used. A function that calls itself by a tail call
has entries that its caller does not describe.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.forms import ReadValue
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.scope_entries import covered
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import ExprLoc, UnitFormat
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect.dialect import AMD
from dwarfgpu.expr.evaluate import register_of

TAG_GNU_CALL_SITE: Final = 0x4109
TAG_GNU_CALL_SITE_PARAMETER: Final = 0x410A
AT_CALL_RETURN_PC: Final = 0x7D
AT_CALL_VALUE: Final = 0x7E
AT_CALL_ORIGIN: Final = 0x7F
AT_CALL_PARAMETER: Final = 0x80
AT_CALL_PC: Final = 0x81
AT_CALL_TAIL_CALL: Final = 0x82
AT_CALL_TARGET: Final = 0x83
AT_CALL_TARGET_CLOBBERED: Final = 0x84
AT_CALL_DATA_LOCATION: Final = 0x85
AT_CALL_DATA_VALUE: Final = 0x86
AT_GNU_CALL_SITE_VALUE: Final = 0x2111
AT_GNU_CALL_SITE_DATA_VALUE: Final = 0x2112
AT_GNU_CALL_SITE_TARGET: Final = 0x2113
AT_GNU_CALL_SITE_TARGET_CLOBBERED: Final = 0x2114
AT_GNU_TAIL_CALL: Final = 0x2115
CALL_SITES: Final = frozenset({dw.TAG_CALL_SITE, TAG_GNU_CALL_SITE})
PARAMETERS: Final = frozenset({dw.TAG_CALL_SITE_PARAMETER, TAG_GNU_CALL_SITE_PARAMETER})

_IDENTIFYING: Final = (
    dw.AT_NAME, *dw.LINKAGE_NAMES, dw.AT_LOW_PC, dw.AT_RANGES,
    dw.AT_SPECIFICATION, dw.AT_ABSTRACT_ORIGIN, dw.AT_SIGNATURE,
)  # fmt: skip
"""Attributes of functions: one of these says which function it is."""
_OP_REG0, _OP_REG31, _OP_REGX = 0x50, 0x6F, 0x90
_MAX_FUNCTIONS: Final = 1_000
"""Functions whose calls are kept."""


@frozen
class CallParameter:
    """What a call passes; its expressions are evaluated in the frame of the caller (A.3.4.2)."""

    die: Die

    @property
    def parameter(self) -> Die | None:
        """The formal parameter of the callee, which GCC names as an origin before DWARF 5."""
        return self.die.reference(_formal_attribute(self.die.tag))

    @property
    def name(self) -> str | None:
        parameter = self.parameter
        return self.die.name if parameter is None else parameter.name

    @property
    def location(self) -> ExprLoc | None:
        """Where the argument is passed."""
        return _expression(self.die, dw.AT_LOCATION)

    @property
    def value(self) -> ExprLoc | None:
        """The passed value."""
        is_gnu = self.die.tag == TAG_GNU_CALL_SITE_PARAMETER
        return _expression(self.die, AT_GNU_CALL_SITE_VALUE if is_gnu else AT_CALL_VALUE)

    @property
    def data_location(self) -> ExprLoc | None:
        """For an argument passed by reference: where its target is during the call."""
        return _expression(self.die, AT_CALL_DATA_LOCATION)

    @property
    def data_value(self) -> ExprLoc | None:
        """The contents of an argument passed by reference, at the time of the call."""
        is_gnu = self.die.tag == TAG_GNU_CALL_SITE_PARAMETER
        name = AT_GNU_CALL_SITE_DATA_VALUE if is_gnu else AT_CALL_DATA_VALUE
        return _expression(self.die, name)


@frozen
class CallSite:
    """One call; GCC's entries of before DWARF 5 are read too."""

    die: Die

    @property
    def return_address(self) -> int | None:
        """The address of the file after the call."""
        return self.die.address(dw.AT_LOW_PC if self._is_gnu else AT_CALL_RETURN_PC)

    @property
    def address(self) -> int | None:
        """The address of the file of the call itself."""
        return self.die.address(AT_CALL_PC)

    @property
    def callee(self) -> Die | None:
        """The function that is called, or its declaration; None for a call through a pointer, and
        of an entry that names nothing, as clang writes with `-flto` for a function of another
        unit."""
        called = self.die.reference(dw.AT_ABSTRACT_ORIGIN if self._is_gnu else AT_CALL_ORIGIN)
        if called is None or any(map(called.has, _IDENTIFYING)):
            return called
        return None

    @property
    def target(self) -> ExprLoc | None:
        """The address that a call through a pointer leads to."""
        return _expression(self.die, AT_GNU_CALL_SITE_TARGET if self._is_gnu else AT_CALL_TARGET)

    @property
    def clobbered_target(self) -> ExprLoc | None:
        """`target` as it is before the call only: the callee may change what the expression
        reads."""
        name = AT_GNU_CALL_SITE_TARGET_CLOBBERED if self._is_gnu else AT_CALL_TARGET_CLOBBERED
        return _expression(self.die, name)

    @property
    def is_tail_call(self) -> bool:
        return self.die.flag(AT_CALL_TAIL_CALL) or self.die.flag(AT_GNU_TAIL_CALL)

    @property
    def _is_gnu(self) -> bool:
        return self.die.tag == TAG_GNU_CALL_SITE

    def parameters(self) -> Iterator[CallParameter]:
        """Yield the parameters in source order."""
        return (CallParameter(child) for child in self.die.children() if child.tag in PARAMETERS)

    def value(self, location: bytes) -> ExprLoc | None:
        """Return the expression that computes, in the caller, the parameter passed at a
        location."""
        parameter = _passed(self.die).at(location)
        return None if parameter is None else parameter.value

    def value_of(self, parameter: Die) -> ExprLoc | None:
        """Return the expression that computes, in the caller, a formal parameter of the callee."""
        passed = _passed(self.die).of(list(parameter.origins())[-1])
        return None if passed is None else passed.value

    def passed_in(self, number: int) -> CallParameter | None:
        """Return the parameter that is passed in a register; None if there is none."""
        return _passed(self.die).in_register(number)

    def is_at(self, pc: int) -> bool:
        """Return whether a program location, as loaded, is that of the call.

        A waiting frame is at the return address or, for unwinders, one byte before it.
        """
        address = self.die.unit.sections.program.in_file(pc)
        return address == self.address or self.is_awaited_at(pc)

    def is_awaited_at(self, pc: int) -> bool:
        """Return whether a frame at a program location, as loaded, waits for the call to return."""
        after = self.return_address
        in_file = self.die.unit.sections.program.in_file
        return after is not None and in_file(pc) in (after, after - 1)


class _Passed:
    """The parameters of one call by where they are passed: each frame that waits for the call asks
    for some of them.

    An error ends what is known, and is raised for the parameters behind it.
    """

    def __init__(self, call: Die) -> None:
        self._call = call

    def at(self, location: bytes) -> CallParameter | None:
        """Return the first parameter with a location."""
        by_location, _, error = self._located
        return self._parameter(by_location.get(location), error)

    def in_register(self, number: int) -> CallParameter | None:
        """Return the first parameter that is passed in a register."""
        _, by_register, error = self._located
        return self._parameter(by_register.get(number), error)

    def of(self, formal: Die) -> CallParameter | None:
        """Return the first parameter for a formal parameter, which inherits from none."""
        by_formal, error = self._formal
        return self._parameter(by_formal.get(formal), error)

    def _parameter(self, index: int | None, error: DwarfGpuError | None) -> CallParameter | None:
        if index is not None:
            return CallParameter(self._call.unit.die(index))
        if error is not None:
            raise error.anew()
        return None

    @cached_property
    def _located(self) -> tuple[dict[bytes, int], dict[int, int], DwarfGpuError | None]:
        """Return the indexes of the entries by their locations, and by their registers."""
        by_location: dict[bytes, int] = {}
        by_register: dict[int, int] = {}
        try:
            for index, location in self._values(lambda _: dw.AT_LOCATION):
                if isinstance(location, bytes) and location not in by_location:
                    by_location[location] = index
                    number = _register(location)
                    if number is not None:
                        by_register.setdefault(number, index)
        except DwarfGpuError as error:
            return by_location, by_register, error.with_traceback(None)
        return by_location, by_register, None

    @cached_property
    def _formal(self) -> tuple[dict[Die, int], DwarfGpuError | None]:
        """Return the indexes of the entries by the last origins of their formal parameters."""
        by_formal: dict[Die, int] = {}
        known: set[tuple[Abbreviation, int | bytes]] = set()
        try:
            unit = self._call.unit
            for index, value in self._values(_formal_attribute):
                encoded = unit.tree.abbreviations[index], value
                if encoded not in known:
                    known.add(encoded)
                    formal = CallParameter(unit.die(index)).parameter
                    if formal is not None:
                        by_formal.setdefault(list(formal.origins())[-1], index)
        except DwarfGpuError as error:
            return by_formal, error.with_traceback(None)
        return by_formal, None

    def _values(self, name_of: Callable[[int], int]) -> Iterator[tuple[int, int | bytes]]:
        """Yield the indexes of the entries with an attribute, and its value as it is encoded.

        `name_of`: the attribute of entries with a tag. There may be hundreds of thousands: objects
        are made only for entries that cannot be read directly.
        """
        if not self._call.abbreviation.has_children:
            return
        unit, tree = self._call.unit, self._call.unit.tree
        data, end, abbreviations = unit.data, unit.end, tree.abbreviations
        readers: dict[Abbreviation, ReadValue | None] = {}
        for index in tree.children(self._call.index):
            abbreviation = abbreviations[index]
            if abbreviation.tag not in PARAMETERS:
                continue
            name = name_of(abbreviation.tag)
            if name not in abbreviation.positions:
                continue
            if abbreviation not in readers:
                readers[abbreviation] = self._reader(abbreviation, name)
            reader, offset = readers[abbreviation], tree.offsets[index]
            value: int | bytes | None = None
            if reader is not None and data[offset] < 0x80:  # codes are mostly one byte
                try:
                    value = reader(data, offset + 1, end)
                except DwarfGpuError:
                    value = None  # the entry says where the error is
            if value is None:
                attribute = unit.die(index).attribute(name)
                assert attribute is not None
                value = attribute.raw
            yield index, value

    def _reader(self, abbreviation: Abbreviation, name: int) -> ReadValue | None:
        """Return what reads an attribute; None where the entry must."""
        if self._call.unit.unknown_values:
            return None
        try:
            value = abbreviation.value(abbreviation.positions[name])
        except DwarfGpuError:
            return None
        return None if value.kind == "indirect" else value.read


@kept_with(lambda call: call.unit, 1_000)
def _passed(call: Die) -> _Passed:
    return _Passed(call)


def _formal_attribute(tag: int) -> int:
    """Return the attribute that names the formal parameter, of entries with a tag."""
    return dw.AT_ABSTRACT_ORIGIN if tag == TAG_GNU_CALL_SITE_PARAMETER else AT_CALL_PARAMETER


def _register(expression: bytes) -> int | None:
    """Return the register of an expression that is one DW_OP_reg*."""
    if not expression or not (_OP_REG0 <= expression[0] <= _OP_REG31 or expression[0] == _OP_REGX):
        return None
    if len(expression) == 1 and expression[0] != _OP_REGX:
        return expression[0] - _OP_REG0
    instructions = decode(expression, AMD, UnitFormat()).instructions
    return register_of(instructions[0]) if len(instructions) == 1 else None


def _expression(die: Die, name: int) -> ExprLoc | None:
    data = die.expression(name)
    return None if data is None else ExprLoc(data, die.unit)


def call_sites(function: Die) -> Iterator[CallSite]:
    """Yield every call of a function, including those in its blocks and inlined functions.

    A call in an entry without code is of the function whose code contains it: gcc puts some into
    the abstract instance. Where its address cannot be read, it is of none.
    """
    unit = function.unit
    index = unit.tree.find(function.offset)
    if index is None:
        return
    for inner in range(index + 1, unit.tree.ends[index]):
        if unit.tree.abbreviations[inner].tag in CALL_SITES:
            yield CallSite(unit.die(inner))
    addresses, indexes = _calls_without_code(unit)
    for begin, end in covered(function) if addresses else ():
        for call in range(bisect_left(addresses, begin), bisect_left(addresses, end)):
            yield CallSite(unit.die(indexes[call]))


@kept_with(first)
def _calls_without_code(unit: CompilationUnit) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the addresses of calls in functions of a unit that have no code, in order, and the
    indexes of their entries: each function of a stack asks for those in its code."""
    if CALL_SITES.isdisjoint(unit.tags):
        return (), ()
    tree, calls = unit.tree, []
    is_without_code = bytearray(len(tree.abbreviations))
    for index, abbreviation in enumerate(tree.abbreviations):
        if abbreviation.tag == dw.TAG_SUBPROGRAM:
            known = abbreviation.positions
            is_without_code[index] = not (dw.AT_LOW_PC in known or dw.AT_RANGES in known)
            continue
        above = tree.parents[index]
        is_without_code[index] = above >= 0 and is_without_code[above]
        if is_without_code[index] and abbreviation.tag in CALL_SITES:
            with suppress(DwarfGpuError):  # it is in no known code
                site = CallSite(unit.die(index))
                after = site.return_address
                address = site.address if after is None else after - 1
                if address is not None:
                    calls.append((address, index))
    calls.sort()
    return tuple(address for address, _ in calls), tuple(index for _, index in calls)


def call_before(scopes: Scopes, return_pc: int) -> CallSite | None:
    """Return the call that returns to a program location, as loaded.

    For a tail call without a return address, the location is that of the call itself.
    """
    address = scopes.info.in_file(return_pc)
    subprogram = scopes.subprogram_at(return_pc - 1)
    if subprogram is not None:
        site = _calls_of(subprogram.die).returning_to(address)
        if site is not None:
            return site
    subprogram = scopes.subprogram_at(return_pc)
    return None if subprogram is None else _calls_of(subprogram.die).jumping_at(address)


class _Calls:
    """The calls of one function by their addresses: every frame of it asks for one of them.

    An error ends what is known, and is raised for the calls behind it.
    """

    def __init__(self, function: Die) -> None:
        self._function = function

    def returning_to(self, address: int) -> CallSite | None:
        """Return the first call that returns to an address of the file."""
        return self._at(address, *self._returning)

    def jumping_at(self, address: int) -> CallSite | None:
        """Return the first tail call without a return address at an address of the file."""
        return self._at(address, *self._jumping)

    def _at(
        self, address: int, offsets: dict[int, int], error: DwarfGpuError | None
    ) -> CallSite | None:
        offset = offsets.get(address)
        if offset is not None:
            return CallSite(self._function.unit.info.die_at(offset))
        if error is not None:
            raise error.anew()
        return None

    @cached_property
    def _returning(self) -> tuple[dict[int, int], DwarfGpuError | None]:
        return self._by_address(lambda site: site.return_address)

    @cached_property
    def _jumping(self) -> tuple[dict[int, int], DwarfGpuError | None]:
        return self._by_address(
            lambda site: site.address if site.is_tail_call and site.return_address is None else None
        )

    def _by_address(
        self, address_of: Callable[[CallSite], int | None]
    ) -> tuple[dict[int, int], DwarfGpuError | None]:
        """Return the offsets of the entries of calls by an address of theirs, and the error that
        ended them."""
        offsets: dict[int, int] = {}
        try:
            for site in call_sites(self._function):
                address = address_of(site)
                if address is not None:
                    offsets.setdefault(address, site.die.offset)
        except DwarfGpuError as error:
            return offsets, error.with_traceback(None)
        return offsets, None


class _KnownCalls(dict[Die, _Calls]):
    """The calls of the functions of a program that were asked for last."""


def _calls_of(function: Die) -> _Calls:
    known = function.unit.sections.program.shared(_KnownCalls)
    calls = known.get(function)
    if calls is None:
        if len(known) >= _MAX_FUNCTIONS:
            known.clear()
        calls = known[function] = _Calls(function)
    return calls
