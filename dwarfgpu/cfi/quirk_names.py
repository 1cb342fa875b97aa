"""Names of the quirks, separate from the corrections because every command's options list them."""

from __future__ import annotations

from typing import Final

CFA_NOT_SCALED: Final = "cfa-not-scaled"
LEGACY_AUGMENTATION: Final = "legacy-augmentation"
QUIRK_NAMES: Final = (CFA_NOT_SCALED, LEGACY_AUGMENTATION)
