"""TableGen records of LLVM's AMDGPU target, as `llvm-tblgen --dump-json` writes them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

Record = dict[str, Any]

AS_KNOWN = {"gfx950": "gfx942", "gfx9-4-generic": "gfx942", "gfx1153": "gfx1152"}
"""Targets that LLVM 19 does not know, and the one whose encodings they have at least."""

STAGES: dict[int, tuple[str, ...]] = {
    12: ("GFX11", "GFX11_FAKE16", "GFX12", "GFX12_FAKE16", "GFX12W64"),
    8: (
        *("GFX10_B", "GFX80_UNPACKED", "GFX9_DL", "GFX940", "GFX90A", "GFX8", "GFX9", "GFX10"),
        *("GFX12", "GFX12_FAKE16", "GFX11", "GFX11_FAKE16", "GFX11W64", "GFX12W64"),
    ),
    4: (
        *("GFX8", "AMDGPU", "GFX9", "GFX90A", "GFX10_B", "GFX10"),
        *("GFX11", "GFX11_FAKE16", "GFX12", "GFX12_FAKE16"),
    ),
}
"""Order in which the decoder namespaces are tried, by size in bytes, the longest first."""

NAMESPACE_FEATURE = {
    "GFX10_B": "FeatureGFX10_BEncoding",
    "GFX80_UNPACKED": "FeatureUnpackedD16VMem",
    "GFX9_DL": "FeatureFmaMixInsts",
    "GFX940": "FeatureGFX940Insts",
    "GFX90A": "FeatureGFX90AInsts",
    "GFX8": "FeatureGCN3Encoding",
    "GFX9": "FeatureGFX9",
    "GFX10": "FeatureGFX10",
    "GFX11": "FeatureGFX11",
    "GFX11_FAKE16": "FeatureGFX11",
    "GFX11W64": "FeatureGFX11",
    "GFX12": "FeatureGFX12",
    "GFX12_FAKE16": "FeatureGFX12",
    "GFX12W64": "FeatureGFX12",
}
TS_FLAGS = {
    "SOP1": 2,
    "SOP2": 3,
    "SOPC": 4,
    "SOPK": 5,
    "SOPP": 6,
    "VOP1": 7,
    "VOP2": 8,
    "VOPC": 9,
    "VOP3": 10,
    "VOP3P": 12,
    "VINTRP": 13,
    "SDWA": 14,
    "DPP": 15,
    "MUBUF": 17,
    "MTBUF": 18,
    "SMRD": 19,
    "MIMG": 20,
    "VIMAGE": 21,
    "VSAMPLE": 22,
    "EXP": 23,
    "FLAT": 24,
    "DS": 25,
    "LDSDIR": 28,
    "VINTERP": 29,
    "Gather4": 37,
    "VOP3_OPSEL": 42,
    "IsPacked": 49,
    "FlatGlobal": 51,
    "FlatScratch": 56,
    "IsAtomicNoRet": 57,
    "IsAtomicRet": 58,
    "IsWMMA": 59,
    "IsSWMMAC": 63,
}
"""Bits of the field TSFlags (SIInstrFormats.td)."""


def is_flagged(record: Record, flag: str) -> bool:
    """Whether the instruction has a flag of `TS_FLAGS`, or a field of that name."""
    bit = TS_FLAGS.get(flag)
    if bit is None or not isinstance(record["TSFlags"], list):
        return bool(record.get(flag))
    return record["TSFlags"][bit] == 1


class Records:
    """The records of one dump."""

    def __init__(self, records: dict[str, Any]) -> None:
        self.records = records
        self.features = {
            name: [item["def"] for item in records[name]["Implies"]]
            for name in records["!instanceof"]["SubtargetFeature"]
        }
        self.processors = {
            records[name]["Name"]: self.implied(item["def"] for item in records[name]["Features"])
            for name in records["!instanceof"]["Processor"]
        }
        for name, known in AS_KNOWN.items():
            self.processors.setdefault(name, self.processors[known])
        self.image_sizes: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
        self.data_registers: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
        for name in records["!instanceof"]["Instruction"]:
            record = records[name]
            if not record.get("isPseudo") and "MIMGEncoding" in record:
                key = record["BaseOpcode"]["def"], record["MIMGEncoding"]["def"]
                size = number(record["VDataDwords"])
                self.image_sizes[key].add((size, number(record["VAddrDwords"])))
                if kind := operands_of(record).get("vdata"):
                    line = operand_kind(kind, records[kind])
                    self.data_registers[key].setdefault(size, int(line.split()[1]))

    def implied(self, names: Iterable[str]) -> frozenset[str]:
        """The features and all that they imply."""
        out: set[str] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in out:
                out.add(name)
                todo += self.features[name]
        return frozenset(out)

    def instructions(self) -> Iterator[tuple[str, Record]]:
        """What LLVM's disassembler has tables for."""
        for name in self.records["!instanceof"]["Instruction"]:
            record = self.records[name]
            is_other = record["isPseudo"] or record["isAsmParserOnly"] or record["isCodeGenOnly"]
            if not is_other and record["DecoderNamespace"] in STAGES.get(record["Size"], ()):
                yield name, record

    def operand_kinds(self) -> tuple[dict[str, str], dict[str, str]]:
        """The operand class that represents all equal ones, and the line of each of those."""
        names = {kind for _, record in self.instructions() for kind in operands_of(record).values()}
        same: dict[str, str] = {}
        first: dict[str, str] = {}
        for name in sorted(names, key=lambda name: (name.startswith("anonymous"), len(name), name)):
            line = operand_kind(name, self.records[name])
            same[name] = first.setdefault(line, name)
        return same, {name: line for line, name in first.items()}

    def holds(self, record: Record, features: frozenset[str]) -> bool:
        """Whether every predicate of the record is met."""
        needed = NAMESPACE_FEATURE.get(record["DecoderNamespace"])
        if needed and needed not in features:
            return False
        return all(
            condition(self.records[item["def"]].get("AssemblerCondDag"), features)
            for item in record["Predicates"]
        )


def condition(dag: Any, features: frozenset[str]) -> bool:
    """An AssemblerCondDag: all_of, any_of, not, or one feature."""
    if not dag:
        return True
    if dag["kind"] == "def":
        return dag["def"] in features
    parts = [condition(item, features) for item, _ in dag["args"]]
    operator = dag["operator"]["def"]
    if operator == "not":
        return not parts[0]
    return all(parts) if operator == "all_of" else any(parts)


def number(bits: Any) -> int:
    """A field of bits, the lowest first, as a number."""
    if isinstance(bits, int):
        return bits
    return sum(bit << index for index, bit in enumerate(bits))


def register_class_kind(name: str) -> tuple[str, int]:
    """How operands of a register class are decoded, and how many dwords they have."""
    bits = int(re.findall(r"_(\d+)", name)[0]) if re.search(r"_\d", name) else 32
    if name.startswith("VGPR_16"):
        return ("half_lo" if "Lo128" in name else "half"), 1
    if name == "VGPR_32_Lo128":
        return "vgpr_lo", 1
    if name.startswith(("VGPR_", "VReg_")):
        return "vgpr", bits // 32
    if name.startswith(("AGPR_", "AReg_")):
        return "agpr", bits // 32
    if name.startswith(("SReg_", "SGPR_")):
        return "src", bits // 32
    raise ValueError(f"register class {name}")


DECODERS = {
    "decodeSrcRegOrImm9": "src",
    "decodeSrcRegOrImmA9": "src_acc",
    "decodeSrcRegOrImmDeferred9": "src_k",
    "decodeSrcReg9": "src",
    "decodeSrcA9": "src_acc",
    "decodeSrcAV10": "src",
    "decodeAV10": "vector",
    "decodeAVLdSt": "data",
}
FIXED_DECODERS = {
    "decodeOperand_VSrc_f64": ("src", 2, "f64"),
    "decodeBoolReg": ("mask", 0, "-"),
    "decodeSplitBarrier": ("src", 1, "-"),
    "decodeSDWASrc32": ("sdwa_src", 1, "f32"),
    "decodeSDWASrc16": ("sdwa_src", 1, "f16"),
    "decodeSDWAVopcDst": ("sdwa_mask", 0, "-"),
    "decodeOperand_VSrcT16": ("src_half", 1, "f16"),
    "decodeOperand_VSrcT16_Lo128": ("src_half_lo", 1, "f16"),
    "DecodeVGPR_16RegisterClass": ("half", 1, "-"),
    "DecodeVGPR_16_Lo128RegisterClass": ("half_lo", 1, "-"),
    "DecodeVGPR_32RegisterClass": ("vgpr", 1, "-"),
    "decodeOperandVOPDDstY": ("dual_dst", 1, "-"),
    "decodeOperand_KImmFP": ("k", 1, "-"),
    "decodeDpp8FI": ("dpp8_fi", 0, "-"),
    "decodeSOPPBrTarget": ("branch", 0, "-"),
    "decodeSMEMOffset": ("smem_offset", 0, "-"),
    "decodeVersionImm": ("version", 0, "-"),
}
SEMANTICS = {
    ("16", "0"): "f16",
    ("16", "1"): "f16",
    ("16", "2"): "bf16",
    ("32", "0"): "f32",
    ("32", "3"): "f32",
    ("64", "0"): "f64",
    ("64", "4"): "f64",
}


def operand_kind(name: str, record: Record) -> str:
    """One line of the table of kinds: decoder, dwords, inline constants, type, class, text."""
    is_class = "RegisterClass" in record["!superclasses"]
    register_class = name if is_class else (record.get("RegClass") or {}).get("def", "-")
    decoder = record.get("DecoderMethod") or ""
    inline = "-"
    if match := re.fullmatch(r"(\w+)<AMDGPUDisassembler::OPW(\d+)(?:, (\d+), (\d+))?>", decoder):
        method, dwords = DECODERS[match[1]], max(int(match[2]) // 32, 1)
        if match[3]:
            inline = SEMANTICS[match[3], match[4]]
    elif decoder:
        method, dwords, inline = FIXED_DECODERS[decoder]
    elif register_class != "-":
        method, dwords = register_class_kind(register_class)
    else:
        method, dwords = "number", 0
    kind = (record.get("OperandType") or "").removeprefix("OPERAND_")
    kind = re.sub(r"REG_(IMM|INLINE_A?C)_|_DEFERRED|INLINE_SPLIT_BARRIER_", "", kind).lower()
    kind = {"": "-", "register": "-", "sdwa_vopc_dst": "-", "immediate": "int32"}.get(kind, kind)
    printer = record.get("PrintMethod") or "-"
    if match := re.search(r'printNamedBit\(MI, OpNo, O, "(\w+)"\)', printer):
        printer = f"bit.{match[1]}"
    printer = re.sub(r"^print", "", printer)
    printer = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", printer).lower()
    if printer in ("operand", "vopdst", "vop_dst", "vintrpdst", "vintrp_dst", "regular_operand"):
        printer = "-"
    return f"{method} {dwords} {inline} {kind} {register_class} {printer}"


def operands_of(record: Record) -> dict[str, str]:
    """Every operand by its name, the results first, with its operand class."""
    out: dict[str, str] = {}
    for side in ("OutOperandList", "InOperandList"):
        for item, name in record[side]["args"]:
            if name and name not in out:
                out[name] = item["def"]
    return out
