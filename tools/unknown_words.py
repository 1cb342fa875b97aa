"""Find words that LLVM disassembles and that are called illegal.

    python -m tools.unknown_words gfx1100 [--wave 64] [--rounds 1] [--seed 1]

The upper half of the first dword, which holds most operations, has every value in each round; the
rest is random in ways that encodings take. Of GFX11 and GFX12 LLVM is asked with real true16, too.
Needs `llvm-mc-19`.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence

from dwarfgpu.isa.decode import Decoder
from dwarfgpu.isa.tables import isa_target
from tools.isa_differential import LLVM_MC, ends_llvm

BYTES = 24
VECTOR_FROM = 0xC000
"""Upper halves from here on are encodings of two dwords and more."""
FIRST = (0x7E000000, 0xBE800000)
"""First dwords of VOP1 and SOP1, whose operations are in the lower half, too."""


def lower(rng: random.Random, way: int) -> int:
    """The lower half of a first dword: any, a VGPR and op_sel, a VGPR, DPP, or a constant."""
    match way % 5:
        case 0:
            return rng.getrandbits(16)
        case 1:
            return rng.getrandbits(8) | rng.getrandbits(4) << 11
        case 2:
            return rng.getrandbits(8)
        case 3:
            return rng.getrandbits(8) << 8 | rng.choice((0xF9, 0xFA, 0xE9, 0xEA, 0xFF))
        case _:
            return rng.getrandbits(7) | rng.choice((0x80, 0x7C, 0))


def second(rng: random.Random, way: int) -> int:
    """A second dword: none, any, or as many sources and registers."""
    match way % 8:
        case 0:
            return 0
        case 1:
            return rng.getrandbits(32)
        case 2:
            return rng.getrandbits(8) | 0x100
        case 3:
            return rng.getrandbits(18) | 0x20100
        case 4:
            return rng.getrandbits(27) | 0x4020100
        case 5:
            return rng.getrandbits(27)
        case 6:
            return rng.getrandbits(16) | 0x7C000000
        case _:
            return rng.getrandbits(8) | rng.getrandbits(8) << 24


def words(rng: random.Random, uppers: Sequence[int]) -> Iterator[bytes]:
    """Bytes with each upper half, of two dwords and more in each way."""
    for upper in uppers:
        ways = range(40) if upper >= VECTOR_FROM else rng.sample(range(40), 4)
        for way in ways:
            yield _bytes(rng, upper << 16 | lower(rng, way), second(rng, way))
        for first in FIRST:
            yield _bytes(rng, first | upper << 8, second(rng, upper))


def _bytes(rng: random.Random, first: int, second: int) -> bytes:
    third = rng.choice((0, rng.getrandbits(32)))
    return b"".join(part.to_bytes(4, "little") for part in (first, second, third)).ljust(
        BYTES, b"\0"
    )


def features(decode: Decoder) -> Iterator[str]:
    """The features with which LLVM is asked."""
    target = decode.target
    size = f"+wavefrontsize{target.wave_size},-wavefrontsize{96 - target.wave_size}"
    yield size if target.generation >= 10 else ""
    if target.generation >= 11:
        yield f"{size},+real-true16"


def texts(decode: Decoder, codes: list[bytes], attributes: str) -> Iterator[tuple[bytes, str]]:
    """Codes that begin with an instruction for LLVM, with its text."""
    lines = []
    for number, code in enumerate(codes):
        lines.append(f"[0x{number & 0xFF:x} 0x{number >> 8 & 0xFF:x} 0x80 0xbf]")
        lines.append("[" + " ".join(f"0x{byte:x}" for byte in code) + "]")
    command = [LLVM_MC, "--disassemble", "-triple=amdgcn-amd-amdhsa"]
    command += [f"-mcpu={decode.target.processor}", f"-mattr={attributes}"]
    run = subprocess.run(
        command, input="\n".join(lines), capture_output=True, text=True, check=False
    )
    count, out, is_first = 0, [], False
    for line in run.stdout.splitlines():
        text = line.strip()
        if text in (f"s_nop {count & 0xFFFF:#x}", f"s_nop {count & 0xFFFF}"):
            count, is_first = count + 1, True
        elif is_first and line.startswith("\t"):
            out.append((codes[count - 1], text))
            is_first = False
    if count == len(codes):
        yield from out
    elif len(codes) > 1:  # LLVM ended itself
        middle = len(codes) // 2
        yield from texts(decode, codes[:middle], attributes)
        yield from texts(decode, codes[middle:], attributes)


def illegal(decode: Decoder, codes: list[bytes]) -> Iterator[tuple[bytes, str]]:
    """Codes that are called illegal, and what they are for LLVM."""
    undefined = [
        code
        for code in codes
        if decode.decode(code) is None
        and decode.unknown_size(code) is None
        and not ends_llvm(decode, code)
    ]
    for attributes in features(decode):
        for start in range(0, len(undefined), 50_000):
            yield from texts(decode, undefined[start : start + 50_000], attributes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", nargs="+")
    parser.add_argument("--wave", type=int)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not shutil.which(LLVM_MC):
        raise SystemExit(f"{LLVM_MC} is not installed")
    total = 0
    for name in options.target:
        decode = Decoder(isa_target(name, options.wave))
        rng = random.Random(options.seed)
        codes = [code for _ in range(options.rounds) for code in words(rng, range(1 << 16))]
        by_name: dict[str, list[str]] = defaultdict(list)
        for code, text in illegal(decode, codes):
            by_name[text.split()[0]].append(f"{code.hex()} {text}")
        count = sum(map(len, by_name.values()))
        print(f"{name} wave{decode.target.wave_size}: {count} of {len(codes)} words are illegal")
        for key, lines in sorted(by_name.items()):
            print(f"  {len(lines)} {key}: {lines[0]}")
        total += count
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
