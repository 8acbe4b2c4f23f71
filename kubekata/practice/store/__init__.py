"""The progress store: one SQLite file. What is in it is read and written by the modules beside this package."""

from kubekata.practice.store.opening import StoreUnavailable, open_store
from kubekata.practice.store.store import Store

__all__ = ["Store", "StoreUnavailable", "open_store"]
