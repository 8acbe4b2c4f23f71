"""The scorecard of a mock interview, and the list of mocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from rich.text import Text

from kubekata.report.when import clock, duration, moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubekata.grading.result import KataResult
    from kubekata.report.look import Look

RATINGS = {1: "missed", 2: "partly", 3: "had it"}


class CardItem(msgspec.Struct, frozen=True):
    """One rubric item on the card."""

    title: str
    points: int
    earned: float
    must: bool


class Card(msgspec.Struct, frozen=True):
    """What a mock interview came to. `score` is what the code earned, `final` what is left after hints.

    `spent` and `pause_seconds` are durations in seconds, `tries` is how often the file was graded before the end, and
    `counted` says which version of it was graded for the card.
    """

    mock: int
    kata: str
    title: str
    level: str
    minutes: int
    seed: int
    reason: str
    started: float
    spent: float
    pauses: int
    pause_seconds: float
    tries: int
    hints: int
    hint_cost: int
    late: bool
    counted: str
    score: int
    final: int
    passed: bool
    rubric: tuple[CardItem, ...] = ()
    misconception: str = ""
    practise: tuple[str, ...] = ()


def scorecard(card: Card, ratings: Sequence[int], look: Look) -> Text:
    """The card: rubric by rubric, time against the box, hints, late or not, strengths, what to practise."""
    text = Text(f"Scorecard of mock {card.mock}: {card.kata} {look.clean(card.title)}", "bold")
    text.append(
        f"{look.glyphs.separator}{card.level}{look.glyphs.separator}{moment(card.started)}\n", "not bold dim"
    )
    room = max((len(_title(item, look)) for item in card.rubric), default=0)
    for item in card.rubric:
        whole = item.earned >= item.points
        symbol, style = (look.glyphs.passed, "green") if whole else (look.glyphs.failed, "red")
        earned = f"{item.earned:.1f}".removesuffix(".0")
        text.append(f"\n  {symbol} ", f"not bold {style}")
        text.append(f"{_title(item, look).ljust(room)}  {earned:>4} / {item.points}", "not bold")
    if card.rubric:
        text.append("\n")
    for label, words in _facts(card, ratings):
        text.append(f"\n  {label:10}", "not bold dim")
        text.append("\n            ".join(look.fold(words, look.width - 12)), "not bold")
    verdict = "passed" if card.passed else "not passed"
    text.append(f"\n\nScore {card.final} of 100: {verdict}.", "bold green" if card.passed else "bold red")
    return text


def _facts(card: Card, ratings: Sequence[int]) -> list[tuple[str, str]]:
    percent = round(100 * card.spent / (card.minutes * 60))
    over = f", which is {clock(card.spent - card.minutes * 60)} too late" if card.late else f" ({percent}%)"
    facts = [("Time", f"{clock(card.spent)} of {card.minutes}:00{over}"), ("Counted", card.counted)]
    if card.pauses:
        facts.append(("Paused", f"once, for {duration(card.pause_seconds)}"))
    if card.hints:
        facts.append(("Hints", f"{card.hints}, which cost {card.hint_cost} points of {card.score}"))
    else:
        facts.append(("Hints", "none"))
    if card.tries:
        facts.append(("Graded", f"{card.tries} time{'s' if card.tries > 1 else ''} before the end"))
    if ratings:
        counts = [f"{sum(given == rating for given in ratings)} {word}" for rating, word in RATINGS.items()]
        facts.append(("Questions", ", ".join(reversed(counts))))
    strengths = [item.title for item in card.rubric if item.earned >= item.points]
    if strengths:
        facts.append(("Strong", ", ".join(strengths)))
    if card.misconception:
        facts.append(("Looks like", card.misconception))
    facts += [("Practise", words) for words in card.practise]
    return facts


def standing(result: KataResult, look: Look) -> Text:
    """What an interviewer says about a version that is handed in: which items hold, and nothing more."""
    text = Text(f"{result.score} of 100", "bold")
    fatal = next((problem for problem in result.problems if problem.fatal), None)
    if fatal:
        text.append(f"\n  {look.glyphs.failed} {look.clean(fatal.message)}", "not bold red")
        return text
    for item in result.rubric:
        whole = item.earned >= item.points
        symbol, style = (look.glyphs.passed, "green") if whole else (look.glyphs.failed, "red")
        text.append(f"\n  {symbol} ", f"not bold {style}")
        text.append(look.clean(item.title) + (" (must)" if item.must else ""), "not bold")
    return text


def mocks(cards: Sequence[Card], look: Look, running: str = "") -> Text:
    """A line for each mock, oldest first; `running` is said about one that goes on."""
    lines = []
    if cards:
        room = max(len(look.clean(card.title)) for card in cards)
        heading = f"    {'mock':>4}  {'when':16}  {'kata':7}  {'':{room}}  score  {'time':>14}  hints"
        lines.append(Text(heading, "dim"))
    for card in cards:
        line = Text("  ")
        symbol, style = (look.glyphs.passed, "green") if card.passed else (look.glyphs.failed, "red")
        line.append(symbol, style)
        line.append(
            f" {card.mock:>4}  {moment(card.started)}  {card.kata:7}  {look.clean(card.title).ljust(room)}"
        )
        line.append(f"  {card.final:>5}", "bold")
        time = f"{clock(card.spent)} of {card.minutes}:00"
        line.append(f"  {time:>14}  {card.hints or '-':>5}")
        if card.late:
            line.append("  late", "yellow")
        lines.append(line)
    if running:
        lines.append(Text(look.clean(running), "cyan"))
    return Text("\n").join(lines)


def _title(item: CardItem, look: Look) -> str:
    return look.clean(item.title) + (" (must)" if item.must else "")
