"""A stopped process described by a core file.

`load` opens it with all its files, `notes` reads its notes, `modules` finds what was mapped,
`memory` reads it, `write` makes a new one.
"""
