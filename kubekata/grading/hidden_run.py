"""One pytest run over a kata's hidden tests, in this process and without a word on the terminal."""

import contextlib
import os
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator

import pytest

from kubekata.grading.catalog import Kata
from kubekata.grading.effort import FULL, Effort
from kubekata.grading.host.pool import Lane
from kubekata.grading.plugin import HiddenTests
from kubekata.grading.result import HiddenTestResult
from kubekata.grading.wire.messages import Refusal

_BACKSTOP_SECONDS = 300
_HUSHED_VARIABLES = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "CI", "BUILD_NUMBER", "PYTEST_DEBUG")
_UNUSED_PLUGINS = (
    "cacheprovider",
    "debugging",
    "doctest",
    "faulthandler",
    "junitxml",
    "legacypath",
    "logging",
    "nose",
    "pastebin",
    "pytester",
    "recwarn",
    "setuponly",
    "setupplan",
    "stepwise",
    "subtests",
    "terminal",
    "threadexception",
    "unittest",
    "unraisableexception",
    "warnings",
)


class Ran:
    """What the hidden tests said: results by rubric item in the order of the file, and what came with them."""

    def __init__(self, plugin: HiddenTests) -> None:
        self.tests: dict[str, list[HiddenTestResult]] = plugin.results()
        self.lines: frozenset[int] = plugin.lines
        self.refusals: list[Refusal] = plugin.refusals
        self.faults: list[str] = plugin.faults


def run(
    kata: Kata,
    lanes: tuple[Lane, ...],
    reference: Callable[[], types.ModuleType],
    *,
    seed: int,
    time_limit: float,
    effort: Effort = FULL,
    on_test: Callable[[int, int, str], None] | None = None,
) -> Ran:
    """Run every hidden test, on each lane in turn. `time_limit` is in seconds; tests after it are not run."""
    plugin = HiddenTests(
        kata,
        lanes,
        reference,
        seed=seed,
        end=time.monotonic() + time_limit,
        effort=effort,
        on_test=on_test,
    )
    with _undisturbed(), _forgotten(kata):
        status = pytest.main(_arguments(kata), plugins=[plugin])
    if status == pytest.ExitCode.INTERRUPTED and not plugin.faults:
        raise KeyboardInterrupt  # pytest keeps Ctrl-C to itself
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and not plugin.faults:
        plugin.faults.append(f"pytest ended with {pytest.ExitCode(status).name} on {kata.name}")
    return Ran(plugin)


def _arguments(kata: Kata) -> list[str]:
    arguments = [
        str(kata.hidden_tests),
        f"--rootdir={kata.reference}",
        # Neither the project's settings nor a file that a learner left anywhere has a say in a grade.
        f"--config-file={os.devnull}",
        "--noconftest",
        "--disable-plugin-autoload",
        "--import-mode=importlib",
        # Hidden tests speak through `scenario`, and a bare assert that fails is a fault of the test.
        "--assert=plain",
        "--capture=sys",
    ]
    for name in _UNUSED_PLUGINS:
        arguments += ["-p", f"no:{name}"]
    # pytest-timeout bounds what the deadlines of the boundary do not: our own side of a test. Its signal needs
    # the main thread, and its other method would end the whole process.
    if hasattr(threading, "main_thread") and threading.current_thread() is threading.main_thread():
        arguments += [
            "-p",
            "pytest_timeout",
            "-o",
            f"timeout={_BACKSTOP_SECONDS}",
            "-o",
            "timeout_method=signal",
        ]
    return arguments


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep the caller's environment and bytecode setting out of the run, and restore them after it."""
    kept = {name: os.environ.pop(name) for name in _HUSHED_VARIABLES if name in os.environ}
    dont_write = sys.dont_write_bytecode
    try:
        yield
    finally:
        sys.dont_write_bytecode = dont_write
        os.environ.update(kept)


@contextlib.contextmanager
def _forgotten(kata: Kata) -> Iterator[None]:
    """Import the hidden tests anew in every run, so that a warm process sees an edited file."""
    try:
        yield
    finally:
        for name, module in list(sys.modules.items()):
            if getattr(module, "__file__", None) == str(kata.hidden_tests):
                del sys.modules[name]
