"""Tables of objects of D that refer to themselves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from dwarfgpu.errors import LimitExceeded
from dwarfgpu.language.d import type_infos
from dwarfgpu.language.object_access import ObjectAccess


def test_interfaces_that_name_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every word is the address of the table, so that it is its own base class and interface."""
    monkeypatch.setattr(
        type_infos,
        "read_memory",
        lambda _objects, _address, _lane, size: 0x1000.to_bytes(8, "little") * (size // 8),
    )
    objects = cast("ObjectAccess", SimpleNamespace(architecture=SimpleNamespace(endian="little")))
    infos = type_infos.TypeInfos(objects, 8)
    with pytest.raises(LimitExceeded, match="more than 100 interfaces of D"):
        list(infos.offsets(0x1000, type_infos.Name("m.I", is_certain=True)))
