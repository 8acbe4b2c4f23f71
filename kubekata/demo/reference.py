"""The reference solutions as modules, for a demonstration. Their source is never shown."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

from kubekata.grading.catalog import Project

if TYPE_CHECKING:
    from types import ModuleType


class NoReferenceError(Exception):
    """A reference solution that the demonstration needs is not in the repository."""


class References:
    """Loads each reference solution once: ``references["kata-05"].next_step``."""

    def __init__(self, project: Project) -> None:
        self._files = {kata.id: kata.solution for kata in project.katas}
        self._loaded: dict[str, ModuleType] = {}

    def __getitem__(self, kata: str) -> Any:
        """Return the module.

        Raises:
            NoReferenceError: it is not there.
        """
        if kata not in self._loaded:
            path = self._files.get(kata)
            if path is None or not path.is_file():
                raise NoReferenceError(f"the reference of {kata} is missing: bring it back with git checkout")
            spec = importlib.util.spec_from_file_location(f"kubekata_demo_{kata.replace('-', '_')}", path)
            if spec is None or spec.loader is None:
                raise NoReferenceError(f"the reference of {kata} cannot be loaded: {path.name}")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            self._loaded[kata] = module
        return self._loaded[kata]
