"""The page: each part says in a sentence what it shows, draws it, and has the same numbers as a table behind it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from kubekata.report.html import charts
from kubekata.report.html.style import CSS
from kubekata.report.when import clock, duration, moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubekata.report.card import Card
    from kubekata.report.html.charts import Drawing, Series
    from kubekata.report.html.model import KataLine, Progress, Stepwise

_RIGHT = "number"


def page(progress: Progress) -> str:
    """The whole document."""
    sections = [
        ("skills", "Skill map", _skills(progress)),
        ("scores", "Score over time", _scores(progress)),
        ("times", "Time to pass", _times(progress)),
        ("mocks", "Mock interviews", _mocks(progress.cards)),
        ("traces", "Step by step", _traces(progress.traces)),
        ("katas", "Every kata", _katas(progress.katas)),
    ]
    links = "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title, _ in sections)
    body = "".join(
        f'<section aria-labelledby="{name}"><h2 id="{name}">{title}</h2>{html}</section>'
        for name, title, html in sections
    )
    made = moment(progress.made_at)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>kubekata: progress on {made}</title><style>{CSS}</style></head><body>"
        '<a class="skip" href="#skills">Skip to the content</a>'
        f'<header><h1>Progress</h1><p class="quiet">kubekata, {made}</p>{_figures(progress)}'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav></header><main>{body}</main>'
        "<footer>Made by <code>python grader.py report</code>. This file loads nothing from elsewhere.</footer>"
        "</body></html>\n"
    )


def _figures(progress: Progress) -> str:
    passed = sum(kata.state == "passed" for kata in progress.katas)
    graded = [kata.best for kata in progress.katas if kata.best is not None]
    hints = sum(kata.hints for kata in progress.katas)
    figures = [
        ("Passed", f"{passed} of {len(progress.katas)}"),
        ("Mean of the best scores", f"{sum(graded) / len(graded):.0f}" if graded else "none"),
        ("Attempts", str(len(progress.points))),
        ("Hints taken", str(hints)),
        ("Mock interviews", str(len(progress.cards))),
    ]
    return '<dl class="figures">' + "".join(
        f"<div><dt>{label}</dt><dd>{value}</dd></div>" for label, value in figures
    ) + "</dl>"  # fmt: skip


def _skills(progress: Progress) -> str:
    topics: dict[str, list[int | None]] = {}
    for kata in progress.katas:
        for tag in kata.tags:
            topics.setdefault(tag, []).append(kata.best)
    rows = [
        (
            topic,
            sum(best or 0 for best in bests) / len(bests),
            sum(best is not None for best in bests),
            len(bests),
        )
        for topic, bests in topics.items()
    ]
    rows.sort(key=lambda row: (-row[1], row[0]))
    seen = [row for row in rows if row[2]]
    table = _table(
        "Topics: mean of the best scores of their katas; a kata that was never graded counts as 0",
        ["Topic", "Mean", "Katas graded", "Katas"],
        [[topic, f"{mean:.0f}", str(graded), str(count)] for topic, mean, graded, count in rows],
    )
    if not seen:
        return _nothing("No kata was graded yet.") + _behind(table)
    unseen = ", ".join(row[0] for row in rows if not row[2])
    remark = f'<p class="quiet">Not tried yet: {escape(unseen)}.</p>' if unseen else ""
    best, worst = seen[0], seen[-1]
    label = (
        f"Bars by topic: best {best[0]} with {best[1]:.0f}, weakest {worst[0]} with {worst[1]:.0f} of 100."
    )
    return (
        _figure("Mean of the best scores, by topic", label, charts.skills([row[:2] for row in seen]), table)
        + remark
    )


def _scores(progress: Progress) -> str:
    points = sorted(progress.points, key=lambda point: point.at)
    if not points:
        return _nothing("No kata was graded yet.")
    titles = {kata.id: f"{kata.id} {kata.title}" for kata in progress.katas}
    table = _table(
        "Attempts, newest first",
        ["When", "Kata", "Score", "Passed"],
        [
            [
                moment(point.at),
                titles.get(point.kata, point.kata),
                str(point.score),
                "yes" if point.passed else "no",
            ]
            for point in reversed(points)
        ],
    )
    label = f"Lines, one for each kata: {len(points)} attempts from {moment(points[0].at)} to {moment(points[-1].at)}."
    return _figure("Score of each attempt", label, charts.scores(points, titles), table)


def _times(progress: Progress) -> str:
    passed = [kata for kata in progress.katas if kata.to_pass]
    if not passed:
        return _nothing("Nothing to show yet: time counts from `show`, `open` or `watch` to the first pass.")
    table = _table(
        "Work until the first pass, without breaks of an hour or more",
        ["Kata", "Worked", "Time box"],
        [[f"{kata.id} {kata.title}", duration(kata.to_pass or 0), f"{kata.minutes} min"] for kata in passed],
    )
    within = sum((kata.to_pass or 0) <= kata.minutes * 60 for kata in passed)
    label = f"Bars by kata: {within} of {len(passed)} passed within the time box."
    return _figure("Minutes of work until passed, against the time box", label, charts.times(passed), table)


def _mocks(cards: Sequence[Card]) -> str:
    if not cards:
        return _nothing("There was no mock interview yet: `python grader.py mock` begins one.")
    return '<div class="cards">' + "".join(map(_card, reversed(cards))) + "</div>"


def _card(card: Card) -> str:
    items = "".join(
        f"<li>{_verdict(item.earned >= item.points, '✓', '✗')} {escape(item.title)}"
        f' <span class="quiet">{item.earned:g} / {item.points}{", must" if item.must else ""}</span></li>'
        for item in card.rubric
    )
    facts = [f"{clock(card.spent)} of {card.minutes}:00" + (", late" if card.late else "")]
    if card.hints:
        facts.append(f"{card.hints} hint{'s' if card.hints > 1 else ''} (minus {card.hint_cost})")
    if card.pauses:
        facts.append(f"paused for {duration(card.pause_seconds)}")
    practise = "".join(f"<p>Practise: {escape(words)}.</p>" for words in card.practise[:2])
    return (
        f'<article aria-labelledby="mock-{card.mock}"><h3 id="mock-{card.mock}">Mock {card.mock}: '
        f"{escape(card.kata)} {escape(card.title)}</h3>"
        f'<p class="quiet">{moment(card.started)}, {escape(card.level)}</p>'
        f'<p class="score">{card.final} {_verdict(card.passed, "passed", "not passed")}</p>'
        f"<p>{escape(', '.join(facts))}</p><ul>{items}</ul>"
        f'<p class="quiet">Counted: {escape(card.counted)}.</p>{practise}</article>'
    )


def _traces(traces: Sequence[Stepwise]) -> str:
    drawn = [stepwise for stepwise in traces if charts.has_counts(stepwise.yours)]
    if not drawn:
        return _nothing("No kata that happens in steps was graded yet.")
    return "".join(_trace(stepwise, number) for number, stepwise in enumerate(drawn, start=1))


def _trace(stepwise: Stepwise, number: int) -> str:
    rows = []
    reference = stepwise.reference.steps if stepwise.reference else ()
    for index in range(max(len(stepwise.yours.steps), len(reference))):
        mine = stepwise.yours.steps[index] if index < len(stepwise.yours.steps) else None
        theirs = reference[index] if index < len(reference) else None
        counts = [
            getattr(step, name) if step else None for step in (mine, theirs) for name in ("ready", "total")
        ]
        rows.append([
            str(index), mine.label if mine else "", *("" if count is None else str(count) for count in counts),
        ])  # fmt: skip
    bounds = [
        f"{name} {bound}"
        for name, bound in (("floor", stepwise.yours.floor), ("ceiling", stepwise.yours.ceiling))
        if bound is not None
    ]
    table = _table(
        f"Pods after each step{'; ' if bounds else ''}{', '.join(bounds)}",
        ["Step", "Yours does", "Ready", "Total", "Ready, reference", "Total, reference"],
        rows,
    )
    word = "holds" if stepwise.passed else "does not hold"
    caption = f"{stepwise.kata} {stepwise.title}: {stepwise.scenario} ({word})"
    within = ", ".join(bounds) or "no bounds"
    count = len(stepwise.yours.steps)
    label = f"Lines of ready and total pods over {count} steps, yours and the reference's; {within}."
    return _figure(caption, label, charts.steps(stepwise, number), table)


def _katas(katas: Sequence[KataLine]) -> str:
    table = _table(
        "State, best score, attempts and hints of every kata",
        ["Kata", "Level", "State", "Best", "Attempts", "Hints"],
        [
            [
                f"{kata.id} {kata.title}",
                kata.level,
                kata.state,
                "" if kata.best is None else str(kata.best),
                str(kata.attempts or ""),
                str(kata.hints or ""),
            ]
            for kata in katas
        ],
    )
    return f'<div class="scroll">{table}</div>'


def _figure(caption: str, label: str, drawing: Drawing, table: str) -> str:
    """A chart with its caption; for those who cannot see it a sentence, and the table behind."""
    return (
        f"<figure><figcaption>{escape(caption)}</figcaption>"
        f'<div class="chart" role="img" aria-label="{escape(label)} The table below has the numbers." tabindex="0">'
        f"{drawing.svg}</div>{_legend(drawing.legend)}{_behind(table)}</figure>"
    )


def _legend(legend: Sequence[Series]) -> str:
    if not legend:
        return ""
    entries = "".join(
        f'<li><span class="swatch {one.line}" style="--colour: var(--series-{one.colour})"></span>'
        f"{escape(one.name)}</li>"
        for one in legend
    )
    return f'<ul class="legend" aria-hidden="true">{entries}</ul>'


def _behind(table: str) -> str:
    return f'<details><summary>The numbers as a table</summary><div class="scroll">{table}</div></details>'


def _table(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    numeric = [
        bool(rows) and all(row[column].replace(".", "").isdigit() or not row[column] for row in rows)
        for column in range(len(headings))
    ]
    classes = [f' class="{_RIGHT}"' if is_number else "" for is_number in numeric]
    head = "".join(
        f'<th scope="col"{kind}>{escape(text)}</th>' for text, kind in zip(headings, classes, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{escape(text)}</td>" for text, kind in zip(row, classes, strict=True))
        + "</tr>"
        for row in rows
    )
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _verdict(good: bool, yes: str, no: str) -> str:
    return f'<span class="{"good" if good else "bad"}">{yes if good else no}</span>'


def _nothing(text: str) -> str:
    return f'<p class="quiet">{escape(text)}</p>'
