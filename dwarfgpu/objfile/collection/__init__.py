"""Many object files in one: archives, wheels, Debian packages, fat binaries, folders."""
