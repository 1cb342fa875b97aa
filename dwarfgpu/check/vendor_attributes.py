"""The attributes of the AMD text: where they apply, and which values they may have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import frozen
from dwarfgpu.check.attribute_classes import vendor_class_fault
from dwarfgpu.check.attributes import CheckedValue
from dwarfgpu.check.entry_positions import tag_text
from dwarfgpu.check.expressions import PossibleArchitectures
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.forms import Raw
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.static_check.severity import Severity

_MEMORY_SPACES: Final = range(5)
_VENDOR_MEMORY_SPACES: Final = range(0x8000, 0x10000)


@frozen
class VendorFault:
    """What is wrong with an attribute; the section and severity of its rule unless it has its
    own."""

    rule: str
    message: str
    section: str | None = None
    severity: Severity | None = None


def vendor_faults(
    die: Die, spec: CheckedValue, value: Raw, architectures: PossibleArchitectures
) -> Iterator[VendorFault]:
    """Yield what is wrong with an attribute of an entry."""
    vendor, unit = spec.vendor, die.unit
    assert vendor is not None
    if die.tag not in vendor.tags:
        message = f"{spec.name} applies to {vendor.where}, not to DW_TAG_{tag_text(die)}"
        yield VendorFault("vendor-attribute", message, vendor.section)
        return
    problem = vendor_class_fault(spec.number, spec.form, unit.format)
    if problem is not None:
        yield VendorFault("wrong-class", problem, "A.7.5.4")
    if problem is not None or not isinstance(value, int):
        return
    architecture = architectures.architecture
    match spec.number:
        case dw.AT_LLVM_LANES if value <= 0:
            yield VendorFault("bad-lane-count", f"{spec.name} is {value}")
        case dw.AT_LLVM_LANES if value > architectures.most_lanes:
            most = architectures.most_lanes
            message = f"{spec.name} is {value}, and a wave has at most {most} lanes"
            yield VendorFault("bad-lane-count", message, severity="warning")
        case dw.AT_LLVM_ITERATIONS if value <= 0 and not spec.is_list:
            yield VendorFault("bad-iteration-count", f"{spec.name} is {value}")
        case dw.AT_LLVM_VECTOR_SIZE if value <= 0:
            yield VendorFault("bad-vector-size", f"{spec.name} is {value}")
        case dw.AT_LLVM_MEMORY_SPACE:
            if value not in _MEMORY_SPACES and value not in _VENDOR_MEMORY_SPACES:
                message = f"{spec.name} is {value}, which is not a memory space"
                yield VendorFault("unknown-memory-space", message)
        case dw.AT_LLVM_ADDRESS_SPACE if architecture is not None:
            if value not in architecture.address_spaces:
                message = f"{architecture.name} defines no address space {value}"
                yield VendorFault("unknown-address-space", message, vendor.section)
            elif die.tag == dw.TAG_BASE_TYPE and not _is_address(unit, die):
                message = f"{spec.name} on a base type whose encoding is not DW_ATE_address"
                yield VendorFault("vendor-attribute", message, "A.5.1")


def _is_address(unit: CompilationUnit, die: Die) -> bool:
    try:
        base: BaseType = unit.base_type(die.offset - unit.offset)
    except DwarfGpuError:
        return True  # reported by its user
    return base.encoding == "address"
