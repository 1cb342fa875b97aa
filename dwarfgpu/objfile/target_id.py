"""Target identifiers: a processor and the settings of its features (AMDGPU usage, "Target
Features", "Code Object Target Identification", "ELF Header").

Law: `e_flags` is read by the ABI version that the file claims: the same bits mean different things.
"""

from __future__ import annotations

from typing import Final, Literal

from dwarfgpu.arch.processors import PROCESSORS, Processor, by_mach
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Malformed, UsageError, shortened
from dwarfgpu.objfile.elf import ObjectFile

Setting = Literal["unsupported", "any", "off", "on"]
"""What code needs of a feature; `any` runs with the feature on and off."""

ELFOSABI_AMDGPU_HSA: Final = 64
_SETTINGS_V4: Final[tuple[Setting, ...]] = ("unsupported", "any", "off", "on")
_SIGNS: Final[dict[str, Setting]] = {"+": "on", "-": "off"}
_LONGEST_TARGET_ID: Final = 1_000
"""Characters."""
_TARGET_ID: Final = pattern(
    r"(?P<processor>gfx[0-9a-z-]*[0-9a-z])(?P<features>(?::\w+(?:-\w+)*[+-])*)"
)
FIRST_GCN_MACH: Final = 0x20
_V2_XNACK: Final = 0x1
_V3_XNACK: Final = 0x100
_V3_SRAMECC: Final = 0x200

OS_ABIS: Final = {0: "none", 64: "hsa", 65: "pal", 66: "mesa3d"}


@frozen
class TargetId:
    """A processor and its features, as in `gfx90a:sramecc+:xnack-`."""

    processor: str
    xnack: Setting = "any"
    sramecc: Setting = "any"
    generic_version: int | None = None
    """The version of a generic processor, which decides which loaders take it."""

    def __str__(self) -> str:
        signs = {"on": "+", "off": "-"}
        named = (("sramecc", self.sramecc), ("xnack", self.xnack))
        return self.processor + "".join(
            f":{name}{signs[setting]}" for name, setting in named if setting in signs
        )

    def accepts(self, target_id: TargetId) -> bool:
        """Return whether code for this target runs where `wanted` says how things are."""
        if self.processor != target_id.processor:
            return False
        pairs = ((self.xnack, target_id.xnack), (self.sramecc, target_id.sramecc))
        return all(wanted == code or not {wanted, code} <= {"on", "off"} for wanted, code in pairs)


def parse_target_id(text: str) -> TargetId:
    """Parse `gfx942` or `gfx90a:xnack+`; `UsageError` for any other text."""
    match = None if len(text) > _LONGEST_TARGET_ID else _TARGET_ID.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{shortened(text)} is not a target: expected one like gfx942 or gfx90a:xnack+"
        )
    settings: dict[str, Setting] = {"xnack": "any", "sramecc": "any"}
    for feature in match["features"].split(":")[1:]:
        name = feature[:-1].replace("sram-ecc", "sramecc")
        if name not in settings:
            raise UsageError(f"{text} names the unknown feature {name}; known: sramecc, xnack")
        settings[name] = _SIGNS[feature[-1]]
    return TargetId(match["processor"], settings["xnack"], settings["sramecc"])


def named_target(name: bytes) -> TargetId:
    """Return the target in a name like `amdgcn-amd-amdhsa--gfx902+xnack`, as V2 and V3 wrote it."""
    text = name.split(b"\0", 1)[0].decode("utf-8", "replace")
    start = text.find("gfx")
    if start < 0 or len(text) > _LONGEST_TARGET_ID:
        raise Malformed(f"the note of the target names no processor: {shortened(text)!r}")
    processor, *features = text[start:].replace(":", "+").split("+")
    signed = [
        feature if feature.endswith("-") else f"{feature}+" for feature in features if feature
    ]
    try:
        return parse_target_id(":".join([processor, *signed]))
    except UsageError as error:
        raise Malformed(f"the note of the target: {error.message}") from None


def code_object_version(file: ObjectFile) -> int | None:
    """Return 2 to 6, by the ABI version; None for an operating system that does not number versions
    in this way."""
    if file.machine != "AMDGPU" or file.os_abi != ELFOSABI_AMDGPU_HSA:
        return None
    return file.abi_version + 2


def target_of_flags(file: ObjectFile) -> TargetId:
    """Return the target that `e_flags` names; `Unsupported` for an unknown processor.

    Files of V2 may leave the processor to a note: `mach` 0 to 3 is then no processor.
    """
    version = code_object_version(file)
    processor = by_mach(file.flags & 0xFF)
    if version is not None and version >= 4:
        xnack = _SETTINGS_V4[file.flags >> 8 & 3]
        sramecc = _SETTINGS_V4[file.flags >> 10 & 3]
    else:
        xnack = _by_bit(processor.supports_xnack, file.flags & _V3_XNACK)
        sramecc = _by_bit(processor.supports_sramecc, file.flags & _V3_SRAMECC)
    generic = file.flags >> 24 if version is not None and version >= 6 else 0
    return TargetId(processor.name, xnack, sramecc, generic or None)


def has_mach(file: ObjectFile) -> bool:
    """Return whether `e_flags` names a processor; early files of V2 have two flags in its place."""
    return file.flags & 0xFF >= FIRST_GCN_MACH


def target_of_isa(major: int, minor: int, stepping: int, flags: int = 0) -> TargetId:
    """Return the target that the numbers in a note of V2 denote; `Unsupported` for an unknown
    one."""
    name, xnack = _V2_ISAS.get((major, minor, stepping), (None, None))
    if name is None:
        name = f"gfx{major}{minor:x}{stepping:x}"
    processor = PROCESSORS.get(name)
    supported = processor is not None and processor.supports_xnack
    if xnack is None:
        xnack = _by_bit(supported, flags & (_V2_XNACK | _V3_XNACK))
    return TargetId(name, xnack, "unsupported")


def _by_bit(supported: bool, bit: int) -> Setting:
    if bit:
        return "on"
    return "off" if supported else "unsupported"


_V2_ISAS: Final[dict[tuple[int, int, int], tuple[str | None, Setting | None]]] = {
    (8, 0, 0): ("gfx802", None),
    (8, 0, 1): ("gfx801", "on"),
    (8, 0, 4): ("gfx803", None),
    (9, 0, 0): ("gfx900", "off"),
    (9, 0, 1): ("gfx900", "on"),
    (9, 0, 2): ("gfx902", "off"),
    (9, 0, 3): ("gfx902", "on"),
    (9, 0, 4): ("gfx904", "off"),
    (9, 0, 5): ("gfx904", "on"),
    (9, 0, 6): ("gfx906", "off"),
    (9, 0, 7): ("gfx906", "on"),
}
"""ISA numbers of V2 that are not a processor's name; odd steppings of GFX9 stood for XNACK."""


def processor_of(target: TargetId) -> Processor | None:
    """Return the processor; None if it is unknown."""
    return PROCESSORS.get(target.processor)
