"""pytest over a kata's hidden tests, once for each hash seed and without a word on the terminal."""

import contextlib
import gc
import os
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Sequence

import pytest

from kubekata.grading.catalog import Kata
from kubekata.grading.effort import FULL, Effort
from kubekata.grading.host import aside
from kubekata.grading.host.pool import Lane
from kubekata.grading.plugin import HiddenTests
from kubekata.grading.ran import Ran, both

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


def run(
    kata: Kata,
    lanes: Sequence[Lane],
    reference: Callable[[], types.ModuleType],
    *,
    seed: int,
    time_limit: float,
    effort: Effort = FULL,
    side_by_side: bool = True,
    on_test: Callable[[int, int, str], None] | None = None,
) -> Ran:
    """Run every hidden test on one lane or two: in turn, or side by side, which says the same.

    `time_limit` is in seconds; tests after it are not run. Raises HostFault.
    """
    end = time.monotonic() + time_limit

    def on_lane(
        lane: Lane,
        *,
        before: Ran | None = None,
        repeats: bool = False,
        on_test: Callable[[int, int, str], None] | None = None,
    ) -> Ran:
        plugin = HiddenTests(
            kata,
            lane,
            reference,
            seed=seed,
            end=end,
            effort=effort,
            repeats=repeats,
            decided=before.not_passed if before else frozenset(),
            on_test=on_test,
        )
        return _run_on(plugin, kata)

    first, *others = lanes
    if not others:
        return on_lane(first, on_test=on_test)
    (second,) = others
    if not side_by_side or not aside.is_safe():
        ran = on_lane(first, on_test=on_test)
        return both(ran, on_lane(second, before=ran, repeats=True))
    _import_hypothesis(kata)
    try:
        with aside.Aside(lambda: on_lane(second, repeats=True), Ran) as other:
            ran = on_lane(first, on_test=on_test)
            ran_aside = other.result()
    except BaseException:
        second.hang_up()  # nobody knows what its process was about to say to the copy
        raise
    second.was_ready(ran_aside.slowness)
    return both(ran, ran_aside)


def _import_hypothesis(kata: Kata) -> None:
    """Once for both processes, since it takes long; and not for hidden tests that generate nothing."""
    if "kubekata.grading.agree" not in sys.modules and b"hypothesis" in kata.hidden_tests.read_bytes():
        import kubekata.grading.agree  # noqa: F401, PLC0415

        # Hypothesis looks for garbage once. In what has been imported so far there is none, and much to look at.
        gc.freeze()


def _run_on(plugin: HiddenTests, kata: Kata) -> Ran:
    plugin.lane.prepare()
    with _undisturbed(), _forgotten(kata):
        status = pytest.main(_arguments(kata), plugins=[plugin])
    if status == pytest.ExitCode.INTERRUPTED and not plugin.faults:
        raise KeyboardInterrupt  # pytest keeps Ctrl-C to itself
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and not plugin.faults:
        plugin.faults.append(f"pytest ended with {pytest.ExitCode(status).name} on {kata.name}")
    return Ran(
        tests=plugin.results(),
        lines=plugin.lines,
        statements=plugin.lane.statements or frozenset(),
        refusals=tuple(plugin.refusals),
        faults=tuple(plugin.faults),
        slowness=plugin.lane.slowness,
    )


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
