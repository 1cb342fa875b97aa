#!/usr/bin/env python3
"""Compare the instructions of every code object of a library with llvm-objdump's:
`tools/disas_library.py [FILE] [--every N] [--first N]`, by default of Debian's librocsparse0.

Each line of `llvm-objdump -d` is compared with what `dwarfgpu.isa` decodes at that address. Prints
how many code objects, instructions and differences there are for each GPU; 1 for a difference.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dwarfgpu.isa.decode import Decoder
from dwarfgpu.isa.tables import isa_target
from dwarfgpu.objfile.container import open_container
from dwarfgpu.objfile.elf import open_object
from dwarfgpu.objfile.target_id import target_of_flags
from tools.check_library import LIBRARY

OBJDUMP = "llvm-objdump-19"
LINE = re.compile(r"\t(.*?) *// ([0-9A-F]{12}):")


def differences(path: Path, seen: Counter[str]) -> Iterator[str]:
    """Lines that differ; `seen` counts what is compared."""
    elf = open_object(path)
    text = elf.sections_by_name.get(".text")
    if text is None:
        return
    name = target_of_flags(elf).processor
    decode = Decoder(isa_target(name), as_llvm_19=True)
    data = elf.data_of(text)
    run = subprocess.Popen([OBJDUMP, "-d", path], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    seen[f"{name} code objects"] += 1
    for line in run.stdout:
        match = LINE.match(line)
        if match is None:
            continue
        address = int(match[2], 16)
        instruction = decode.decode(data, address - text.address, address)
        shown = match[1].rstrip()
        seen[f"{name} instructions"] += 1
        ours = None if instruction is None else instruction.text.rstrip()
        if ours != (None if shown.startswith(".long") else shown):
            yield f"{name} {address:#x}: {ours} | {shown}"
    run.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", default=LIBRARY)
    parser.add_argument("--every", type=int, default=1, help="only each N-th code object")
    parser.add_argument("--first", type=int, default=0, help="the index of the first")
    options = parser.parse_args()
    if not Path(options.file).exists() or not shutil.which(OBJDUMP):
        raise SystemExit(f"{options.file} or {OBJDUMP} is not installed")
    entries = [entry for entry in open_container(options.file).entries if entry.target]
    seen: Counter[str] = Counter()
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "code.co"
        for entry in entries[options.first :: options.every]:
            path.write_bytes(bytes(entry.data))
            for text in differences(path, seen):
                total += 1
                if total <= 20:
                    print(f"{entry.index}: {text}", file=sys.stderr)
    for name, count in sorted(seen.items()):
        print(f"{name}: {count:,}")
    print(f"differences: {total}")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
