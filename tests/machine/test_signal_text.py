"""What is said of the reason of a signal."""

from __future__ import annotations

import pytest

from dwarfgpu.machine.core.signals import SignalInfo


@pytest.mark.parametrize(
    ("signal", "text"),
    [
        (SignalInfo(11, 1, 0x10), "at address 0x10: nothing is mapped there (SEGV_MAPERR)"),
        (SignalInfo(7, 1, 0x11), "at address 0x11: it is not aligned (BUS_ADRALN)"),
        (SignalInfo(7, 1, 0), "for an access that is not aligned (BUS_ADRALN)"),
        (SignalInfo(11, 0x80), "of the kernel, without further details (SI_KERNEL)"),
        (SignalInfo(6, -6, sender=7), "sent by process 7 (SI_TKILL)"),
    ],
)
def test_text(signal: SignalInfo, text: str) -> None:
    """x86 has no address of an access that is not aligned: 0 is written."""
    assert signal.text == text
