"""Compare `dwarfgpu.isa` with LLVM's disassembler on encodings that are made from the tables.

    python -m tools.isa_differential gfx1100 [--wave 64] [--count 100000] [--seed 1] [--words 20000]

Every encoding of the tables is used in turn; its operands get registers, constants, literals and
modifiers of all kinds, or any bits. `--words` adds random bytes, most of them undefined. Whatever
follows an encoding is decoded too: sizes must agree. Needs `llvm-mc-19`.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle

from dwarfgpu.isa.decode import Decoder
from dwarfgpu.isa.formats import Field
from dwarfgpu.isa.instruction import Encoding
from dwarfgpu.isa.operands import RESERVED_FROM, OperandKind
from dwarfgpu.isa.tables import isa_target

LLVM_MC = "llvm-mc-19"
SPECIAL = (*range(100, 128), *range(229, 256))
"""Encodings of source operands that differ between generations."""
BYTES = 24
"""That are compared for each encoding."""


def random_field(kind: OperandKind, rng: random.Random) -> int:
    """Bits for an operand: mostly such that mean something."""
    if kind.decoder in ("src", "src_k", "src_acc", "src_half", "src_half_lo", "mask"):
        code = rng.choice(
            (
                rng.randrange(106),
                rng.randrange(128, 209),
                rng.randrange(240, 249),
                rng.choice(SPECIAL),
                255,
                256 + rng.randrange(256),
                256 + rng.randrange(256),
            )
        )
        return code | rng.choice((0, 0, 512))
    if kind.decoder == "dpp8_fi":
        return rng.choice((0xE9, 0xEA))
    if most := RESERVED_FROM.get(kind.text):
        return rng.randrange(most)
    if kind.decoder == "number":
        return rng.choice((0, 0, 1, rng.randrange(8), rng.randrange(1 << 16), -1))
    return rng.getrandbits(32)


def placed(field: Field, value: int) -> int:
    """The bits of an operand where its field has them."""
    return sum((value >> first & mask) << bit for bit, mask, first in field.runs)


def encoded(encoding: Encoding, rng: random.Random) -> bytes:
    """Bytes that begin with the encoding."""
    form = encoding.format
    free = (1 << 8 * form.size) - 1 & ~encoding.mask
    word = encoding.value
    if rng.random() < 0.1:
        word |= rng.getrandbits(8 * form.size) & free
    else:
        for kind, field in zip(form.kinds, form.fields, strict=True):
            word |= placed(field, random_field(kind, rng)) & free
    return word.to_bytes(form.size, "little") + rng.randbytes(BYTES - form.size)


def samples(decode: Decoder, count: int, words: int, seed: int) -> Iterator[bytes]:
    """Encodings of the tables in turn, then random bytes."""
    rng = random.Random(seed)
    order = list(decode.encodings)
    rng.shuffle(order)
    for encoding, _ in zip(cycle(order), range(count), strict=False):
        yield encoded(encoding, rng)
    for _ in range(words):
        yield rng.randbytes(BYTES)


def ours(decode: Decoder, code: bytes) -> list[str]:
    """The texts of all instructions; what is none is left out, as `llvm-mc` does."""
    return [item.text for item in decode.instructions(code) if item]


def ends_llvm(decode: Decoder, code: bytes) -> bool:
    """Whether LLVM 19 ends itself over a reserved select of SDWA, which is undefined for us."""
    offset = 0
    while offset < len(code):
        item = decode.decode(code, offset)
        if not item and has_reserved_select(code[offset : offset + 8]):
            return True
        offset += item.size if item else 4
    return False


def has_reserved_select(code: bytes) -> bool:
    """Whether the bytes may be SDWA with a reserved field."""
    low, high = int.from_bytes(code[:4], "little"), int.from_bytes(code[4:], "little")
    if low & 0x800001FF != 0xF9:
        return False
    selects = high >> 8 & 7, high >> 16 & 7, high >> 24 & 7
    return 7 in selects or high >> 11 & 3 == 3


def theirs(decode: Decoder, codes: list[bytes]) -> list[list[str]]:
    """The same by LLVM: `s_nop` of a number stands between the samples."""
    target = decode.target
    lines = []
    for number, code in enumerate(codes):
        lines.append(f"[0x{number & 0xFF:x} 0x{number >> 8 & 0xFF:x} 0x80 0xbf]")
        lines.append(" ".join(f"0x{byte:x}" for byte in code))
    command = [LLVM_MC, "--disassemble", "-triple=amdgcn-amd-amdhsa", f"-mcpu={target.processor}"]
    if target.generation >= 10:
        other = 96 - target.wave_size
        command.append(f"-mattr=+wavefrontsize{target.wave_size},-wavefrontsize{other}")
    run = subprocess.run(
        command, input="\n".join(lines), capture_output=True, text=True, check=False
    )
    out: list[list[str]] = []
    for line in run.stdout.splitlines():
        text = line.removeprefix("\t")
        if text == f"s_nop {len(out) & 0xFFFF:#x}" or text == f"s_nop {len(out) & 0xFFFF}":
            out.append([])
        elif out and line.startswith("\t"):
            out[-1].append(text)
    if len(out) == len(codes) and run.returncode in (0, 1):
        return out
    if len(codes) == 1:
        print(f"{LLVM_MC} fails: {codes[0].hex()} {ours(decode, codes[0])[:1]}")
        return [ours(decode, codes[0])]
    middle = len(codes) // 2
    return theirs(decode, codes[:middle]) + theirs(decode, codes[middle:])


def without_known_faults(text: str) -> str:
    """The text without what LLVM 19 prints wrongly.

    A literal that an operand takes which takes none (`/*Invalid immediate*/`) is not extended to
    64 bits for a double that takes it too, and is then printed as 0x0. The implied vcc of
    v_cndmask_b32_dpp of gfx12 gets between the bars of an absolute value.
    """
    text = re.sub(r"\|(v\d+), (vcc(_lo)?)\|", r"|\1|, \2", text)
    if "/*Invalid immediate*/" in text:
        return re.sub(r"\b0x[0-9a-f]+(?!/\*)", "0x", text)
    return text


def differences(
    decode: Decoder, codes: list[bytes]
) -> Iterator[tuple[bytes, list[str], list[str]]]:
    """Samples with our text and LLVM's, where these differ."""
    for start in range(0, len(codes), 50_000):
        part = codes[start : start + 50_000]
        for code, expected in zip(part, theirs(decode, part), strict=True):
            result = ours(decode, code)
            if result != expected and list(map(without_known_faults, result)) != list(
                map(without_known_faults, expected)
            ):
                yield code, result, expected


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", nargs="+")
    parser.add_argument("--wave", type=int)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    if not shutil.which(LLVM_MC):
        raise SystemExit(f"{LLVM_MC} is not installed")
    total = 0
    for name in options.target:
        decode = Decoder(isa_target(name, options.wave), as_llvm_19=True)
        made = samples(decode, options.count, options.words, options.seed)
        codes = [code for code in made if not ends_llvm(decode, code)]
        result = list(differences(decode, codes))
        wave = decode.target.wave_size
        print(f"{name} wave{wave}: {len(result)} differences in {len(codes)} samples")
        total += len(result)
        by_name: dict[str, list[str]] = {}
        for code, mine, other in result:
            shown = next(
                ((a, b) for a, b in zip([*mine, ""], [*other, ""], strict=False) if a != b),
                (str(len(mine)), str(len(other))),
            )
            key = re.sub(r"\d+", "#", shown[1].split(" ")[0] or "?" + shown[0].split(" ")[0])
            by_name.setdefault(key, []).append(f"{code.hex()}\n  {shown[0]!r}\n  {shown[1]!r}")
        ranked = sorted(by_name.items(), key=lambda item: -len(item[1]))
        for key, texts in ranked[: options.show]:
            print(f"{len(texts)} {key}: {texts[0]}")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
