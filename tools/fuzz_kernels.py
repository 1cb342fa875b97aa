"""Differential fuzzing of running kernels: random C programs, compiled for the host and for GPUs.

    python -m tools.fuzz_kernels --rounds 20 [--seed N] [--targets gfx90a,gfx1100] [--levels O0,O2]

Each round writes one program from its seed. The host's compiler and processor say what each
work-item computes; the simulated machine must leave the same in memory on every target, at every
level. A difference prints the seed of its round, and with `--keep FOLDER` leaves the source there.
Needs clang 19, which CLANG names otherwise.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np

from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.simulated.execution.interpreter import Executor
from dwarfgpu.machine.simulated.launch.machine_of_dispatch import buffers, machine_of_dispatch
from dwarfgpu.options.opened_launch import prepare_run

Words = np.ndarray[Any, Any]
CLANG = os.environ.get("CLANG", "clang-19")
COUNT: Final = 256
"""Work-items, in workgroups of 64: enough waves for the lockstep executor."""
WORDS: Final = 8
"""64-bit inputs of each work-item."""

_INTEGERS: Final = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
_FLOATS: Final = ("f16", "f32", "f64")
# No 0.0: clang 19 takes 0.0 - x for -x where the instruction after it has a sign of its operand.
_NUMBERS: Final = ("1.0", "-1.5", "0.25", "3.0", "100.0", "1e-3", "-7e3")

_PRELUDE: Final = (
    """\
typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;
typedef int i32; typedef unsigned u32; typedef long i64; typedef unsigned long u64;
typedef _Float16 f16; typedef float f32; typedef double f64;
#ifdef __HIP__
#define DEVICE __attribute__((device))
#define KERNEL extern "C" __attribute__((global)) void
#else
#define DEVICE static
#define KERNEL extern "C" void
#endif
#define OUTLINE DEVICE __attribute__((noinline))
DEVICE inline f64 clamped(f64 x, f64 least, f64 most) {
  return x >= least ? x <= most ? x : most : least;
}
DEVICE inline u64 mix(u64 h, u64 x) {
  h ^= x + 0x9e3779b97f4a7c15ul + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdul;
}
"""
    + "".join(
        f"""DEVICE inline u64 of_f{bits}(f{bits} x) {{
  u{bits} bits;
  if (x != x) return 7;
  __builtin_memcpy(&bits, &x, sizeof x);
  return bits;
}}
"""
        for bits in (16, 32, 64)
    )
    + "".join(
        f"OUTLINE {type} {name}_{type}({type} a, {type} b) {{ return a {operator} b; }}\n"
        for type in _INTEGERS
        for name, operator in (("divided", "/"), ("remainder", "%"))
    )
)
"""Divisions are functions of their own, because clang 19 computes some wrongly where it sees
that an unsigned operand is a narrower number, sign-extended (llvm-project issue 194829)."""


class Program:
    """Writes one random program; everything in it is defined by C with `-fwrapv`."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.names: list[tuple[str, str]] = []
        """Variables in scope, with their types."""
        self.functions: list[tuple[str, str, tuple[str, ...]]] = []
        """Name, type of the result, types of the parameters."""
        self.depth = 0
        self.loops = 0
        self.is_in_loop = False
        self.count = 0

    def text(self) -> str:
        """The whole source."""
        out = [_PRELUDE]
        for _ in range(self.rng.randint(1, 4)):
            out.append(self._function())
        out.append(self._kernel())
        return "\n".join(out)

    def _fresh(self, type: str) -> str:
        self.count += 1
        return f"{type}_{self.count}"

    def _type(self) -> str:
        return self.rng.choice((*_INTEGERS, "i32", "u32", *_FLOATS, "f32"))

    def _function(self) -> str:
        result = self._type()
        parameters = tuple(self._type() for _ in range(self.rng.randint(1, 5)))
        self.names = [(self._fresh(type), type) for type in parameters]
        listed = ", ".join(f"{type} {name}" for name, type in self.names)
        name = f"function{len(self.functions)}"
        lines = self._block(self.rng.randint(2, 6), 1)
        value = self._expression(result, 2)
        outline = "OUTLINE" if self.rng.random() < 0.7 else "DEVICE"
        self.functions.append((name, result, parameters))
        return "\n".join(
            [f"{outline} {result} {name}({listed}) {{", *lines, f"  return {value};", "}"]
        )

    def _kernel(self) -> str:
        head = [
            "#ifdef __HIP__",
            "KERNEL tested(const u64 *in, u64 *out) {",
            "  int t = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();",
            "#else",
            "KERNEL tested(const u64 *in, u64 *out, int t) {",
            "#endif",
        ]
        self.names = []
        lines = []
        for number in range(WORDS):
            type = self._type()
            name = self._fresh(type)
            lines.append(
                f"  {type} {name} = {self._from_bits(type, f'in[t * {WORDS} + {number}]')};"
            )
            self.names.append((name, type))
        lines.append("  u64 h = 1;")
        body = self._block(self.rng.randint(4, 9), 1)
        tail = [f"  h = mix(h, {self._to_bits(type, name)});" for name, type in self.names]
        return "\n".join([*head, *lines, *body, *tail, "  out[t] = h;", "}"])

    @staticmethod
    def _from_bits(type: str, bits: str) -> str:
        if type in _FLOATS:
            return f"({type})((f64)(i64){bits} * 0x1p-56)"
        return f"({type}){bits}"

    @staticmethod
    def _to_bits(type: str, value: str) -> str:
        return f"of_{type}({value})" if type in _FLOATS else f"(u64){value}"

    # Statements.

    def _block(self, count: int, indent: int) -> list[str]:
        before = len(self.names)
        out = []
        self.depth += 1
        for _ in range(count):
            out += self._statement(indent)
        self.depth -= 1
        if indent > 1:
            del self.names[before:]
        return out

    def _statement(self, indent: int) -> list[str]:
        pad = "  " * indent
        kind = self.rng.random()
        if self.depth > 4:
            kind = kind * 0.5
        if kind < 0.2 or not self.names:
            type = self._type()
            value = self._expression(type, 3)
            name = self._fresh(type)
            self.names.append((name, type))
            return [f"{pad}{type} {name} = {value};"]
        if kind < 0.5:
            name, type = self.rng.choice(self.names)
            return [f"{pad}{name} = {self._expression(type, 4)};"]
        if kind < 0.68:
            out = [f"{pad}if ({self._condition(2)}) {{"]
            out += self._block(self.rng.randint(1, 3), indent + 1)
            if self.rng.random() < 0.5:
                out += [f"{pad}}} else {{", *self._block(self.rng.randint(1, 3), indent + 1)]
            return [*out, pad + "}"]
        if kind < 0.8 and self.loops < 2:
            return self._loop(indent)
        if kind < 0.88:
            return self._switch(indent)
        if kind < 0.94:
            return self._array(indent)
        if self.is_in_loop:
            word = self.rng.choice(("break", "continue"))
            return [f"{pad}if ({self._condition(1)}) {word};"]
        name, type = self.rng.choice(self.names)
        return [f"{pad}{name} = {self._expression(type, 5)};"]

    def _loop(self, indent: int) -> list[str]:
        pad = "  " * indent
        self.count += 1
        counter = f"n{self.count}"
        bound = self.rng.randint(1, 4)
        limit = str(bound)
        if self.rng.random() < 0.6:
            limit = f"(int)({self._expression('u32', 1)} & {self.rng.choice((1, 3))})"
        was, self.is_in_loop = self.is_in_loop, True
        self.loops += 1
        # The counter is not a variable of the program: nothing assigns to it.
        body = self._block(self.rng.randint(1, 4), indent + 1)
        self.loops -= 1
        self.is_in_loop = was
        first = f"int {counter} = 0, {counter}_end = {limit}"
        head = f"for ({first}; {counter} < {counter}_end; ++{counter})"
        return [f"{pad}{head} {{", *body, pad + "}"]

    def _switch(self, indent: int) -> list[str]:
        pad = "  " * indent
        count = self.rng.randint(2, 6)
        out = [f"{pad}switch ({self._expression('u32', 2)} % {count + 1}) {{"]
        was, self.is_in_loop = self.is_in_loop, False
        for number in range(count):
            out.append(f"{pad}case {number}: {{")
            out += self._block(1, indent + 2)
            end = "" if self.rng.random() < 0.3 else " break;"
            out.append(f"{pad}}}{end}")
        self.is_in_loop = was
        return [*out, f"{pad}default:;", pad + "}"]

    def _array(self, indent: int) -> list[str]:
        pad = "  " * indent
        type = self._type()
        self.count += 1
        name = f"array{self.count}"
        size = 2 ** self.rng.randint(1, 4)
        first = self._expression(type, 1)
        counter = f"n{self.count}"
        target, target_type = self.rng.choice(self.names)
        read = f"{name}[{self._expression('u32', 2)} & {size - 1}]"
        return [
            f"{pad}{type} {name}[{size}];",
            f"{pad}for (int {counter} = 0; {counter} < {size}; ++{counter}) "
            f"{name}[{counter}] = ({type})({first} + ({type})({counter} + 1));",
            f"{pad}{name}[{self._expression('u32', 2)} & {size - 1}] = "
            f"{self._expression(type, 2)};",
            f"{pad}{target} = {self._converted(target_type, type, read)};",
        ]

    # Expressions.

    def _condition(self, depth: int) -> str:
        type = self._type()
        operator = self.rng.choice(("<", "<=", "==", "!=", ">", ">="))
        text = f"{self._expression(type, depth)} {operator} {self._expression(type, depth)}"
        if depth and self.rng.random() < 0.25:
            word = self.rng.choice(("&&", "||"))
            return f"({text}) {word} ({self._condition(depth - 1)})"
        return text

    def _expression(self, type: str, depth: int) -> str:
        if depth <= 0 or self.rng.random() < 0.1:
            return self._leaf(type)
        choice = self.rng.random()
        if choice < 0.1 and self.functions:
            same = [item for item in self.functions if item[1] == type] or self.functions
            name, result, parameters = self.rng.choice(same)
            arguments = ", ".join(self._expression(kind, depth - 2) for kind in parameters)
            return self._converted(type, result, f"{name}({arguments})")
        if choice < 0.2:
            other = self._type()
            return self._converted(type, other, self._expression(other, depth - 1))
        if choice < 0.28:
            a, b = self._expression(type, depth - 1), self._expression(type, depth - 1)
            return f"({self._condition(depth - 2)} ? {a} : {b})"
        return self._float(type, depth) if type in _FLOATS else self._integer(type, depth)

    def _leaf(self, type: str) -> str:
        same = [name for name, kind in self.names if kind == type]
        if same and self.rng.random() < 0.7:
            return self.rng.choice(same)
        if self.names and self.rng.random() < 0.4:
            name, kind = self.rng.choice(self.names)
            return self._converted(type, kind, name)
        if type in _FLOATS:
            return f"({type}){self.rng.choice(_NUMBERS)}"
        value = self.rng.choice(
            (0, 1, 2, 3, 7, 63, 64, 127, 128, 255, 0x7FFF, 0xFFFF, self.rng.getrandbits(32))
        )
        return f"({type}){value}ul"

    def _integer(self, type: str, depth: int) -> str:
        a, b = self._expression(type, depth - 1), self._expression(type, depth - 1)
        bits = int(type[1:])
        match self.rng.randrange(16):
            case 0 | 1 | 2:
                return f"({type})({a} + {b})"
            case 3 | 4:
                return f"({type})({a} - {b})"
            case 5 | 6:
                return f"({type})((u64){a} * (u64){b})"
            case 7:
                return f"({type})({a} & {b})"
            case 8:
                return f"({type})({a} | {b})"
            case 9:
                return f"({type})({a} ^ {b})"
            case 10:
                return f"({type})((u64){a} << ({self._expression('u32', 0)} & {bits - 1}))"
            case 11:
                return f"({type})({a} >> ({self._expression('u32', 0)} & {bits - 1}))"
            case 12:
                divisor = f"(({type})({b} & ({type}){min(0x7F, 2 ** (bits - 1) - 1)}) | ({type})1)"
                name = self.rng.choice(("divided", "remainder"))
                return f"{name}_{type}({a}, {divisor})"
            case 13:
                unsigned = f"(u{bits}){a}" if bits > 16 else f"(u32)(u{bits}){a}"
                suffix = "l" if bits == 64 else ""
                name = self.rng.choice(("popcount", "bitreverse"))
                if name == "popcount":
                    return f"({type})__builtin_popcount{suffix}({unsigned})"
                return f"({type})__builtin_bitreverse{bits}((u{bits}){a})"
            case 14:
                return f"({type})({self.rng.choice('~-')}{a})"
            case _:
                wide = "u64" if bits < 64 else "__uint128_t"
                if bits == 64:
                    return f"({type})(((u128){a} * (u128){b}) >> 64)".replace("u128", wide)
                return f"({type})(((u64)(u{bits}){a} * (u64)(u{bits}){b}) >> {bits})"

    def _float(self, type: str, depth: int) -> str:
        a, b = self._expression(type, depth - 1), self._expression(type, depth - 1)
        suffix = {"f16": "f16", "f32": "f", "f64": ""}[type]
        match self.rng.randrange(10):
            case 0 | 1:
                return f"({a} + {b})"
            case 2:
                return f"({a} - {b})"
            case 3 | 4:
                return f"({a} * {b})"
            case 5:
                return f"({a} / {b})"
            case 6 if type != "f16":
                return f"__builtin_fma{suffix}({a}, {b}, {self._expression(type, depth - 1)})"
            case 7 if type != "f16":
                return f"__builtin_sqrt{suffix}({a})"
            case 8 if type != "f16":
                name = self.rng.choice(("floor", "ceil", "trunc", "rint", "fabs"))
                return f"__builtin_{name}{suffix}({a})"
            case _:
                return f"(-{a})"

    def _converted(self, type: str, other: str, text: str) -> str:
        if type == other:
            return text
        if other in _FLOATS and type not in _FLOATS:
            bits = int(type[1:])
            least = f"-0x1p{bits - 1}" if type[0] == "i" else "0.0"
            top = bits - 1 if type[0] == "i" else bits
            most = f"0x1.fffffp{top - 1}" if bits > 16 else f"{2**top - 1}.0"
            return f"({type})clamped((f64){text}, {least}, {most})"
        if type == "f16" and other not in ("f32", "f64"):
            return f"(f16)(f32){text}" if int(other[1:]) <= 16 else f"(f16)(f32)(i16){text}"
        return f"({type}){text}"


class _Options(Namespace):
    """Options that are not given are None."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


def inputs(rng: Random) -> Words:
    """64-bit words, small, large and at the edges."""
    edges = [0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, 0x7FFF, 0xFF80]
    words = [
        rng.choice(edges) if rng.random() < 0.2 else rng.getrandbits(rng.choice((8, 16, 32, 64)))
        for _ in range(COUNT * WORDS)
    ]
    return np.array(words, np.uint64)


def of_host(source: Path, given: Words) -> Words:
    """What the host computes."""
    library = source.with_suffix(".so")
    _compile(
        "-x", "c++", str(source), "-std=c++17", "-O1", "-fwrapv", "-ffp-contract=off", "-w",
        "-Xclang", "-ffloat16-excess-precision=none", "-shared", "-fPIC", "-o", str(library),
    )  # fmt: skip
    tested = ctypes.CDLL(str(library)).tested
    out = np.zeros(COUNT, np.uint64)
    for item in range(COUNT):
        tested(ctypes.c_void_p(given.ctypes.data), ctypes.c_void_p(out.ctypes.data), item)
    return out


def of_machine(
    source: Path, target: str, level: str, given: Words, executor: Executor = "lockstep"
) -> Words:
    """What the simulated machine leaves; `DwarfGpuError` and `RuntimeError` where it stops."""
    code = source.with_suffix(f".{target}.{level}.co")
    _compile(
        "-x", "hip", str(source), "-std=c++17", f"--offload-arch={target}", "--cuda-device-only",
        "--no-gpu-bundle-output", "-nogpulib", "-nogpuinc", f"-{level}", "-g", "-fwrapv", "-w",
        "-ffp-contract=off", "-fuse-cuid=none", "-o", str(code),
    )  # fmt: skip
    data = source.with_suffix(".in")
    data.write_bytes(given.tobytes())
    options = _Options(
        file=str(code), kernel="tested", grid=str(COUNT), workgroup="64",
        arg=[f"0=@{data}", f"1=zeros:{8 * COUNT}"],
    )  # fmt: skip
    prepared = prepare_run(options)
    machine = machine_of_dispatch(prepared.launched, prepared.code_object.loaded_segments())
    machine.executor = executor
    stopped = machine.run()
    if stopped is not None:
        raise RuntimeError(f"stopped at {stopped.wave.pc:#x}: {stopped.text}")
    memory = list(buffers(prepared.launched, machine).values())[1]
    return np.frombuffer(memory.data[: 8 * COUNT].tobytes(), np.uint64)


def _compile(*arguments: str) -> None:
    done = subprocess.run(
        [CLANG, *arguments], check=False, capture_output=True, text=True, timeout=300
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}\n{done.stderr[-2000:]}")


def differences(
    seed: int,
    folder: Path,
    targets: Sequence[str],
    levels: Sequence[str],
    executors: Sequence[Executor] = ("lockstep",),
) -> Iterator[str]:
    """A line for each build of the program of a seed that does not compute what the host does."""
    rng = Random(seed)
    source = folder / f"random{seed}.c"
    source.write_text(Program(rng).text())
    given = inputs(rng)
    host = of_host(source, given)
    for target, level, executor in product(targets, levels, executors):
        build = f"seed {seed} {target} -{level} {executor}"
        try:
            computed = of_machine(source, target, level, given, executor)
        except (DwarfGpuError, RuntimeError) as error:
            yield f"{build}: {error}"
            continue
        wrong = np.flatnonzero(computed != host)
        if len(wrong):
            item = int(wrong[0])
            yield (
                f"{build}: {len(wrong)} of {COUNT} work-items differ; "
                f"item {item}: {int(computed[item]):#x}, host {int(host[item]):#x}"
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--targets", default="gfx90a,gfx942,gfx1100,gfx1200")
    parser.add_argument("--levels", default="O0,O2")
    parser.add_argument("--executors", default="lockstep", help="also block, precise")
    parser.add_argument("--keep", type=Path, help="folder for the sources and binaries")
    options = parser.parse_args()
    builds = [text.split(",") for text in (options.targets, options.levels, options.executors)]
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for seed in range(options.seed, options.seed + options.rounds):
            for line in differences(seed, folder, *builds):
                failures += 1
                print(line, flush=True)
    runs = options.rounds * prod(len(names) for names in builds)
    print(f"{options.rounds} programs, {runs} runs: {failures} that differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
