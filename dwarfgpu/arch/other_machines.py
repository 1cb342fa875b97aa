"""Machines whose registers are not known here: how static relocations of their object files are
applied (the ELF psABI of each machine, "Relocation").

Law: relocations that compilers write into debug sections and unwind tables are here; those of
instructions are not, and are reported as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwarfgpu.arch.abi import Abi, Relocation, relocations

_POWER_DTV_OFFSET: Final = 0x8000
"""Also of MIPS: the pointers of its thread vector are so far behind the begin of a block."""


def _power(prefix: str) -> dict[int, Relocation]:
    return relocations(
        prefix,
        (
            (0, "NONE", "none", 0), (1, "ADDR32", "absolute", 4), (3, "ADDR16", "absolute", 2),
            (24, "UADDR32", "absolute", 4), (25, "UADDR16", "absolute", 2),
            (26, "REL32", "relative", 4), (249, "REL16", "relative", 2),
        ),
    )  # fmt: skip


_SPARC: Final = Abi(
    relocations=relocations(
        "SPARC",
        (
            (0, "NONE", "none", 0), (1, "8", "absolute", 1), (2, "16", "absolute", 2),
            (3, "32", "absolute", 4), (4, "DISP8", "relative", 1), (5, "DISP16", "relative", 2),
            (6, "DISP32", "relative", 4), (23, "UA32", "absolute", 4), (32, "64", "absolute", 8),
            (46, "DISP64", "relative", 8), (54, "UA64", "absolute", 8), (55, "UA16", "absolute", 2),
            (76, "TLS_DTPOFF32", "tls_offset", 4), (77, "TLS_DTPOFF64", "tls_offset", 8),
        ),
    )
)  # fmt: skip

OTHER_MACHINES: Final[Mapping[int, Abi]] = {
    2: _SPARC,
    18: _SPARC,  # EM_SPARC32PLUS
    43: _SPARC,  # EM_SPARCV9
    8: Abi(
        relocations=relocations(
            "MIPS",
            (
                (0, "NONE", "none", 0), (2, "32", "absolute", 4), (18, "64", "absolute", 8),
                (39, "TLS_DTPREL32", "tls_offset", 4), (41, "TLS_DTPREL64", "tls_offset", 8),
                (248, "PC32", "relative", 4),
            ),
        ),
        dtv_offset=_POWER_DTV_OFFSET,
        has_three_relocation_types=True,
    ),
    20: Abi(
        relocations=_power("PPC") | relocations("PPC", ((78, "DTPREL32", "tls_offset", 4),)),
        dtv_offset=_POWER_DTV_OFFSET,
    ),
    21: Abi(
        relocations=_power("PPC64")
        | relocations(
            "PPC64",
            (
                (38, "ADDR64", "absolute", 8), (43, "UADDR64", "absolute", 8),
                (44, "REL64", "relative", 8), (78, "DTPREL64", "tls_offset", 8),
            ),
        ),
        dtv_offset=_POWER_DTV_OFFSET,
    ),
    22: Abi(
        relocations=relocations(
            "390",
            (
                (0, "NONE", "none", 0), (1, "8", "absolute", 1), (3, "16", "absolute", 2),
                (4, "32", "absolute", 4), (5, "PC32", "relative", 4), (16, "PC16", "relative", 2),
                (22, "64", "absolute", 8), (23, "PC64", "relative", 8),
                (52, "TLS_LDO32", "tls_offset", 4), (53, "TLS_LDO64", "tls_offset", 8),
            ),
        ),
    ),
    40: Abi(
        relocations=relocations(
            "ARM",
            (
                (0, "NONE", "none", 0), (2, "ABS32", "absolute", 4), (3, "REL32", "relative", 4),
                (5, "ABS16", "absolute", 2), (8, "ABS8", "absolute", 1),
                (106, "TLS_LDO32", "tls_offset", 4),
            ),
        ),
    ),
    243: Abi(
        relocations=relocations(
            "RISCV",
            (
                (0, "NONE", "none", 0), (1, "32", "absolute", 4), (2, "64", "absolute", 8),
                (8, "TLS_DTPREL32", "tls_offset", 4), (9, "TLS_DTPREL64", "tls_offset", 8),
                (33, "ADD8", "add", 1), (34, "ADD16", "add", 2), (35, "ADD32", "add", 4),
                (36, "ADD64", "add", 8), (37, "SUB8", "subtract", 1), (38, "SUB16", "subtract", 2),
                (39, "SUB32", "subtract", 4), (40, "SUB64", "subtract", 8),
                (51, "RELAX", "none", 0), (52, "SUB6", "subtract_6_bits", 1),
                (53, "SET6", "set_6_bits", 1), (54, "SET8", "absolute", 1),
                (55, "SET16", "absolute", 2), (56, "SET32", "absolute", 4),
                (57, "32_PCREL", "relative", 4), (60, "SET_ULEB128", "set_uleb", 1),
                (61, "SUB_ULEB128", "subtract_uleb", 1),
            ),
        ),
        dtv_offset=0x800,
    ),
    258: Abi(
        relocations=relocations(
            "LARCH",
            (
                (0, "NONE", "none", 0), (1, "32", "absolute", 4), (2, "64", "absolute", 8),
                (8, "TLS_DTPREL32", "tls_offset", 4), (9, "TLS_DTPREL64", "tls_offset", 8),
                (47, "ADD8", "add", 1), (48, "ADD16", "add", 2), (49, "ADD24", "add", 3),
                (50, "ADD32", "add", 4), (51, "ADD64", "add", 8), (52, "SUB8", "subtract", 1),
                (53, "SUB16", "subtract", 2), (54, "SUB24", "subtract", 3),
                (55, "SUB32", "subtract", 4), (56, "SUB64", "subtract", 8),
                (99, "32_PCREL", "relative", 4), (100, "RELAX", "none", 0),
                (105, "ADD6", "add_6_bits", 1), (106, "SUB6", "subtract_6_bits", 1),
                (107, "ADD_ULEB128", "add_uleb", 1), (108, "SUB_ULEB128", "subtract_uleb", 1),
                (109, "64_PCREL", "relative", 8),
            ),
        ),
    ),
}  # fmt: skip
"""By `e_machine` of ELF headers."""
