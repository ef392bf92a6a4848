"""A map that forgets the least recently used entry beyond its capacity."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedMap(Generic[K, V]):
    """Safe to use from several threads: each step is one call into C."""

    __slots__ = ("_capacity", "_entries")

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """The entry, which is thereby used."""
        value = self._entries.get(key)
        if value is not None:
            try:
                self._entries.move_to_end(key)
            except KeyError:  # another thread forgot it
                pass
        return value

    def set(self, key: K, value: V) -> None:
        """Replaces the entry."""
        self._entries[key] = value
        self._shrink()

    def pop(self, key: K) -> V | None:
        """Removes the entry and returns it."""
        return self._entries.pop(key, None)

    def get_or_set(self, key: K, value: V) -> V:
        """The entry, or ``value`` if there was none."""
        found = self.get(key)
        if found is not None:
            return found
        found = self._entries.setdefault(key, value)
        self._shrink()
        return found

    def _shrink(self) -> None:
        while len(self._entries) > self._capacity:
            try:
                self._entries.popitem(last=False)
            except KeyError:
                break

    def __len__(self) -> int:
        return len(self._entries)
