"""Many object files in one: archives, wheels, Debian packages, fat binaries, folders.

`members` lists them, `open_member` opens one; `ar`, `tar` and `zip` read the formats.
"""
