"""`python grader.py watch kata-05`: grades on every save, from warm processes."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import click

from kubekata.commands.advice import shown
from kubekata.commands.finding import find_kata, kata_argument, katas, no_color_option
from kubekata.commands.keyboard import END, Keyboard
from kubekata.commands.own import unreadable, why_lost
from kubekata.commands.progress import recall, remember
from kubekata.commands.record import Own, record, with_hints
from kubekata.commands.screen import ProgressLine, Screen
from kubekata.commands.status import PASSED, CouldNotGradeError, WrongUsageError
from kubekata.grading.catalog import Project

if TYPE_CHECKING:
    from kubekata.grading.catalog import Kata
    from kubekata.grading.result import KataResult
    from kubekata.grading.run import Grader
    from kubekata.practice.store import Store

_LOOK_EVERY = 0.02
_LONGEST_LOOK = 1.0
"""Seconds; where a first look takes longer, waiting for it before the full grade makes everything slower."""
KEYS = "h hint  r reset  n next kata  l list  d diff  enter again  q quit"
_CLEAR = "\x1b[2J\x1b[H"
"""Clears what is on the screen, and leaves what has scrolled off it."""


@click.command("watch")
@kata_argument(required=False)
@no_color_option()
def watch(name: str | None, no_color: bool) -> int:
    """Grade a kata on every save; without KATA the one that `next` names.

    Keys: h hint, r reset, n next kata, l list, d difference to the last attempt, Enter grade again, q quit.
    """
    from kubekata.grading.run import Grader

    if not hasattr(os, "fork"):
        raise CouldNotGradeError("grading needs fork(), which Windows lacks: run it in WSL.")
    kata = find_kata(name) if name else _next(None)
    if kata is None:
        raise WrongUsageError("there are no katas in this folder: katas/ is empty.")
    keyboard = Keyboard()
    try:
        with keyboard, Grader("auto") as grader:
            Watch(kata, grader, keyboard, Screen(color=not no_color)).run()
    except KeyboardInterrupt:
        return keyboard.status
    return PASSED


class Watch:
    """The loop: looks at the file, grades what is new, and does what keys ask for."""

    def __init__(self, kata: Kata, grader: Grader, keyboard: Keyboard, screen: Screen) -> None:
        from kubekata.practice.watching import FileWatch

        self.kata = kata
        self.file = FileWatch(kata.submission)
        self.grader = grader
        self.keyboard = keyboard
        self.screen = screen
        self.result: KataResult | None = None
        self.text = ""
        self.looks_first = True

    def run(self) -> None:
        """Go on until somebody quits."""
        self._begin()
        actions = {
            "h": self._hint,
            "r": self._reset,
            "n": self._next_kata,
            "l": self._list,
            "d": self._diff,
            "\n": self._grade,
            "\r": self._grade,
            " ": self._grade,
            "?": self._footer,
        }
        while True:
            text = self.file.poll()
            if text is not None:
                self.text = text
                self._grade()
            elif self.file.lost():
                self._say(f"\n{why_lost(self.kata)}")
            if self.keyboard.resumed:
                self.keyboard.resumed = False
                self._redraw()
            key = self.keyboard.key(_LOOK_EVERY)
            if key in ("q", END):
                return
            if key in actions:
                actions[key]()

    def _begin(self) -> None:
        """Start with a kata: from here on time counts as work on it."""
        from kubekata.practice import attempts, stub
        from kubekata.practice.watching import FileWatch

        self.file = FileWatch(self.kata.submission)
        self.result = None
        self.looks_first = True

        def visit(store: Store) -> None:
            stub.remember(store, self.kata)
            attempts.visit(store, self.kata.id)

        remember(self.kata.project, visit)

    def _grade(self) -> None:
        from kubekata.commands.grade import with_short_path
        from kubekata.grading.run import CouldNotGrade, UnreadableSubmission

        own = Own(self.kata, self.text)
        before = self.result
        try:
            if self.keyboard.live and self.screen.color and self.looks_first:
                self._look_first(own)
            with ProgressLine(f"grading {self.kata.id}") as progress:
                result = self.grader.grade(self.kata, on_progress=progress)
        except UnreadableSubmission as error:
            self._say(f"{unreadable(error).message} Waiting for the next save.")
            return
        except CouldNotGrade as error:
            self._say(f"{error}. Waiting for the next save.")
            return
        self.result = with_hints(with_short_path(result), own)
        self._redraw(before)
        record([(self.result, own)])

    def _look_first(self, own: Own) -> None:
        """Show what a quick grade says. It is not recorded: the full grade follows and has the last word."""
        from kubekata.commands.grade import with_short_path
        from kubekata.grading.effort import FIRST_LOOK

        start = time.monotonic()
        result = self.grader.grade(self.kata, effort=FIRST_LOOK)
        self.looks_first = time.monotonic() - start < _LONGEST_LOOK
        if any(item.tests for item in result.rubric):
            self._show(with_hints(with_short_path(result), own))
            self._say("\nA first look; now every test in a fresh process...")

    def _redraw(self, before: KataResult | None = None) -> None:
        """The verdict, then the keys."""
        if self.result is not None:
            self._show(self.result)
            self._footer(_change(before, self.result))

    def _show(self, result: KataResult) -> None:
        """A verdict on a clean screen."""
        from kubekata.commands.grade import advice_about
        from kubekata.report.terminal import graded

        if self.screen.color:
            sys.stdout.write(_CLEAR)
        advice = advice_about(self.kata, result, own_file=True)
        self.screen.show(graded(result, self.screen.look, advice))

    def _footer(self, remark: str = "") -> None:
        line = f"{time.strftime('%H:%M:%S')}  {remark}watching {shown(self.kata.submission)}"
        keys = f"\n{KEYS}" if self.keyboard.live else ", Ctrl-C ends it"
        self._say(f"\n{line}{keys}")

    def _say(self, text: str) -> None:
        from rich.text import Text

        self.screen.show(Text(text, "dim"))
        sys.stdout.flush()

    def _hint(self) -> None:
        from kubekata.commands.hint import show_hint

        self._say("")
        with self.keyboard.lines():
            show_hint(self.kata, self.screen)
        self._footer()

    def _reset(self) -> None:
        from kubekata.commands.reset import reset_file

        self._say("\nPut the stub back? Yours is kept beside it. y/n")
        answer = ""
        while not answer:
            answer = self.keyboard.key(1)
        try:
            self._say(reset_file(self.kata) if answer == "y" else "Nothing was changed.")
        except WrongUsageError as error:
            self._say(error.message)

    def _next_kata(self) -> None:
        kata = _next(self.kata)
        if kata is None or kata.id == self.kata.id:
            self._say("\nThere is no other kata that is not passed.")
            return
        self.kata = kata
        if self.screen.color:
            sys.stdout.write(_CLEAR)
        self._say(f"{kata.id} {kata.title}: the brief is {shown(kata.brief)}.")
        self._begin()

    def _list(self) -> None:
        from kubekata.commands.overview import overview

        self._say("")
        overview()
        self._footer()

    def _diff(self) -> None:
        from rich.text import Text

        from kubekata.commands.diff import compare

        self._say("")
        try:
            shown_text = recall(
                self.kata.project, lambda store: compare(store, self.kata, [], self.screen.look)
            )
        except WrongUsageError as error:
            self._say(error.message)
        else:
            self.screen.show(shown_text or Text("Nothing was graded yet."))
        self._footer()


def _next(current: Kata | None) -> Kata | None:
    """The kata to go to: what `next` says, and if that is the current one, the next that is not passed."""
    from kubekata.commands.next import choose
    from kubekata.commands.scores import passed_katas

    known = katas()
    if not known:
        return None
    project = Project()
    kata = choose(project, known).kata
    if current is None or kata.id != current.id:
        return kata
    passed = passed_katas(project)
    later = [other for other in known if other.file.number > current.file.number]
    return next(
        (other for other in [*later, *known] if other.id not in passed and other.id != current.id), None
    )


def _change(before: KataResult | None, after: KataResult) -> str:
    """How the score moved since the last save."""
    if before is None or before.score == after.score:
        return ""
    word = "up" if after.score > before.score else "down"
    return f"{word} from {before.score} to {after.score}, "
