"""An attribute that is computed when it is first read, and then kept.

Law: threads that read it at once may each compute it, and all get the object that was kept first.
That of `functools` has a lock in Python 3.11, which all objects of a class share: two threads that
compute attributes which need each other's wait for ever.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

__all__ = ["cached_property"]

if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property(functools.cached_property):  # attrs looks for those of `functools`
        """A `functools.cached_property` without a lock."""

        def __init__(self, compute):
            self.func = compute
            self.name = compute.__name__
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            # Read only where the object's own dictionary lacks the name.
            return instance.__dict__.setdefault(self.name, self.func(instance))
