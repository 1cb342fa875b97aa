"""Floating point in modes other than the default: directed rounding (FP_ROUND), f16 results that
do not overflow (FP16_OVFL), and exceptions (EXCP_EN).

Law: every result is the exact rational number, rounded once in the direction of MODE; it is
computed lane by lane. What is approximated (reciprocals, logarithms, sines …), and atomic
operations in memory, round to nearest.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import IntFlag
from fractions import Fraction
from math import floor, isqrt
from typing import Any, Final

import numpy as np

from dwarfgpu.base.pattern import pattern
from dwarfgpu.machine.simulated.semantics.approximations import APPROXIMATIONS
from dwarfgpu.machine.simulated.semantics.division import division_fixup, division_fma
from dwarfgpu.machine.simulated.semantics.lane_functions import FUNCTIONS, Lanes, is_signalling
from dwarfgpu.machine.simulated.storage.wave_registers import RunningWave
from dwarfgpu.machine.simulated.wave_fault import WaveStop
from dwarfgpu.machine.topology import StopReason

NEAREST: Final = 0
UPWARD: Final = 1
DOWNWARD: Final = 2
TOWARD_ZERO: Final = 3
"""Values of FP_ROUND."""
SATURATES_F16: Final = 16
"""Bit above FP_ROUND in the number that the functions take: FP16_OVFL."""
EXCEPTIONS_AT: Final = 5
"""The first of the bits of EXCP_EN in it."""


class Exceptions(IntFlag):
    """The bits of EXCP_EN and of TRAPSTS."""

    INVALID = 1
    INPUT_DENORMAL = 2
    DIVIDE_BY_0 = 4
    OVERFLOW = 8
    UNDERFLOW = 16
    INEXACT = 32
    INT_DIVIDE_BY_0 = 64


_MOST_SCALED: Final = 1 << 12
"""A power of two that takes every number of f64 out of range."""
_REASONS: Final = {
    Exceptions.INVALID: StopReason.FP_INVALID_OPERATION,
    Exceptions.INPUT_DENORMAL: StopReason.FP_INPUT_DENORMAL,
    Exceptions.DIVIDE_BY_0: StopReason.FP_DIVIDE_BY_0,
    Exceptions.OVERFLOW: StopReason.FP_OVERFLOW,
    Exceptions.UNDERFLOW: StopReason.FP_UNDERFLOW,
    Exceptions.INEXACT: StopReason.FP_INEXACT,
    Exceptions.INT_DIVIDE_BY_0: StopReason.INT_DIVIDE_BY_0,
}


def in_mode(expression: str, mode: int) -> str:
    """Return an expression of a declaration in which every operation rounds as `mode` says:
    FP_ROUND, `SATURATES_F16` and EXCP_EN."""
    if _APPROXIMATE.search(expression) and not mode >> EXCEPTIONS_AT:
        return expression
    tree = _Rewriter(mode).visit(ast.parse(expression, mode="eval"))
    return ast.unparse(tree)


_APPROXIMATE: Final = pattern("exp2|logarithm|sine_of_turns")
_OPERATORS: Final[dict[type, str]] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
_CALLS: Final = frozenset(
    {"fma", "f16", "f32", "f64", "sqrt", "scaled", "division_fma", "fraction", "f16_of", "f32_of"}
)
_APPROXIMATED: Final = frozenset({"reciprocal", "reciprocal_root", "logarithm", "reciprocal_iflag"})
_TESTED: Final = _APPROXIMATED | {"division_fixup"}
"""In no direction of rounding, but with exceptions."""


class _Rewriter(ast.NodeTransformer):
    def __init__(self, mode: int) -> None:
        self.mode = mode

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        return node if name is None else self._call(name, [node.left, node.right])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name):
            return node
        name = node.func.id
        is_tested = name in _TESTED and self.mode >> EXCEPTIONS_AT
        return self._call(name, node.args) if name in _CALLS or is_tested else node

    def _call(self, name: str, arguments: list[ast.expr]) -> ast.Call:
        extra: list[ast.expr] = [ast.Constant(self.mode), ast.Name("w", ast.Load())]
        return ast.Call(ast.Name(f"rounded_{name}", ast.Load()), [*arguments, *extra], [])


Exact = Callable[..., Fraction]
Terms = Callable[..., tuple[Any, Any]]


def _rounded(
    nearest: Lanes,
    sources: tuple[Any, ...],
    exact: Exact,
    mode: int,
    wave: RunningWave,
    terms: Terms | None = None,
) -> Lanes:
    """Return the results of an operation as the mode says, from those to nearest.

    `exact` gives the rational result of rational sources, `terms` the two numbers that a sum adds.
    `WaveStop` for an exception that is enabled, in an active lane.
    """
    if nearest.dtype.kind != "f":
        return nearest
    sources = np.broadcast_arrays(*sources, nearest)[:-1]
    is_single = nearest.itemsize == 4 and all(source.dtype != np.float64 for source in sources)
    direction = mode & 3 if is_single else mode >> 2 & 3
    out = np.array(nearest)
    raised = np.zeros(out.shape, np.int32)
    limits = np.finfo(out.dtype)
    for index in np.ndindex(out.shape):
        values = [source[index] for source in sources]
        if out[index] != out[index] or not all(np.isfinite(value) for value in values):
            continue
        wanted = exact(*(Fraction(value.item()) for value in values))
        if wanted:
            with np.errstate(all="ignore"):
                out[index] = _directed(out[index], wanted, direction)
        elif terms is not None and direction == DOWNWARD and np.signbit(terms(*values)).any():
            out[index] = -0.0  # of terms with different signs
        raised[index] = _raised(out[index], wanted, direction, limits)
        if mode & SATURATES_F16 and out.itemsize == 2 and np.isinf(out[index]):
            out[index] = np.copysign(limits.max, out[index])
    if enabled := mode >> EXCEPTIONS_AT:
        raised |= _of_sources(out, sources)
        raise_enabled(raised, enabled, wave)
    return out


def _directed(nearest: Any, wanted: Fraction, direction: int) -> Any:
    kind = type(nearest)
    if np.isinf(nearest):
        above = 1 if nearest > 0 else -1
    else:
        difference = Fraction(float(nearest)) - wanted
        above = (difference > 0) - (difference < 0)
    if not above or direction == NEAREST:
        return nearest
    toward = {
        UPWARD: np.inf if above < 0 else None,
        DOWNWARD: -np.inf if above > 0 else None,
        TOWARD_ZERO: 0.0 if (above > 0) == (wanted > 0) else None,
    }[direction]
    return nearest if toward is None else np.nextafter(nearest, kind(toward))


def _raised(result: Any, wanted: Fraction, direction: int, limits: Any) -> int:
    is_inexact = np.isinf(result) or Fraction(float(result)) != wanted
    if not is_inexact:
        return 0
    out = Exceptions.INEXACT
    beyond = Fraction(float(limits.max)) * 2 / (2 - Fraction(float(limits.eps)))
    if np.isinf(result) or abs(wanted) >= beyond:
        out |= Exceptions.OVERFLOW
    if abs(wanted) < Fraction(float(limits.smallest_normal)):
        out |= Exceptions.UNDERFLOW
    return out


def _of_sources(result: Lanes, sources: tuple[Lanes, ...]) -> Lanes:
    """Return exceptions for what the sources are."""
    out = np.zeros(result.shape, np.int32)
    has_nan = np.zeros(result.shape, bool)
    for source in sources:
        if source.dtype.kind != "f":
            continue
        tiny = (np.abs(source) < np.finfo(source.dtype).smallest_normal) & (source != 0)
        out |= np.where(tiny, int(Exceptions.INPUT_DENORMAL), 0)
        out |= np.where(is_signalling(source), int(Exceptions.INVALID), 0)
        has_nan |= source != source
    return out | np.where((result != result) & ~has_nan, int(Exceptions.INVALID), 0)


def raise_enabled(raised: Lanes, enabled: int, wave: RunningWave) -> None:
    """Raise `WaveStop` for the first enabled exception, in the active lanes that have it."""
    flags = np.atleast_1d(raised & enabled)
    flags = flags.reshape(-1, flags.shape[-1])
    if flags.shape[-1] == wave.lane_count:
        flags = flags * wave.active_lanes
    for exception, reason in _REASONS.items():
        lanes = np.flatnonzero((flags & exception).any(0))
        if len(lanes):
            name = exception.name or ""
            numbers = tuple(int(lane) for lane in lanes)
            text = f"lane {numbers[0]} raises the exception {name.lower()}, which MODE enables"
            raise WaveStop(reason, text, lanes=numbers)


def _simple(
    nearest: Callable[..., Any], exact: Exact, terms: Terms | None = None
) -> Callable[..., Any]:
    def rounded(*arguments: Any) -> Any:
        *sources, mode, wave = arguments
        return _rounded(np.asarray(nearest(*sources)), tuple(sources), exact, mode, wave, terms)

    return rounded


def _root(a: Fraction) -> Fraction:
    """Return a square root of a positive number, with enough bits to be rounded as the exact
    root."""
    if a <= 0:
        return Fraction(0)
    scale = 1 << 2 * max(600 - (a.numerator.bit_length() - a.denominator.bit_length()) // 2, 0)
    product = a.numerator * a.denominator * scale
    root = isqrt(product)
    rest = Fraction(1, 2) if root * root != product else 0
    return (root + rest) / (a.denominator * Fraction(isqrt(scale)))


def rounded_scaled(a: Lanes, power: Any, mode: int, wave: RunningWave) -> Lanes:
    """Return a times two to the power."""
    a, power = np.broadcast_arrays(a, np.asarray(power, np.int32))
    nearest = FUNCTIONS["scaled"](a, power)
    return _rounded(nearest, (a, power), _scaled, mode, wave)


def _scaled(a: Fraction, power: Any) -> Fraction:
    """Return a times two to the power; of a power beyond the range, one as far out of it."""
    return a * Fraction(2) ** max(-_MOST_SCALED, min(int(power), _MOST_SCALED))


def rounded_division_fma(
    a: Lanes, b: Lanes, c: Lanes, is_scaled: Lanes, mode: int, wave: RunningWave
) -> Lanes:
    """Return what `division_fma` returns, rounded once, in its final scale."""
    nearest = division_fma(a, b, c, is_scaled)
    step, middle = {4: (64, 127), 8: (128, 1023)}[c.itemsize]
    power = np.where(FUNCTIONS["raw_exponent"](c) > middle, step, -step)
    power = np.where(is_scaled, power, 0)
    return _rounded(
        nearest,
        (a, b, c, power),
        lambda a, b, c, p: (a * b + c) * Fraction(2) ** int(p),
        mode,
        wave,
    )


def tested_division_fixup(
    quotient: Lanes, b: Lanes, c: Lanes, mode: int, wave: RunningWave
) -> Lanes:
    """Return what `division_fixup` returns. It raises the exceptions of special cases of a
    division: `v_div_scale` has replaced what the reciprocal would raise them for."""
    out = division_fixup(quotient, b, c)
    quotient, b, c = np.broadcast_arrays(quotient, b, c)
    is_invalid = is_signalling(b) | is_signalling(c) | (out != out) & (b == b) & (c == c)
    raised = np.where(is_invalid, int(Exceptions.INVALID), 0)
    raised |= np.where((b == 0) & (c != 0) & np.isfinite(c), int(Exceptions.DIVIDE_BY_0), 0)
    raise_enabled(raised, mode >> EXCEPTIONS_AT, wave)
    return out


def rounded_fraction(a: Lanes, mode: int, wave: RunningWave) -> Lanes:
    """Return a - floor(a); rounded up to 1 it is the largest number below, as to nearest."""
    part = _rounded(
        FUNCTIONS["fraction"](a),
        (a,),
        lambda a: a - floor(a),
        mode,
        wave,
        lambda a: (a, -np.floor(a)),
    )
    below_one = np.nextafter(a.dtype.type(1), a.dtype.type(0))
    return np.where(part >= 1, below_one, part)


def _tested(name: str) -> Callable[..., Any]:
    """Return an approximate function that raises exceptions for its source."""
    function = APPROXIMATIONS.get(name) or FUNCTIONS[name]

    def tested(a: Lanes, mode: int, wave: RunningWave) -> Lanes:
        out: Lanes = function(a)
        raised = _of_sources(out, (a,))
        zero = Exceptions.INT_DIVIDE_BY_0 if name == "reciprocal_iflag" else Exceptions.DIVIDE_BY_0
        raised = raised | np.where(a == 0, int(zero), 0)
        raise_enabled(raised, mode >> EXCEPTIONS_AT, wave)
        return out

    return tested


ROUNDED: Final[dict[str, Any]] = {
    "rounded_add": _simple(lambda a, b: a + b, lambda a, b: a + b, lambda a, b: (a, b)),
    "rounded_sub": _simple(lambda a, b: a - b, lambda a, b: a - b, lambda a, b: (a, -b)),
    "rounded_mul": _simple(lambda a, b: a * b, lambda a, b: a * b),
    "rounded_fma": _simple(FUNCTIONS["fma"], lambda a, b, c: a * b + c, lambda a, b, c: (a * b, c)),
    "rounded_sqrt": _simple(np.sqrt, _root),
    "rounded_f16": _simple(np.float16, lambda a: a),
    "rounded_f32": _simple(np.float32, lambda a: a),
    "rounded_f64": _simple(np.float64, lambda a: a),
    "rounded_f16_of": _simple(FUNCTIONS["f16_of"], lambda a: a),
    "rounded_f32_of": _simple(FUNCTIONS["f32_of"], lambda a: a),
    "rounded_scaled": rounded_scaled,
    "rounded_fraction": rounded_fraction,
    "rounded_division_fma": rounded_division_fma,
    "rounded_division_fixup": tested_division_fixup,
    **{f"rounded_{name}": _tested(name) for name in sorted(_APPROXIMATED)},
}
"""Keyed by the names that rewritten expressions use."""
