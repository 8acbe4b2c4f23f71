"""Makes `from kata import …` in each test_examples.py mean the kata.py beside it, however many folders run at once.

The environment variable KUBEKATA_SUBMISSION names another file to run the examples against.
"""

import contextlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

_modules: dict[Path, ModuleType] = {}


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """While examples are imported, `kata` is their own."""
    if not isinstance(collector, pytest.Module):
        return (yield)
    with _kata_of(collector.path.parent):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """And while they run, too: an example may import inside its function."""
    with _kata_of(item.path.parent):
        return (yield)


@contextlib.contextmanager
def _kata_of(folder: Path) -> Iterator[None]:
    submission = Path(os.environ.get("KUBEKATA_SUBMISSION") or folder / "kata.py")
    if folder in _modules:
        sys.modules["kata"] = _modules[folder]
    finder = _Finder(submission)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        module = sys.modules.pop("kata", None)
        if module is not None:
            _modules[folder] = module


class _Finder:
    """Finds the module `kata` in one file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> object:
        if name != "kata":
            return None
        return importlib.util.spec_from_file_location("kata", self._file)
