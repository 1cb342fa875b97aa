"""Budgets of one evaluation, which reading and writing a location share with it."""

from __future__ import annotations

from dwarfgpu.base.light_attrs import frozen


@frozen
class Limits:
    """Budgets of one evaluation; beyond them it is `LimitExceeded`."""

    steps: int = 100_000
    """Maximum number of operations and list entries, including those of nested expressions.

    It ends an endless loop within a second of processor time.
    """
    stack: int = 100_000
    """Stack entries."""
    places: int = 64
    """Places of one location description."""
    parts: int = 200_000
    """Parts of one composite location description that pieces make one by one."""
    depth: int = 4096
    """Composites inside one another: reading one takes as many steps."""
    calls: int = 256
    """DW_OP_call* inside one another."""
    nesting: int = 32
    """Separate evaluations (location lists, entry values, implicit pointers) in one another."""
    read_bytes: int = 1 << 20
    """Bytes of one object read or written."""
    total_bytes: int = 1 << 26
    """Bytes read in one evaluation, by nested expressions included."""
    runs: int = 200_000
    """Pieces of storage touched by one read or write."""
    frames: int = 600_000
    """Call frames of one stack: a stack of 8 MiB has fewer, of 16 bytes each."""
