"""Formats: what instructions of one encoding have in common, as a line `format` of the tables.

A format defines where its operands are, which bits make a word undefined, the number of bytes, and
the text. e32, e64, SDWA, DPP, VOPD and the rest are formats; this module names no operation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from dwarfgpu.isa.cache_policy import cache_policy_text
from dwarfgpu.isa.image_operands import ImageShape
from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.isa.modifiers import (
    ABSOLUTE,
    NEGATE,
    OP_SELECT,
    OP_SELECT_HIGH,
    PLAIN,
    SIGN_EXTEND,
    dpp_control_text,
    packed_text,
)
from dwarfgpu.isa.named_numbers import (
    buffer_format_text,
    dependency_counters_text,
    export_target_text,
    hardware_register_text,
    message_text,
    version_text,
    wait_counters_text,
)
from dwarfgpu.isa.operands import Constant, Literal, OperandKind
from dwarfgpu.isa.registers import Register

Part = Callable[[list[int], int], str]
"""Text of one operand from the fields of an instruction and its literal."""

_BAD: Final = 2
_HAS_LITERAL: Final = 1
_NAMED_BY_TARGET: Final[Mapping[str, Callable[[int, IsaTarget], str]]] = {
    "hwreg": hardware_register_text,
    "send_msg": message_text,
    "format": buffer_format_text,
    "exp_tgt": export_target_text,
    "dep_ctr": dependency_counters_text,
    "s_wait_cnt": wait_counters_text,
}


class Field:
    """Where the bits of one operand are."""

    def __init__(self, text: str) -> None:
        """Parse `8:4`, `0:8,55:1>9`, `12:2>1|1`, `extra0`: bit, count, bit of the operand."""
        bit_ranges, _, constant = text.partition("|")
        self.constant = int(constant or 0)
        self.byte = int(bit_ranges[5:]) if bit_ranges.startswith("extra") else -1
        """The byte after the instruction that it is in, or -1."""
        self.runs: list[tuple[int, int, int]] = []
        if self.byte < 0:
            for run in bit_ranges.split(",") if bit_ranges else ():
                bit, count, first = re.fullmatch(r"(\d+):(\d+)(?:>(\d+))?", run).groups()  # type: ignore[union-attr]
                self.runs.append((int(bit), (1 << int(count)) - 1, int(first or 0)))

    def of(self, word: int) -> int:
        """Return the operand of an instruction's bits."""
        value = self.constant
        for bit, mask, first in self.runs:
            value |= (word >> bit & mask) << first
        return value

    @property
    def mask(self) -> int:
        """All of its bits in the instruction."""
        return sum(mask << bit for bit, mask, _ in self.runs)


class Format:
    """One line `format` of the tables, for one target."""

    def __init__(self, line: str, kinds: Mapping[str, OperandKind], target: IsaTarget) -> None:
        """Parse the line without its first word."""
        size_and_stage, syntax, operands, flags = line.split("\t")
        size, stage = size_and_stage.split(".")
        self.target = target
        self.size = int(size)
        """Bytes without literal and extra address registers."""
        self.stage = int(stage)
        self.flags = frozenset(flags.split())
        self.names: list[str] = []
        self.kinds: list[OperandKind] = []
        self.fields: list[Field] = []
        for operand in operands.split() if operands != "-" else ():
            name, _, rest = operand.partition("=")
            kind, _, bit_ranges = rest.partition("@")
            self.names.append(name)
            self.kinds.append(kinds[kind])
            self.fields.append(Field(bit_ranges))
        self.index = {name: index for index, name in enumerate(self.names)}
        words = dict(flag.split("=", 1) for flag in self.flags if "=" in flag)
        self.modifiers = words.get("modifiers", "")
        self.image = ImageShape.parse(words["image"]) if "image" in words else None
        branches = [i for i, kind in enumerate(self.kinds) if kind.decoder == "branch"]
        self.branch = branches[0] if branches else None
        """The operand that is the offset of a branch."""
        extra = sum(1 for field in self.fields if field.byte >= 0)
        self.extra_bytes = (extra + 3) // 4 * 4
        """The size of the address registers that follow the instruction."""
        self.syntax = "" if syntax == "-" else syntax
        """The text after the mnemonic, with names of operands in braces."""
        self.is_about_m0 = syntax.endswith(" m0 ")
        """Whether M0 is the operand (barriers of GFX12)."""
        self.is_to_lds = syntax.endswith(" lds") or " lds " in syntax
        """Whether what a vector memory instruction loads goes to LDS."""
        second = re.search(r":: (\w+)", syntax)
        self.second_mnemonic = second[1] if second else ""
        """The mnemonic of the second operation of a VOPD."""
        self._parts: list[str | Part] | None = None
        self._checks: list[tuple[Field, OperandKind, dict[int, int]]] | None = None

    # Size and validity.

    def literal_state(self, word: int) -> int:
        """Return 0, 1 if a literal follows, 2 if a field is meaningless."""
        checks = self._checks
        if checks is None:
            checks = self._checks = [
                (field, kind, {})
                for field, kind in zip(self.fields, self.kinds, strict=True)
                if kind.is_checked() and field.byte < 0
            ]
        state = 0
        for field, kind, expected in checks:
            runs = field.runs
            if len(runs) == 1:
                bit, mask, first = runs[0]
                value = (word >> bit & mask) << first | field.constant
            else:
                value = field.of(word)
            kind_of_value = expected.get(value)
            if kind_of_value is None:
                kind_of_value = expected[value] = self._state_of(kind, value)
            if kind_of_value:
                if kind_of_value == _BAD:
                    return _BAD
                state = kind_of_value
        return state

    def _state_of(self, kind: OperandKind, value: int) -> int:
        decoded = kind.value(value)
        if decoded is None:
            return _BAD
        if isinstance(decoded, Literal) and kind.decoder != "src_k":
            return _HAS_LITERAL
        return 0

    def has_registers(self, extra: bytes) -> bool:
        """Return whether each address register that follows the instruction exists."""
        return all(
            kind.value(extra[field.byte]) is not None
            for field, kind in zip(self.fields, self.kinds, strict=True)
            if field.byte >= 0
        )

    # Text.

    def values(self, word: int, extra: bytes = b"") -> list[int]:
        """Return the fields of an instruction, in the order of `names`."""
        return [extra[field.byte] if field.byte >= 0 else field.of(word) for field in self.fields]

    def operand_text(self, word: int, literal: int, extra: bytes) -> str:
        """Return the text after the mnemonic; `extra` are the bytes of address registers that
        follow."""
        parts = self._parts
        if parts is None:
            parts = self._parts = self._compiled()
        values = self.values(word, extra)
        return "".join(
            [part if type(part) is str else part(values, literal) for part in parts]  # type: ignore[operator]
        )

    def _compiled(self) -> list[str | Part]:
        syntax = self.syntax
        if self.image is not None:
            syntax = re.sub(r"\[?\{vaddr0?\}(, \{vaddr\d+\})*\]?", "{vaddr*}", syntax)
        parts: list[str | Part] = []
        for between, name in re.findall(r"([^{]*)(?:\{([\w*]+)\})?", syntax):
            if between:
                parts.append(between)
            if name:
                part = self._part(name)
                if part:
                    parts.append(part)
        return parts

    def dpp_control_text(self, control: int) -> str:
        """Return how lanes move with a `dpp_ctrl`; a remark in `/* */` where the target has no
        such."""
        is_64_bit = any(
            kind.decoder == "vgpr" and kind.dwords == 2 and name.startswith(("vdst", "src"))
            for name, kind in zip(self.names, self.kinds, strict=True)
        )
        return dpp_control_text(control, self.target, is_64_bit)

    def _part(self, name: str) -> str | Part:
        if name == "VCC":
            return "vcc" if self.target.wave_size == 64 else "vcc_lo"
        if name in ("op_sel", "op_sel_hi", "neg_lo", "neg_hi"):
            return self._packed(name)
        if self.image is not None and name in ("vdata", "vdst", "vaddr*"):
            return self._image_part(name)
        index = self.index[name]
        kind = self.kinds[index]
        if kind.text.startswith("operand_and_"):
            return self._modified(name, index, kind.text)
        if kind.text.startswith("exp_src"):
            return self._exported(name, index)
        if kind.text == "-":
            return self._operand(index)
        return self._printed(index, kind)

    def _operand(self, index: int) -> Part:
        kind = self.kinds[index]
        if kind.decoder == "branch":
            return lambda values, literal: str(values[index] & 0xFFFF)
        if kind.decoder == "dual_dst":
            first = self.index["vdstX"]
            text = kind.field_text
            return lambda values, literal: text(values[index] | ~values[first] & 1, 0)
        if kind.decoder == "src_k":
            immediate_index = self.index["imm"]
            text = kind.field_text
            return lambda values, literal: text(values[index], values[immediate_index])
        if kind.decoder == "number":
            if kind.type in ("unknown", "pcrel"):
                return lambda values, literal: str(values[index])
            constant = kind.constant_text
            return lambda values, literal: constant(values[index])
        known_texts = kind.texts

        def text_of(values: list[int], literal: int) -> str:
            value = values[index]
            return known_texts.get(value) or kind.field_text(value, literal)

        return text_of

    def _printed(self, index: int, kind: OperandKind) -> Part:
        name, target = kind.text, self.target
        if name == "c_pol":
            scalar = "SMRD" in self.flags
            atomic = bool(self.flags & {"IsAtomicRet", "IsAtomicNoRet"})
            store = "mayStore" in self.flags
            return lambda values, literal: cache_policy_text(
                values[index], target, scalar=scalar, atomic=atomic, store=store
            )
        if name == "dpp_ctrl":
            return lambda values, literal: self.dpp_control_text(values[index])
        if name == "offset":
            return self._offset(index, 24 if self._is_signed_buffer() else 0)
        if name == "flat_offset":
            signed = bool(self.flags & {"FlatGlobal", "FlatScratch"}) or target.generation >= 12
            bits = {10: 12, 12: 24}.get(target.generation, 13)
            return self._offset(index, bits if signed else 0)
        if name == "r128_a16":
            word = " a16" if "r128_a16" in target.features else " r128"
            return lambda values, literal: word if values[index] else ""
        if name == "blgp" and "neg_blgp" in self.flags:
            return lambda values, literal: _negated(values[index])
        if name == "bit.gds" and "gfx90a" in target.features:
            return lambda values, literal: ""
        if name.startswith("bit."):
            word = " " + name[4:]
            return lambda values, literal: word if values[index] else ""
        if by_target := _NAMED_BY_TARGET.get(name):
            return lambda values, literal: by_target(values[index], target)
        if kind.decoder == "version":
            return lambda values, literal: version_text(values[index])
        if kind.decoder == "smem_offset":
            plain = PLAIN[name]
            return lambda values, literal: plain(int(kind.value(values[index])))  # type: ignore[arg-type]
        text = PLAIN[name]
        return lambda values, literal: text(values[index])

    def _is_signed_buffer(self) -> bool:
        return self.target.generation >= 12 and bool(self.flags & {"MUBUF", "MTBUF"})

    def _offset(self, index: int, signed_bits: int) -> Part:
        if signed_bits:
            mask, sign = (1 << signed_bits) - 1, 1 << signed_bits - 1
            return lambda values, literal: (
                f" offset:{(values[index] & mask ^ sign) - sign}" if values[index] else ""
            )
        return lambda values, literal: f" offset:{values[index] & 0xFFFF}" if values[index] else ""

    def _modified(self, name: str, index: int, printer: str) -> Part:
        source = self._operand(self.index[name.removesuffix("_modifiers")])
        kind = self.kinds[self.index[name.removesuffix("_modifiers")]]
        operand_index = self.index[name.removesuffix("_modifiers")]
        if printer == "operand_and_int_input_mods":

            def extended(values: list[int], literal: int) -> str:
                text = source(values, literal)
                return f"sext({text})" if values[index] & SIGN_EXTEND else text

            return extended

        def negated(values: list[int], literal: int) -> str:
            text = source(values, literal)
            modifiers = values[index]
            if not modifiers & (NEGATE | ABSOLUTE):
                return text
            if modifiers & ABSOLUTE:
                text = f"|{text}|"
            elif isinstance(kind.value(values[operand_index]), Constant | Literal):
                return f"neg({text})"
            return "-" + text if modifiers & NEGATE else text

        return negated

    def _packed(self, name: str) -> Part:
        bit = {"op_sel": OP_SELECT, "op_sel_hi": OP_SELECT_HIGH, "neg_lo": NEGATE}.get(
            name, ABSOLUTE
        )
        if name == "op_sel" and self.flags & {"cvt_f8", "permlane16"}:
            return self._pair(second="cvt_f8" in self.flags)
        missing = OP_SELECT_HIGH if name == "op_sel_hi" else 0
        default = 1 if name == "op_sel_hi" and "IsPacked" in self.flags else 0
        sources: list[int] = []
        for number, letter in enumerate(self.modifiers):
            if letter in "ms":
                prefix = "scale_" if letter == "s" else ""
                sources.append(self.index[f"{prefix}src{number}_modifiers"])
            else:
                sources.append(-1 if letter == "0" else -2)
        has_destination = name == "op_sel" and "VOP3_OPSEL" in self.flags and bool(sources)

        def text(values: list[int], literal: int) -> str:
            fields = [
                values[index] if index >= 0 else 0 if index == -1 else missing for index in sources
            ]
            return packed_text(name, bit, fields, default, fields[0] if has_destination else -1)

        return text

    def _pair(self, second: bool) -> Part:
        """Return op_sel of instructions that have other meanings for its bits."""
        first = self.index["src0_modifiers"]
        second_source = first if second else self.index["src1_modifiers"]
        bit = OP_SELECT_HIGH if second else OP_SELECT

        def text(values: list[int], literal: int) -> str:
            low, high = bool(values[first] & OP_SELECT), bool(values[second_source] & bit)
            return f" op_sel:[{low:d},{high:d}]" if low or high else ""

        return text

    def _exported(self, name: str, index: int) -> Part:
        number = int(name[3:])
        enabled = self.index["en"]
        compressed = self.index.get("compr")
        shared = self.index[f"src{number // 2}"]
        kind = self.kinds[index]

        def text(values: list[int], literal: int) -> str:
            if not values[enabled] >> number & 1:
                return "off"
            is_compressed = compressed is not None and values[compressed]
            return kind.field_text(values[shared if is_compressed else index], 0)

        return text

    def _image_part(self, name: str) -> Part:
        shape = self.image
        assert shape is not None
        addresses = [self.index[name] for name in self.names if name.startswith("vaddr")]
        data = self.index["vdata"]

        def registers(values: list[int]) -> tuple[Register, list[Register]]:
            return self.image_registers(values, data, addresses)

        if name != "vaddr*":
            return lambda values, literal: registers(values)[0].name

        def address_text(values: list[int], literal: int) -> str:
            names = [register.name for register in registers(values)[1]]
            return names[0] if len(names) == 1 else f"[{', '.join(names)}]"

        return address_text

    def image_registers(
        self, values: Sequence[int], data: int, addresses: Sequence[int]
    ) -> tuple[Register, list[Register]]:
        """Return the data and the address registers of an image instruction."""
        shape = self.image
        assert shape is not None
        plain_data = self.kinds[data].value(values[data])
        plain = [self.kinds[index].value(values[index]) for index in addresses]
        assert isinstance(plain_data, Register)
        first = [item for item in plain if isinstance(item, Register)]
        fields = {name: values[index] for name, index in self.index.items()}
        data_size, size, is_partial = shape.sizes(
            fields,
            self.target,
            gather="Gather4" in self.flags,
            sample="VSAMPLE" in self.flags,
        )
        if plain_data.first + data_size > 256:
            return plain_data, first
        is_vector = "nsa" in self.target.features
        if is_vector and (is_partial or not shape.is_non_sequential):
            if size != shape.address_dwords:
                last = first[-1]
                last_size = size - len(first) + 1
                if last.first + last_size > 256:
                    return plain_data, first
                first = [*first[:-1], last._replace(size=last_size)]
        elif shape.is_non_sequential:
            first = first[:size]
        return plain_data._replace(size=data_size), first


def _negated(field: int) -> str:
    """Return blgp of a double precision matrix instruction of gfx940: negation of its sources."""
    if not field:
        return ""
    return f" neg:[{field & 1},{field >> 1 & 1},{field >> 2 & 1}]"
