"""Coverage-guided fuzzing of the readers: inputs that reach new lines are kept, and mutated on.

    pip install -e '.[fuzz]'
    python tools/fuzz_coverage.py dwarf --seconds 3600 --corpus corpus/dwarf
    python tools/fuzz_coverage.py dwarf --replay crash-…

The engine is libFuzzer, through Atheris. The corpus is a folder: a run continues from what the runs
before it found. An input that raises, or takes more than `SLOW_SECONDS` of processor time, is
written to the folder of the corpus with `-crashes` appended to its name; the run continues.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

READERS: Final = (
    "dwarfgpu.objfile", "dwarfgpu.dwarf", "dwarfgpu.cfi", "dwarfgpu.machine", "dwarfgpu.base.npy",
    "dwarfgpu.base.json_reader", "dwarfgpu.check", "dwarfgpu.expr.decode",
)  # fmt: skip
"""What is watched for lines that are new."""
SLOW_SECONDS: Final = 5.0
"""Of processor time for an input of at most `LONGEST_INPUT_BYTES`."""
LONGEST_INPUT_BYTES: Final = 20_000
MEMORY_MEGABYTES: Final = 2_048


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("target", help="of tools/fuzz_targets.py")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--corpus", type=Path, help="folder; default: build/fuzz/TARGET")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replay", type=Path, metavar="INPUT", help="try one input, and no other")
    arguments = parser.parse_args()
    if arguments.replay:
        targets = importlib.import_module("tools.fuzz_targets").TARGETS
        print(dict(targets[arguments.target](arguments.replay.read_bytes())))
        return 0
    fuzz(arguments.target, arguments.corpus, arguments.seconds, arguments.seed)
    return 0


def fuzz(name: str, folder: Path | None, seconds: int, seed: int) -> None:
    """Run libFuzzer on a target, which ends the process."""
    try:
        import atheris
    except ImportError:
        sys.exit("fuzz_coverage.py needs Atheris: pip install -e '.[fuzz]'")
    with atheris.instrument_imports(include=list(READERS)):
        module = importlib.import_module("tools.fuzz_targets")
    if name not in module.TARGETS:
        sys.exit(f"{name} is not a target: choose one of {', '.join(module.TARGETS)}")
    target = module.TARGETS[name]
    corpus = folder or ROOT / "build/fuzz" / name
    corpus.mkdir(parents=True, exist_ok=True)
    for data in module.seeds(name):
        (corpus / hashlib.sha1(data).hexdigest()).write_bytes(data)
    crashes = corpus.with_name(corpus.name + "-crashes")
    seen: Counter[str] = Counter()

    def one_input(data: bytes) -> None:
        started = time.process_time()
        try:
            target(data)
            took = time.process_time() - started
            problem = f"took {took:.1f} s" if took > SLOW_SECONDS else None
        except Exception as error:  # noqa: BLE001 - what the law forbids, whatever it is
            place = traceback.extract_tb(error.__traceback__)[-1]
            problem = f"{type(error).__name__} at {place.filename}:{place.lineno}"
        if problem is not None:
            seen[problem] += 1
            if seen[problem] == 1:  # the first input of each kind is enough
                crashes.mkdir(exist_ok=True)
                path = crashes / hashlib.sha1(data).hexdigest()
                path.write_bytes(data)
                print(f"{problem}: {path}", file=sys.stderr, flush=True)

    options = [
        sys.argv[0],
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        f"-max_len={LONGEST_INPUT_BYTES}",
        f"-rss_limit_mb={MEMORY_MEGABYTES}",
        "-timeout=60",
        f"-artifact_prefix={crashes}-",
        "-print_final_stats=1",
        str(corpus),
    ]
    atheris.Setup(options, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
