"""The same text as LLVM 19, on encodings made from the tables and on the fixtures' code."""

from __future__ import annotations

import random
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from dwarfgpu.isa.decode import Decoder
from dwarfgpu.isa.tables import isa_target
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.objfile.target_id import target_of_flags
from tests.tool_output import printed_about
from tools.isa_differential import LLVM_MC, differences, ends_llvm, samples
from tools.unknown_words import illegal, words

OBJDUMP = "llvm-objdump-19"
LATER = ("gfx950", "gfx1250")
"""Processors that LLVM 19 does not know: it ends itself."""
SAMPLED = (
    *(("gfx803", 64), ("gfx906", 64), ("gfx908", 64), ("gfx90a", 64), ("gfx942", 64)),
    *(("gfx1010", 32), ("gfx1030", 64), ("gfx1100", 32), ("gfx1151", 64), ("gfx1200", 32)),
    ("gfx1201", 64),
)


@pytest.mark.skipif(not shutil.which(LLVM_MC), reason=f"needs {LLVM_MC}")
@pytest.mark.parametrize("name, wave", SAMPLED)
def test_samples(name: str, wave: int) -> None:
    decode = Decoder(isa_target(name, wave), as_llvm_19=True)
    codes = [code for code in samples(decode, 400, 100, seed=7) if not ends_llvm(decode, code)]
    assert list(differences(decode, codes)) == []


@pytest.mark.skipif(not shutil.which(LLVM_MC), reason=f"needs {LLVM_MC}")
@pytest.mark.parametrize("name, wave", SAMPLED)
def test_nothing_that_llvm_disassembles_is_illegal(name: str, wave: int) -> None:
    """Some words of those of `python -m tools.unknown_words`; the move of a half that LLVM 19 has
    with real true16 alone is one of them."""
    rng = random.Random(name)
    uppers = [*rng.sample(range(1 << 16), 800), 0xD59C]
    assert list(illegal(Decoder(isa_target(name, wave)), list(words(rng, uppers)))) == []


def objects() -> list[Path]:
    root = Path(__file__).resolve().parents[2] / "fixtures"
    return sorted(path for path in root.rglob("*.co") if "broken" not in path.parts)


@cache
def of_processors() -> dict[str, tuple[Path, ...]]:
    """llvm-objdump disassembles all that it is given for the processor of the first."""
    result: dict[str, list[Path]] = {}
    for path in objects():
        result.setdefault(target_of_flags(open_object(path)).processor, []).append(path)
    return {processor: tuple(paths) for processor, paths in result.items()}


@cache
def decoder_of(processor: str) -> Decoder:
    return Decoder(isa_target(processor), as_llvm_19=True)


@pytest.mark.skipif(not shutil.which(OBJDUMP), reason=f"needs {OBJDUMP}")
@pytest.mark.parametrize("path", objects(), ids=lambda path: path.name)
def test_fixture(path: Path) -> None:
    """`.long` of LLVM is an instruction that neither knows."""
    elf = open_object(path)
    section = elf.sections_by_name.get(".text")
    if section is None:
        pytest.skip("no code")
    target = target_of_flags(elf)
    if target.processor in LATER:
        pytest.skip(f"LLVM 19 does not know {target.processor}")
    text = printed_about(path, OBJDUMP, "-d", among=of_processors()[target.processor])
    expected = {
        int(match[2], 16): match[1].rstrip()
        for match in re.finditer(r"^\t(.*?)\s*// ([0-9A-F]{12}):", text, re.M)
    }
    decode = decoder_of(target.processor)
    data = elf.data_of(section)
    for address, line in expected.items():
        instructions = decode.decode(data, address - section.address, address)
        assert (
            instructions.text if instructions else line if line.startswith(".long") else None
        ) == line
