"""MessagePack, the encoding of metadata in code objects V3 and later (msgpack.org, specification).

Law: strict. One value, nothing after it; keys are unique strings; texts are UTF-8. Every count is
checked against the remaining bytes and a budget, so that no input makes a large result.
"""

from __future__ import annotations

import struct
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.errors import Malformed, Unsupported, counted
from dwarfgpu.objfile.metadata_value import Metadata, ValueBudget, check_depth

_CONSTANTS: Final[dict[int, Metadata]] = {0xC0: None, 0xC2: False, 0xC3: True}
_UNSIGNED: Final = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}
_SIGNED: Final = {0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_FLOATS: Final = {0xCA: ">f", 0xCB: ">d"}
_STRINGS: Final = {0xD9: 1, 0xDA: 2, 0xDB: 4}
_BINARIES: Final = {0xC4: 1, 0xC5: 2, 0xC6: 4}
_ARRAYS: Final = {0xDC: 2, 0xDD: 4}
_MAPS: Final = {0xDE: 2, 0xDF: 4}


def unpack(data: bytes, budget: ValueBudget | None = None) -> Metadata:
    """Decode exactly one value; `Malformed` for anything else, `LimitExceeded` for one of more keys
    and values than the budget has."""
    budget = budget or ValueBudget()
    budget.spend_size(len(data))
    reader = Reader(data, "big")
    value = _value(reader, budget, 0)
    if reader:
        raise Malformed(f"{counted(reader.remaining_bytes, 'byte')} after the metadata")
    return value


def _value(reader: Reader, budget: ValueBudget, depth: int) -> Metadata:
    check_depth(depth)
    code = reader.u8()
    if code < 0x80:
        return code
    if code >= 0xE0:
        return code - 0x100
    if code < 0x90:
        return _map(reader, code & 0xF, budget, depth)
    if code < 0xA0:
        return _array(reader, code & 0xF, budget, depth)
    if code < 0xC0:
        return _string(reader, code & 0x1F)
    return _sized(reader, code, budget, depth)


def _sized(reader: Reader, code: int, budget: ValueBudget, depth: int) -> Metadata:
    if code in _CONSTANTS:
        return _CONSTANTS[code]
    if code in _UNSIGNED:
        return reader.unsigned(_UNSIGNED[code])
    if code in _SIGNED:
        return reader.signed(_SIGNED[code])
    if code in _STRINGS:
        return _string(reader, reader.unsigned(_STRINGS[code]))
    if code in _ARRAYS:
        return _array(reader, reader.unsigned(_ARRAYS[code]), budget, depth)
    if code in _MAPS:
        return _map(reader, reader.unsigned(_MAPS[code]), budget, depth)
    if code in _BINARIES:
        return reader.take(reader.unsigned(_BINARIES[code]))
    if code in _FLOATS:
        form = _FLOATS[code]
        (number,) = struct.unpack(form, reader.take(struct.calcsize(form)))
        return float(number)
    if code == 0xC1:
        raise Malformed(f"the byte 0xc1 at offset {reader.position - 1:#x} begins no value")
    raise Unsupported(f"an extension type ({code:#x}) in metadata")


def _string(reader: Reader, size_bytes: int) -> str:
    start = reader.position
    try:
        return reader.take(size_bytes).decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed(f"the string at offset {start:#x} is not UTF-8") from None


def _array(reader: Reader, count: int, budget: ValueBudget, depth: int) -> list[Metadata]:
    if count > reader.remaining_bytes:
        raise Malformed(f"{count} elements in {counted(reader.remaining_bytes, 'byte')}")
    budget.spend(count)
    return [_value(reader, budget, depth + 1) for _ in range(count)]


def _map(reader: Reader, count: int, budget: ValueBudget, depth: int) -> dict[str, Metadata]:
    if 2 * count > reader.remaining_bytes:
        raise Malformed(f"{count} entries of a map in {counted(reader.remaining_bytes, 'byte')}")
    budget.spend(2 * count)
    out: dict[str, Metadata] = {}
    for _ in range(count):
        key = _value(reader, budget, depth + 1)
        if not isinstance(key, str):
            raise Malformed("a key of the metadata is not a string")
        if key in out:
            raise Malformed(f"the key {key} occurs twice in a map")
        out[key] = _value(reader, budget, depth + 1)
    return out
