"""MessagePack: every kind of value, and what is refused."""

from __future__ import annotations

import contextlib
import math
import random
import struct

import pytest

from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported
from dwarfgpu.objfile.metadata_value import Metadata, ValueBudget
from dwarfgpu.objfile.msgpack import unpack


@pytest.mark.parametrize(
    ("data", "value"),
    [
        ("00", 0),
        ("7f", 127),
        ("e0", -32),
        ("ff", -1),
        ("c0", None),
        ("c2", False),
        ("c3", True),
        ("ccff", 255),
        ("cd0100", 256),
        ("ce00010000", 65536),
        ("cfffffffffffffffff", 2**64 - 1),
        ("d080", -128),
        ("d18000", -32768),
        ("d2ffffffff", -1),
        ("d38000000000000000", -(2**63)),
        ("ca3fc00000", 1.5),
        ("cb4004000000000000", 2.5),
        ("a0", ""),
        ("a3616263", "abc"),
        ("d901c3", Malformed),  # half a character
        ("d902c3a9", "é"),
        ("da0001" + "78", "x"),
        ("db00000001" + "78", "x"),
        ("c40200ff", b"\0\xff"),
        ("c5000101", b"\x01"),
        ("c60000000101", b"\x01"),
        ("90", []),
        ("93010203", [1, 2, 3]),
        ("dc000101", [1]),
        ("dd0000000101", [1]),
        ("80", {}),
        ("81a16101", {"a": 1}),
        ("de0001a16101", {"a": 1}),
        ("df00000001a16190", {"a": []}),
        ("", Malformed),
        ("0000", Malformed),  # something follows
        ("c1", Malformed),
        ("92", Malformed),
        ("dd7fffffff01", Malformed),
        ("df7fffffff01", Malformed),
        ("81", Malformed),
        ("810101", Malformed),  # a key that is not a string
        ("82a16101a16102", Malformed),  # twice
        ("a3", Malformed),
        ("d4", Unsupported),
        ("91" * 40 + "00", LimitExceeded),
    ],
)
def test_values(data: str, value: Metadata | type[DwarfGpuError]) -> None:
    if isinstance(value, type):
        with pytest.raises(value):
            unpack(bytes.fromhex(data))
    else:
        fields = unpack(bytes.fromhex(data))
        assert fields == value and type(fields) is type(value)


@pytest.mark.parametrize("data", ["9400000000", "8200000000", "9191920000", "9381a1000000"])
def test_more_values_than_the_bound(data: str) -> None:
    """They are counted where an array or a map begins: nothing of a large one is read."""
    with pytest.raises(LimitExceeded, match=r"more than 3 values \(--max-metadata-values\)"):
        unpack(bytes.fromhex(data), ValueBudget(3))


def test_not_a_number() -> None:
    assert math.isnan(float(str(unpack(b"\xcb" + struct.pack(">d", math.nan)))))


def test_random_bytes_and_every_prefix() -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    source = random.Random(seed)
    for _ in range(3000):
        data = bytes(source.choice((0x91, 0x82, 0xA1, 0xDC, source.randrange(256)))
                     for _ in range(source.randrange(1, 40)))  # fmt: skip
        with contextlib.suppress(DwarfGpuError):
            unpack(data)
    whole = bytes.fromhex("82a161920102a16281a163c3")
    assert unpack(whole) == {"a": [1, 2], "b": {"c": True}}
    for size in range(len(whole)):
        with pytest.raises(Malformed):
            unpack(whole[:size])
