"""Names of the quirks, apart from what corrects them: every command's options have them."""

from __future__ import annotations

from typing import Final

CFA_NOT_SCALED: Final = "cfa-not-scaled"
LEGACY_AUGMENTATION: Final = "legacy-augmentation"
QUIRK_NAMES: Final = (CFA_NOT_SCALED, LEGACY_AUGMENTATION)
