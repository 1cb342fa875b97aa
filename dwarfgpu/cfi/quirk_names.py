"""Names of the quirks, separate from the corrections because every command's options list them."""

from __future__ import annotations

from typing import Final

from dwarfgpu.expr.dialect.dialect import VGPR_HOLDS

CFA_NOT_SCALED: Final = "cfa-not-scaled"
LEGACY_AUGMENTATION: Final = "legacy-augmentation"
CFI_QUIRKS: Final = (CFA_NOT_SCALED, LEGACY_AUGMENTATION)
"""Those of call frame information."""
QUIRK_NAMES: Final = (*CFI_QUIRKS, *VGPR_HOLDS)
