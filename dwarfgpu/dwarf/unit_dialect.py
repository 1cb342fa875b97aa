"""The dialect of a unit, by its producer and its expressions (`docs/dialects.md`).

DW_AT_LLVM_augmentation (A.3.1.1) is not among the reasons; `service/file/file_report.py` reads it.

Law: the producer's name decides where it is known, the operations used where it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

from dwarfgpu.arch.amdgpu import VECTOR_REGISTERS
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation, ValueReader
from dwarfgpu.dwarf.forms import FORMS, Attribute, Raw, read_uleb
from dwarfgpu.dwarf.producer import LAST_DIRECT, LAST_WITHOUT_USER, parse_producer
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.decode import decode
from dwarfgpu.expr.dialect.dialect import AMD, AMD_DIRECT
from dwarfgpu.expr.dialect.encodings import ONE_BYTE
from dwarfgpu.expr.dialect.upstream_clang import has_suffix
from dwarfgpu.expr.operation import LLVM_USER

_LISTS: Final = frozenset(
    # location, string_length, return_addr, data_member_location, frame_base, segment, static_link,
    # use_location, vtable_elem_location, and the two numbers of LLVM_lane_pc
    {0x02, 0x19, 0x2A, 0x38, 0x40, 0x46, 0x48, 0x4A, 0x4D, 0x3E0B, 0x3E12}
)
"""Attributes that may be location lists."""
_BLOCKS: Final = (
    dw.FORM_EXPRLOC, dw.FORM_BLOCK1, dw.FORM_BLOCK2, dw.FORM_BLOCK4, dw.FORM_BLOCK,
)  # fmt: skip
_LIST_FORMS: Final = (dw.FORM_LOCLISTX, dw.FORM_SEC_OFFSET)
_VENDOR_BYTES: Final = pattern(rb"[\xe1-\xec]")
"""An expression without any of these has no DW_OP_LLVM operation in any dialect."""
_UPSTREAM_BYTES: Final = pattern(rb"[\x90\x92\xa5]|\x16\x18")
"""An expression without any of these has no form of upstream LLVM's."""
_WITHOUT_PRODUCER: Final = (dw.TAG_TYPE_UNIT, dw.TAG_PARTIAL_UNIT)


def dialect_name(unit: CompilationUnit) -> str:
    """Return the dialect detected for a unit, once for all loads of its file; a type or partial
    unit may have only that of the file."""
    known, key = unit.sections.for_all_loads.dialects, (unit.header.section, unit.offset)
    if key not in known:
        known[key] = _detected(unit)
    return known[key]


def _detected(unit: CompilationUnit) -> str:
    machine = unit.sections.object.machine
    producer = unit.producer
    if not producer and machine == "AMDGPU" and unit.root.tag in _WITHOUT_PRODUCER:
        producer = unit.info.common_producer
    return detect_dialect(producer, _expressions(unit), machine, unit.format)


def _expressions(unit: CompilationUnit) -> Iterator[bytes]:
    """Yield every expression of the entries of a unit; unreadable lists are skipped.

    An expression that several entries share is visited once.
    """
    if unit.abbreviations.has_indirect_forms:
        yield from _expressions_of_rows(unit)
        return
    by_code: dict[int, tuple[tuple[ValueReader, ValueReader | None], ...]] = {}
    visited: set[tuple[str, Raw]] = set()
    data, end, tree = unit.data, unit.end, unit.tree
    for abbreviation, start in zip(tree.abbreviations, tree.offsets, strict=True):
        values = by_code.get(abbreviation.code)
        if values is None:
            values = by_code[abbreviation.code] = _expression_values(abbreviation, unit.format)
        if not values:
            continue
        offset = start + 1 if data[start] < 0x80 else read_uleb(data, start, end)[1]
        for (form, kind, read, _), of_views in values:
            try:
                raw = read(data, offset, end)
                if isinstance(raw, bytes):
                    yield raw
                elif (kind, raw) not in visited:
                    visited.add((kind, raw))
                    views = None if of_views is None else of_views[2](data, offset, end)
                    yield from _listed(unit, Attribute(form, kind, raw), views)
            except DwarfGpuError:
                continue


def _expressions_of_rows(unit: CompilationUnit) -> Iterator[bytes]:
    """Yield every expression of a unit with forms that are before the values, in one pass: the form
    of each value must be known to find the next one."""
    from dwarfgpu.dwarf.unit_walk import walk  # few files have such forms

    visited: set[tuple[int, Raw]] = set()
    try:
        for _, shape, values in walk(
            unit.data, unit.header.entries_at, unit.end, unit.abbreviations
        ):
            for attribute, raw in zip(shape.attributes, values, strict=True):
                name, form = attribute.name, attribute.form
                if (form, raw) in visited or not _has_expressions(name, form, unit.format):
                    continue
                visited.add((form, raw))
                if isinstance(raw, bytes):
                    yield raw
                    continue
                at_views = shape.positions.get(dw.AT_GNU_LOCVIEWS)
                views = None if at_views is None or name != dw.AT_LOCATION else values[at_views]
                with suppress(DwarfGpuError):
                    yield from _listed(unit, Attribute(form, FORMS[form][0], raw), views)
    except DwarfGpuError:  # reported where the entries are read
        return


def _listed(unit: CompilationUnit, attribute: Attribute, views: Raw | None) -> Iterator[bytes]:
    """Yield the expressions of a location list."""
    of_views = views if isinstance(views, int) else None
    for entry in unit.lists.locations_of(attribute, of_views).entries:
        yield entry.expression


def _expression_values(
    abbreviation: Abbreviation, format: UnitFormat
) -> tuple[tuple[ValueReader, ValueReader | None], ...]:
    """Return what reads the expressions and location lists of the entries of an abbreviation, and
    the views of the lists."""
    position = abbreviation.positions.get(dw.AT_GNU_LOCVIEWS)
    views = None if position is None else abbreviation.value(position)
    return tuple(
        (
            abbreviation.value(abbreviation.positions[attribute.name]),
            views if attribute.name == dw.AT_LOCATION else None,
        )
        for attribute in abbreviation.attributes
        if _has_expressions(attribute.name, attribute.form, format)
    )


def _has_expressions(number: int, form: int, format: UnitFormat) -> bool:
    """Return whether a value of a form is an expression, or a location list."""
    if form in _BLOCKS:
        return number != dw.AT_CONST_VALUE
    is_list = form in _LIST_FORMS or (format.version < 4 and form in (dw.FORM_DATA4, dw.FORM_DATA8))
    return is_list and number in _LISTS


def vendor_operations(expressions: Iterable[bytes], format: UnitFormat) -> frozenset[str]:
    """Return which forms of DW_OP_LLVM operations occur: `direct`, `user`; `other` for an unclear
    0xe9."""
    names: set[str] = set()
    for expression in set(expressions):
        if not _VENDOR_BYTES.search(expression):
            continue
        decoded = decode(expression, AMD_DIRECT, format)
        for instruction in decoded.instructions:
            opcode = instruction.encoding[0]
            if opcode == LLVM_USER:
                names.add("user")
            elif opcode in ONE_BYTE:
                names.add("direct")
        if decoded.error is not None and decoded.undecoded[:1] == bytes((LLVM_USER,)):
            names.add("other")
    return frozenset(names)


def detect_dialect(
    producer: str, expressions: Iterable[bytes], machine: str, format: UnitFormat
) -> str:
    """Return the name of the dialect of a unit; reads its expressions only if they decide."""
    if machine != "AMDGPU":
        return "nvidia" if machine == "CUDA" else "amd"
    who = parse_producer(producer)
    if who.is_amd and who.version is not None:
        if who.version <= LAST_WITHOUT_USER:
            return "amd-direct-16"
        if who.version > LAST_DIRECT:
            return "amd"
    if not who.is_amd and not who.is_upstream and not who.is_gcc:
        expressions = list(expressions)
    used = vendor_operations(expressions, format)
    if who.is_amd:
        return "amd-direct" if "direct" in used else "amd"
    if "other" in used and "user" not in used:
        return "amd-direct-16"
    if "direct" in used:
        return "amd-direct"
    if used or who.is_gcc:
        return "amd"
    if who.is_upstream or _has_upstream_forms(expressions, format):
        return "upstream-clang"
    return "amd"


def _has_upstream_forms(expressions: Iterable[bytes], format: UnitFormat) -> bool:
    """Return whether an expression without DW_OP_LLVM operations is as upstream LLVM writes them.

    Either it uses a vector register, or it ends in `litN, swap, xderef`.
    """
    for expression in expressions:
        if not _UPSTREAM_BYTES.search(expression):
            continue
        instructions = decode(expression, AMD, format).instructions
        if has_suffix(instructions) or any(
            instruction.operands and instruction.operands[0] in VECTOR_REGISTERS
            for instruction in instructions.distinct
            if instruction.operation.name in ("regx", "bregx", "regval_type")
        ):
            return True
    return False
