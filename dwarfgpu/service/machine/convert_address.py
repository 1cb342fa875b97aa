"""Convert an address from one address space to others, as text and as data.

The rules are those of the architecture (`dwarfgpu.arch.amdgpu.convert_address`).
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import NOWHERE, AddressSpace, Apertures, Architecture
from dwarfgpu.base.json_reader import Json
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, plural
from dwarfgpu.service.error_text import error_json, error_line

_NULL_NOTE: Final = (
    "the null address of private memory is 0xffffffff, as in the compute ABI and amd-dbgapi; "
    "the table of the AMDGPU usage says 0x0"
)


@frozen
class AddressFocus:
    """The wave and lane for which addresses are converted."""

    architecture: Architecture
    apertures: Apertures
    lane: int | None


@frozen
class Conversion:
    """An address of the space that was wanted, or why there is none."""

    space: AddressSpace
    address: int = 0
    contiguous_bytes: int = 0
    error: DwarfGpuError | None = None

    @property
    def is_null(self) -> bool:
        return self.error is None and self.address == self.space.null


def address_notes(source: AddressSpace, address: int) -> list[str]:
    """Return notes on the address itself."""
    if source.unavailable is not None:
        return [f"memory of {source} is not accessible: {source.unavailable}"]
    return [_NULL_NOTE] if source.scope in ("lane", "wave") and address == 0 else []


def converted(
    focus: AddressFocus, source: AddressSpace, address: int, target_space: AddressSpace
) -> Conversion:
    """Return the address in another space, or why there is none."""
    try:
        converted, contiguous_bytes = focus.architecture.convert(
            address, source.number, target_space.number, focus.lane, focus.apertures
        )
    except DwarfGpuError as error:
        return Conversion(target_space, error=error)
    return Conversion(target_space, converted, contiguous_bytes)


def conversion_line(source: AddressSpace, address: int, conversion: Conversion) -> str:
    """Return `global#0x1040, the same memory for 0x4 bytes`."""
    text = f"{conversion.space}#{conversion.address:#x}"
    if conversion.is_null and address == source.null:
        return f"{text}, which is null"
    contiguous = conversion.contiguous_bytes
    return f"{text}, the same memory for {contiguous:#x} {plural(contiguous, 'byte')}"


def conversion_table(rows: list[Conversion]) -> list[str]:
    """Return the table of ROCgdb's `maint info amdgpu address-aliases`, with the reasons."""
    lines = [f"{'Address space':<14} {'Address':<18} Valid for"]
    for conversion in rows:
        if conversion.error is not None:
            lines.append(
                f"{conversion.space.name:<14} <not reachable>    {error_line(conversion.error)}"
            )
        else:
            valid = "<null>" if conversion.is_null else f"{conversion.contiguous_bytes:#x}"
            lines.append(f"{conversion.space.name:<14} {conversion.address:<#18x} {valid}")
    return lines


def conversions_json(
    focus: AddressFocus,
    source: AddressSpace,
    address: int,
    results: list[Conversion],
    notes: list[str],
) -> dict[str, Json]:
    """Return the object of `convert --json`, without its schema."""
    apertures = focus.apertures
    conversions: list[Json] = []
    for conversion in results:
        out: dict[str, Json] = {"space": conversion.space.name}
        if conversion.error is None:
            out |= {"address": conversion.address, "contiguous_bytes": conversion.contiguous_bytes}
            out |= {"is_null": conversion.is_null}
        else:
            out |= error_json(conversion.error)
        conversions.append(out)
    listed: list[Json] = [*notes]
    return {
        "notes": listed,
        "architecture": focus.architecture.name,
        "wave_size": focus.architecture.lane_count,
        "lane": focus.lane,
        "apertures": {
            "local_base": _known(apertures.local_base),
            "private_base": _known(apertures.private_base),
            "scratch_base": apertures.scratch_base,
            "scratch_bytes": apertures.scratch_bytes,
            "local_bytes": apertures.local_bytes,
            "element_bytes": apertures.element_bytes,
        },
        "from": {"space": source.name, "address": address, "is_null": address == source.null},
        "conversions": conversions,
    }


def _known(base: int) -> int | None:
    return None if base == NOWHERE else base
