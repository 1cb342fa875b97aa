"""Printers: how values of classes are shown whose members say little (docs/printers.md)."""
