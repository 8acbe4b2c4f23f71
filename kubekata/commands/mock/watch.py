"""`python grader.py mock watch`: the clock of the running mock interview, live."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING

import click

from kubekata.commands.finding import no_color_option
from kubekata.commands.keyboard import END, Keyboard
from kubekata.commands.mock.finish import finish_now
from kubekata.commands.mock.running import running_mock, shown_clock
from kubekata.commands.mock.steps import pause_now, resume_now, submit_now
from kubekata.commands.own import why_lost
from kubekata.commands.progress import progress_of
from kubekata.commands.screen import Screen
from kubekata.commands.status import PASSED, PROGRAM

if TYPE_CHECKING:
    from kubekata.grading.catalog import Kata
    from kubekata.practice.mocks import Mock

KEYS = "s submit  p pause  h hint  f finish  q quit"
_LOOK_EVERY = 0.2
_PLAIN_EVERY = 60.0


@click.command("watch")
@no_color_option()
def watch(no_color: bool) -> int:
    """Show the clock. Keys: s submit, p pause and go on, h hint, f finish, q quit (the clock goes on)."""
    mock, kata = running_mock()
    keyboard = Keyboard()
    screen = Screen(color=not no_color)
    try:
        with keyboard:
            wants_to_finish = Clock(mock, kata, keyboard, screen).run()
    except KeyboardInterrupt:
        print()
        return keyboard.status
    if wants_to_finish:
        return finish_now(running_mock()[0], kata, screen, questions=True)
    return PASSED


class Clock:
    """The line with the time, and what keys ask for. Every saved version is kept meanwhile."""

    def __init__(self, mock: Mock, kata: Kata, keyboard: Keyboard, screen: Screen) -> None:
        from kubekata.practice.watching import FileWatch

        self.mock = mock
        self.kata = kata
        self.keyboard = keyboard
        self.screen = screen
        self.file = FileWatch(kata.submission)
        self.live = sys.stdout.isatty() and keyboard.live
        self.saved = ""
        self.drawn = 0
        self.next_plain = 0.0
        self.ask_at = 0.0
        self.told = False

    def run(self) -> bool:
        """Go on until somebody quits (False) or wants to finish (True)."""
        print(f"{self.kata.id} {self.kata.title}, mock {self.mock.id}." + (f" {KEYS}" if self.live else ""))
        while True:
            text = self.file.poll()
            if text is not None:
                self._keep(text)
            elif self.file.lost():
                self._below()
                print(why_lost(self.kata), flush=True)
            self._draw()
            key = self.keyboard.key(_LOOK_EVERY)
            if key in ("q", END):
                self._below()
                return False
            if key == "f":
                self._below()
                return True
            if key in ("s", "p", "h"):
                self._below()
                self._do(key)
            if self._refresh() is None:
                self._below()
                return False

    def _do(self, key: str) -> None:
        from kubekata.commands.hint import show_hint

        self.ask_at = 0.0
        try:
            if key == "s":
                submit_now(self.mock, self.kata, self.screen)
            elif key == "h":
                with self.keyboard.lines():
                    show_hint(self.kata, self.screen)
            else:
                print(pause_now(self.mock) if self.mock.paused is None else resume_now(self.mock))
        except click.ClickException as error:
            print(error.format_message())
        except click.Abort:
            print("Not taken.")

    def _refresh(self) -> Mock | None:
        """The mock as the store has it now: another terminal may have paused or finished it (then None)."""
        from kubekata.practice import mocks

        if time.monotonic() < self.ask_at:
            return self.mock
        self.ask_at = time.monotonic() + 1
        with progress_of(self.kata.project) as store:
            self.mock = mocks.get(store, self.mock.id)
        return None if self.mock.finished else self.mock

    def _keep(self, text: str) -> None:
        from kubekata.practice import snapshots
        from kubekata.practice.home import home

        snapshots.keep_now(home(self.kata.project.root), self.mock, self.kata.submission, text)
        self.saved = f", saved {time.strftime('%H:%M:%S', time.localtime(self.file.saved_at()))}"

    def _draw(self) -> None:
        now = time.time()
        if self.mock.left(now) < 0 and not self.told:
            self.told = True
            self._below()
            bell = "\a" if self.live else ""
            ending = (
                "press f for the scorecard" if self.live else f"`{PROGRAM} mock finish` makes the scorecard"
            )
            print(f"{bell}The time is over. What was saved before it counts: {ending}.", flush=True)
        text = shown_clock(self.mock, now) + self.saved
        if self.live:
            text = text[: shutil.get_terminal_size().columns - 1]
            print("\r" + text.ljust(self.drawn), end="", flush=True)
            self.drawn = len(text)
        elif time.monotonic() >= self.next_plain:
            self.next_plain = time.monotonic() + _PLAIN_EVERY
            print(text, flush=True)

    def _below(self) -> None:
        if self.live and self.drawn:
            print(flush=True)
            self.drawn = 0
