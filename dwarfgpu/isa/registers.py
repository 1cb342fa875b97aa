"""Registers as instructions name them, and the register classes of operands.

The encodings are those of AMD's ISA documents ("Scalar Operands", "SRC0"); the names of registers
and classes are LLVM's.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Register(NamedTuple):
    """Consecutive dwords of one bank, or a special register such as `vcc`."""

    bank: str
    """`s`, `v`, `a`, `ttmp`, or the name of a register that is not a member of a bank."""
    first: int
    """Index of the lowest dword."""
    size: int
    """Dwords."""
    half: str = ""
    """`l` or `h` for 16 bits of a VGPR."""

    @property
    def name(self) -> str:
        """The name in assembler text: `s4`, `v[2:3]`, `vcc_lo`, `v7.h`."""
        bank, first, size, half = self
        if bank in _BANKS:
            if size == 1:
                return f"{bank}{first}.{half}" if half else f"{bank}{first}"
            return f"{bank}[{first}:{first + size - 1}]"
        if bank in _PAIRS and size == 1:
            return f"{bank}_{'hi' if first else 'lo'}"
        return bank

    @property
    def is_constant(self) -> bool:
        """Provided by the hardware, and a member of every register class."""
        return self.bank == "null" or self.bank in _CONSTANT_NAMES

    def parts(self) -> tuple[Register, ...]:
        """Return each dword as a register."""
        if self.bank in _BANKS or self.bank in _PAIRS:
            return tuple(Register(self.bank, self.first + n, 1) for n in range(self.size))
        return (self,)


_BANKS: Final = frozenset({"s", "v", "a", "ttmp"})
_PAIRS: Final = frozenset({"vcc", "exec", "flat_scratch", "xnack_mask", "tba", "tma"})
_CONSTANT: Final = {
    235: "src_shared_base",
    236: "src_shared_limit",
    237: "src_private_base",
    238: "src_private_limit",
    239: "src_pops_exiting_wave_id",
    251: "src_vccz",
    252: "src_execz",
    253: "src_scc",
}
_CONSTANT_NAMES: Final = frozenset(_CONSTANT.values())
_PAIR_AT: Final = {
    102: "flat_scratch",
    104: "xnack_mask",
    106: "vcc",
    108: "tba",
    110: "tma",
    126: "exec",
}


def scalar_register(code: int, dwords: int, *, generation: int, sgprs: int) -> Register | None:
    """Return the register of a scalar operand encoding 0 to 127, or of one that the hardware
    provides.

    None if the encoding or the width denotes no register. A tuple starts at the multiple of 2 or 4
    dwords below, as the hardware ignores the low bits.
    """
    if code < sgprs:
        return _tuple("s", code, dwords if dwords in _SGPR_TUPLES else 1, 105)
    first_ttmp = 108 if generation >= 9 else 112
    if first_ttmp <= code < 124:
        return _tuple("ttmp", code - first_ttmp, dwords if dwords in _TTMP_TUPLES else 1, 15)
    dwords = min(dwords, 2)
    if code in (124, 125):
        if (code == 124) == (generation >= 11):
            return Register("null", 0, dwords)
        return Register("m0", 0, 1) if dwords == 1 else None
    if name := _PAIR_AT.get(code & ~1):
        if dwords == 1:
            return Register(name, code & 1, 1)
        return None if code & 1 else Register(name, 0, 2)
    if name := _CONSTANT.get(code):
        return Register(name, 0, dwords)
    if code == 254 and dwords == 1:
        return Register("src_lds_direct", 0, 1)
    return None


def _tuple(bank: str, code: int, dwords: int, last: int) -> Register | None:
    """Return dwords of a scalar bank that fit, from the multiple of 2 or 4 below."""
    first = code if dwords == 1 else code & ~1 if dwords == 2 else code & ~3
    return Register(bank, first, dwords) if first + dwords - 1 <= last else None


_TTMP_TUPLES: Final = frozenset({2, 4, 8, 9, 10, 11, 12, 16})
_SGPR_TUPLES: Final = _TTMP_TUPLES | {3}
"""Sizes in dwords; LLVM reads an operand of another size as one dword, and says so."""


class RegisterClass(NamedTuple):
    """What registers an operand takes."""

    vectors: int = 0
    """VGPRs below this number."""
    accumulators: bool = False
    scalars: bool = False
    without: frozenset[str] = frozenset()
    """Scalar registers that are not members, by name."""
    lds: bool = False
    """Takes `src_lds_direct`."""

    def has(self, register: Register) -> bool:
        bank = register.bank
        if bank == "v":
            return register.first < self.vectors
        if bank == "a":
            return self.accumulators
        if register.is_constant:
            return True
        if bank == "src_lds_direct":
            return self.lds
        return self.scalars and register.name not in self.without


_EXEC: Final = frozenset({"exec", "exec_lo", "exec_hi"})
_SCALAR_CLASSES: Final = {
    "": frozenset[str](),
    "_XEXEC": _EXEC,
    "_XM0_XEXEC": _EXEC | {"m0"},
    "_XM0": frozenset({"m0"}),
    "_XEXEC_HI": frozenset({"exec_hi"}),
}


def register_class(name: str) -> RegisterClass:
    """Return the class of that name in LLVM's `SIRegisterInfo.td`; `ValueError` for others."""
    if name in ("VRegOrLds_32", "SRegOrLds_32"):
        vectors = 256 if name[0] == "V" else 0
        return RegisterClass(vectors, scalars=not vectors, lds=True)
    kind, _, rest = name.partition("_")
    vectors = 128 if rest.endswith("_Lo128") else 256
    width, _, suffix = rest.partition("_")
    match kind:
        case "VGPR" | "VReg":
            return RegisterClass(vectors)
        case "AGPR" | "AReg":
            return RegisterClass(accumulators=True)
        case "AV":
            return RegisterClass(vectors, accumulators=True)
        case "VS":
            return RegisterClass(vectors, scalars=True, lds=width in ("16", "32"))
        case "SReg" | "SGPR":
            without = _SCALAR_CLASSES["_" + suffix if suffix else ""]
            return RegisterClass(scalars=True, without=without)
    raise ValueError(f"register class {name}")
