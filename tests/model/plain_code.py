"""The encodings, typed from the texts a second time: bytes to operations and back.

Sources: DWARF 5 table 7.9 and AMD text A.7.7.1 for the numbers; the provisional sub-opcodes are
those that dwarfgpu documents for its dialect `amd-provisional`. Nothing here imports dwarfgpu.
"""

from __future__ import annotations

from dataclasses import dataclass

Operand = int | bytes


@dataclass(frozen=True)
class Form:
    """What the encodings depend on: sizes in bytes, the DWARF version, the byte order."""

    address_size: int
    offset_size: int
    version: int
    endian: str
    direct: bool = False
    """Whether the unit is of a compiler that wrote the one-byte DW_OP_LLVM_* operations."""


@dataclass(frozen=True)
class Op:
    """One operation at `start` of the expression; the next one starts at `end`."""

    start: int
    end: int
    name: str
    operands: tuple[Operand, ...]


class Undecodable(Exception):
    """The bytes cannot be read."""


CODES: dict[int, tuple[str, str]] = {
    0x03: ("addr", "addr"),
    0x06: ("deref", ""),
    0x08: ("const1u", "u1"),
    0x09: ("const1s", "s1"),
    0x0A: ("const2u", "u2"),
    0x0B: ("const2s", "s2"),
    0x0C: ("const4u", "u4"),
    0x0D: ("const4s", "s4"),
    0x0E: ("const8u", "u8"),
    0x0F: ("const8s", "s8"),
    0x10: ("constu", "uleb"),
    0x11: ("consts", "sleb"),
    0x12: ("dup", ""),
    0x13: ("drop", ""),
    0x14: ("over", ""),
    0x15: ("pick", "u1"),
    0x16: ("swap", ""),
    0x17: ("rot", ""),
    0x18: ("xderef", ""),
    0x19: ("abs", ""),
    0x1A: ("and", ""),
    0x1B: ("div", ""),
    0x1C: ("minus", ""),
    0x1D: ("mod", ""),
    0x1E: ("mul", ""),
    0x1F: ("neg", ""),
    0x20: ("not", ""),
    0x21: ("or", ""),
    0x22: ("plus", ""),
    0x23: ("plus_uconst", "uleb"),
    0x24: ("shl", ""),
    0x25: ("shr", ""),
    0x26: ("shra", ""),
    0x27: ("xor", ""),
    0x28: ("bra", "s2"),
    0x29: ("eq", ""),
    0x2A: ("ge", ""),
    0x2B: ("gt", ""),
    0x2C: ("le", ""),
    0x2D: ("lt", ""),
    0x2E: ("ne", ""),
    0x2F: ("skip", "s2"),
    **{0x30 + n: (f"lit{n}", "") for n in range(32)},
    **{0x50 + n: (f"reg{n}", "") for n in range(32)},
    **{0x70 + n: (f"breg{n}", "sleb") for n in range(32)},
    0x90: ("regx", "uleb"),
    0x91: ("fbreg", "sleb"),
    0x92: ("bregx", "uleb sleb"),
    0x93: ("piece", "uleb"),
    0x94: ("deref_size", "u1"),
    0x95: ("xderef_size", "u1"),
    0x96: ("nop", ""),
    0x97: ("push_object_address", ""),
    0x98: ("call2", "u2"),
    0x99: ("call4", "u4"),
    0x9A: ("call_ref", "ref"),
    0x9B: ("form_tls_address", ""),
    0x9C: ("call_frame_cfa", ""),
    0x9D: ("bit_piece", "uleb uleb"),
    0x9E: ("implicit_value", "block"),
    0x9F: ("stack_value", ""),
    0xA0: ("implicit_pointer", "ref sleb"),
    0xA1: ("addrx", "uleb"),
    0xA2: ("constx", "uleb"),
    0xA3: ("entry_value", "block"),
    0xA4: ("const_type", "uleb block1"),
    0xA5: ("regval_type", "uleb uleb"),
    0xA6: ("deref_type", "u1 uleb"),
    0xA7: ("xderef_type", "u1 uleb"),
    0xA8: ("convert", "uleb"),
    0xA9: ("reinterpret", "uleb"),
}
LLVM: dict[int, tuple[str, str]] = {
    0x01: ("LLVM_nop", ""),
    0x02: ("LLVM_form_aspace_address", ""),
    0x03: ("LLVM_push_lane", ""),
    0x04: ("LLVM_offset", ""),
    0x05: ("LLVM_offset_uconst", "uleb"),
    0x06: ("LLVM_bit_offset", ""),
    0x07: ("LLVM_call_frame_entry_reg", "uleb"),
    0x08: ("LLVM_undefined", ""),
    0x09: ("LLVM_aspace_bregx", "uleb sleb"),
    0x0A: ("LLVM_piece_end", ""),
    0x0B: ("LLVM_extend", "uleb uleb"),
    0x0C: ("LLVM_select_bit_piece", "uleb uleb"),
    0x7C: ("LLVM_aspace_implicit_pointer", "ref sleb"),
    0x7D: ("LLVM_push_iteration", ""),
    0x7E: ("LLVM_overlay", ""),
    0x7F: ("LLVM_bit_overlay", ""),
}
USER = 0xE9
PROVISIONAL = (0x7C, 0x7D, 0x7E, 0x7F)
DIRECT = {
    0xE1: 0x02,
    0xE2: 0x03,
    0xE3: 0x04,
    0xE4: 0x05,
    0xE5: 0x06,
    0xE6: 0x07,
    0xE7: 0x08,
    0xE8: 0x09,
    0xEA: 0x0A,
    0xEB: 0x0B,
    0xEC: 0x0C,
}
"""Of older compilers: a byte that means a sub-opcode. They have none of the provisional ones."""
VENDOR = (0xE0, *range(0xF0, 0xFE))
BY_NAME: dict[str, tuple[bytes, tuple[str, ...]]] = {
    **{name: (bytes([code]), tuple(kinds.split())) for code, (name, kinds) in CODES.items()},
    **{name: (bytes([USER, sub]), tuple(kinds.split())) for sub, (name, kinds) in LLVM.items()},
}


def uleb(number: int) -> bytes:
    out = bytearray()
    while True:
        byte, number = number & 0x7F, number >> 7
        if number == 0:
            return bytes([*out, byte])
        out.append(byte | 0x80)


def sleb(number: int) -> bytes:
    out = bytearray()
    while True:
        byte, number = number & 0x7F, number >> 7
        if (number == 0 and not byte & 0x40) or (number == -1 and byte & 0x40):
            return bytes([*out, byte])
        out.append(byte | 0x80)


def reference_size(form: Form) -> int:
    """Bytes of a DW_FORM_ref_addr: the size of an address in DWARF 2."""
    return form.address_size if form.version == 2 else form.offset_size


def _fixed(kind: str, form: Form) -> tuple[int, bool] | None:
    """Bytes and signedness of an operand of fixed size."""
    if kind == "addr":
        return form.address_size, False
    if kind == "ref":
        return reference_size(form), False
    if kind[0] in "us" and kind[1:].isdigit():
        return int(kind[1:]), kind[0] == "s"
    return None


def encode(name: str, operands: tuple[Operand, ...], form: Form) -> bytes:
    """The bytes of one operation; numbers that do not fit keep their low bytes."""
    out, kinds = BY_NAME[name]
    if form.direct and out[0] == USER:
        out = bytes(code for code, sub in DIRECT.items() if sub == out[1]) or out
    for kind, operand in zip(kinds, operands, strict=True):
        fixed = _fixed(kind, form)
        if isinstance(operand, bytes):
            out += (uleb(len(operand)) if kind == "block" else bytes([len(operand)])) + operand
        elif fixed is not None:
            number = operand & (1 << 8 * fixed[0]) - 1
            out += number.to_bytes(fixed[0], form.endian)  # type: ignore[arg-type]
        else:
            out += uleb(operand) if kind == "uleb" else sleb(operand)
    return out


class Bytes:
    """Bytes read one after the other."""

    def __init__(self, data: bytes, form: Form) -> None:
        self.data, self.form, self.at = data, form, 0

    def take(self, count: int) -> bytes:
        if self.at + count > len(self.data):
            raise Undecodable
        self.at += count
        return self.data[self.at - count : self.at]

    def leb(self, signed: bool) -> int:
        number, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return number - (1 << shift) if signed and byte & 0x40 else number

    def operand(self, kind: str) -> Operand:
        fixed = _fixed(kind, self.form)
        if fixed is not None:
            data = self.take(fixed[0])
            return int.from_bytes(data, self.form.endian, signed=fixed[1])  # type: ignore[arg-type]
        if kind == "block":
            return self.take(self.leb(False))
        if kind == "block1":
            return self.take(self.take(1)[0])
        return self.leb(kind == "sleb")


def decode(data: bytes, form: Form) -> tuple[list[Op], bool]:
    """The operations, and whether all bytes were read: what cannot be read ends the decoding.

    An operation of another vendor is one too, named `vendor`: what it means is unknown here.
    """
    ops: list[Op] = []
    source = Bytes(data, form)
    while source.at < len(data):
        start = source.at
        try:
            code = source.take(1)[0]
            table, number = (LLVM, source.leb(False)) if code == USER else (CODES, code)
            if form.direct and code in DIRECT:
                table, number = LLVM, DIRECT[code]
            if form.direct and table is LLVM and number in PROVISIONAL:
                raise Undecodable
            if number in VENDOR and table is CODES:
                return [*ops, Op(start, len(data), "vendor", ())], True
            if number not in table:
                raise Undecodable
            name, kinds = table[number]
            operands = tuple(source.operand(kind) for kind in kinds.split())
        except Undecodable:
            return ops, False
        ops.append(Op(start, source.at, name, operands))
    return ops, True
