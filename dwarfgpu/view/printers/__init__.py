"""Printers for classes whose members are not informative (docs/printers.md)."""
