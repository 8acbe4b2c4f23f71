"""Compiling the learner's file, running it as a module, and looking at what it defines."""

import contextlib
import functools
import inspect
import linecache
import sys
import types
import warnings
from typing import Any

from kubekata.grading.wire.messages import EntryPointFound
from kubekata.grading.worker import SUBMISSION_FILE, SUBMISSION_MODULE

_MISSING = object()
_compiled: dict[str, types.CodeType] = {}


def prepare(source: str) -> None:
    """In the zygote: compile once for all children. What does not compile is left to a child to complain about.

    Warnings about the syntax are not the submission's output, and are dropped.
    """
    _compiled.clear()
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _compiled[source] = _compile(source)


def _compile(source: str) -> types.CodeType:
    return compile(source, SUBMISSION_FILE, "exec", dont_inherit=True)


def load(source: str) -> types.ModuleType:
    """Run `source` as the module `kata`. Raises whatever it raises."""
    module = types.ModuleType(SUBMISSION_MODULE)
    module.__file__ = SUBMISSION_FILE
    # Dataclasses, pickle and `inspect` look their module up by name.
    sys.modules[SUBMISSION_MODULE] = module
    lines = source.splitlines(keepends=True)
    linecache.cache[SUBMISSION_FILE] = (len(source), None, lines, SUBMISSION_FILE)
    exec(_compiled.get(source) or _compile(source), module.__dict__)
    return module


def find(module: types.ModuleType, names: tuple[str, ...]) -> tuple[EntryPointFound, ...]:
    """What the module has under each of `names`; a dotted name is a method. Missing ones are left out."""
    found = []
    for name in names:
        owner: Any = module
        for part in name.split(".")[:-1]:
            owner = getattr(owner, part, None)
        value = inspect.getattr_static(owner, name.rpartition(".")[2], _MISSING)
        if value is not _MISSING:
            found.append(_describe(name, value))
    return tuple(found)


def defined_names(module: types.ModuleType) -> tuple[str, ...]:
    """The functions and classes that the file itself defines, in order."""
    return tuple(
        name
        for name, value in module.__dict__.items()
        if callable(value) and getattr(value, "__module__", None) == SUBMISSION_MODULE
    )


def _describe(name: str, value: Any) -> EntryPointFound:
    is_static = isinstance(value, staticmethod)
    function = value.__func__ if isinstance(value, staticmethod | classmethod) else value
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return EntryPointFound(name, _kind(function), type(value).__name__)
    if "." in name and not is_static:
        parameters = parameters[1:]
    described = tuple(
        (parameter.name, parameter.kind.name, parameter.default is not parameter.empty)
        for parameter in parameters
    )
    return EntryPointFound(name, _kind(function), type(value).__name__, described)


def _kind(value: Any) -> str:
    while isinstance(value, functools.partial):
        value = value.func
    if isinstance(value, type):
        return "class"
    plain = inspect.unwrap(value) if callable(value) else value
    if inspect.iscoroutinefunction(plain) or inspect.isasyncgenfunction(plain):
        return "async"
    if inspect.isgeneratorfunction(plain):
        return "generator"
    return "function" if callable(value) else "other"
