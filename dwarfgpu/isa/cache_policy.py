"""Cache policy bits of memory instructions as text: glc/slc/dlc, sc0/nt/sc1, temporal hints."""

from __future__ import annotations

from typing import Final

from dwarfgpu.isa.isa_target import IsaTarget

_GLC: Final = 1
_SLC: Final = 2
_DLC: Final = 4
_SCC: Final = 16
_SCOPES: Final = ("", " scope:SCOPE_SE", " scope:SCOPE_DEV", " scope:SCOPE_SYS")
_HINTS: Final = ("", "NT", "HT", "", "NT_RT", "RT_NT", "NT_HT", "NT_WB")
_SYSTEM_SCOPE: Final = 3


def cache_policy_text(
    field: int, target: IsaTarget, *, scalar: bool, atomic: bool, store: bool
) -> str:
    """Return the policy of one instruction; empty for the default."""
    if target.generation >= 12:
        return _hint(field & 7, field >> 3 & 3, atomic, store) + _SCOPES[field >> 3 & 3]
    is_940 = "gfx940" in target.features
    text = ""
    if field & _GLC:
        text += " sc0" if is_940 and not scalar else " glc"
    if field & _SLC:
        text += " nt" if is_940 else " slc"
    if field & _DLC and target.generation >= 10:
        text += " dlc"
    if field & _SCC and "gfx90a" in target.features:
        text += " sc1" if is_940 else " scc"
    if field & ~(_GLC | _SLC | _DLC | _SCC):
        text += " /* unexpected cache policy bit */"
    return text


def _hint(hint: int, scope: int, atomic: bool, store: bool) -> str:
    """Return the temporal hint of gfx12."""
    if hint == 0:
        return ""
    if atomic:
        name = hex(hint)
        if hint & 4:
            if scope >= 2:
                name = "CASCADE" + ("_NT" if hint & 2 else "_RT")
        elif hint & 2:
            name = "NT_RETURN" if hint & 1 else "NT"
        elif hint & 1:
            name = "RETURN"
        return f" th:TH_ATOMIC_{name}"
    if hint == 7 and not store:
        return " th:0x7"
    if hint == 3:
        name = "BYPASS" if scope == _SYSTEM_SCOPE else "RT_WB" if store else "LU"
    else:
        name = _HINTS[hint]
    return f" th:TH_{'STORE' if store else 'LOAD'}_{name}"
