"""The charts, as SVG by pygal.

pygal is pure Python and draws static SVG: no script, text that stays text, colours that follow the page (they are
CSS variables), some kilobytes where a JavaScript library would put megabytes into the file. It is imported when the
first chart is drawn.
"""

from __future__ import annotations

import datetime as dt
import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubekata.grading.result import Trace, TraceStep
    from kubekata.report.html.model import KataLine, Point, Stepwise

_SCRIPT = re.compile(r"<script.*?</script>", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_WIDTH = 900
_BAR = 34
_COLOURS = 8
_STROKES: dict[str, dict[str, Any]] = {
    "thick": {"width": 4, "linejoin": "round"},
    "dashed": {"width": 2, "dasharray": "8, 6"},
    "dotted": {"width": 2, "dasharray": "2, 5", "linecap": "round"},
    "thin": {"width": 2},
}


class Series(NamedTuple):
    """One line or kind of bar: what it is called, which of the page's colours it has (0 is that of text), how drawn."""

    name: str
    colour: int
    line: str = "plain"


class Drawing(NamedTuple):
    """A chart as SVG, and the legend to write below it."""

    svg: str
    legend: list[Series]


def skills(topics: Sequence[tuple[str, float]]) -> Drawing:
    """A bar for each topic: the mean of the best scores of its katas."""
    series = [Series("mean best score", 1)]
    chart = _chart("HorizontalBar", "bars-skills", series, height=70 + _BAR * len(topics), range=(0, 100))
    chart.x_labels = [topic for topic, _ in reversed(topics)]
    chart.add(series[0].name, [round(score, 1) for _, score in reversed(topics)])
    return _drawn(chart, [])


def scores(points: Sequence[Point], titles: dict[str, str]) -> Drawing:
    """A line for each kata: its scores over time."""
    katas = sorted({point.kata for point in points})
    series = [Series(titles.get(kata, kata), number % _COLOURS + 1) for number, kata in enumerate(katas)]
    chart = _chart("DateTimeLine", "lines-scores", series, height=340, range=(0, 100), dots_size=5)
    span = points[-1].at - points[0].at
    shape = "%d %b" if span > 3 * 86400 else "%d %b %H:%M"
    chart.x_value_formatter = lambda moment: moment.strftime(shape)
    chart.x_label_rotation = 20
    for kata, one in zip(katas, series, strict=True):
        chart.add(one.name, [(_moment(point.at), point.score) for point in points if point.kata == kata])
    return _drawn(chart, series)


def times(katas: Sequence[KataLine]) -> Drawing:
    """Two bars for each passed kata: minutes of work until it passed, and the minutes that it is meant for."""
    series = [Series("minutes until passed", 1), Series("time box", 8)]
    chart = _chart("HorizontalBar", "bars-times", series, height=70 + 2 * _BAR * len(katas))
    ordered = list(reversed(katas))
    chart.x_labels = [kata.title for kata in ordered]
    # Bars of one kata are drawn from the bottom up.
    chart.add(series[0].name, [round((kata.to_pass or 0) / 60, 1) for kata in ordered])
    chart.add(series[1].name, [kata.minutes for kata in ordered])
    return _drawn(chart, series)


def steps(stepwise: Stepwise, number: int) -> Drawing:
    """Ready pods and all pods, step by step: the learner's against the reference's, between floor and ceiling."""
    yours, reference = stepwise.yours, stepwise.reference
    length = max(len(yours.steps), len(reference.steps) if reference else 0)
    lines: list[tuple[Series, list[tuple[float, int]]]] = []
    for name, colour, of in (("ready", 3, _ready), ("total", 1, _total)):
        lines.append((Series(f"{name}, yours", colour, "thick"), _stairs(yours, of)))
    if reference:  # drawn over yours, so that it is seen where both are the same
        lines.append((Series("ready, reference", 0, "dashed"), _stairs(reference, _ready)))
        lines.append((Series("total, reference", 0, "dotted"), _stairs(reference, _total)))
    for name, colour, bound in (("floor", 2, yours.floor), ("ceiling", 6, yours.ceiling)):
        if bound is not None:
            lines.append((Series(name, colour, "thin"), [(0, bound), (max(length - 1, 1), bound)]))
    lines = [(series, points) for series, points in lines if points]
    most = max(count for _, points in lines for _, count in points)
    chart = _chart(
        "XY",
        f"trace-{number}",
        [series for series, _ in lines],
        height=340,
        show_dots=False,
        range=(0, most + 1),
    )
    chart.x_labels = list(range(0, length, max(length // 12, 1)))
    chart.y_labels = list(range(0, most + 2, max((most + 1) // 8, 1)))
    chart.x_value_formatter = chart.y_value_formatter = lambda value: f"{value:.0f}"
    chart.x_title = "step"
    for series, points in lines:
        chart.add(series.name, points, stroke_style=_STROKES[series.line])
    return _drawn(chart, [series for series, _ in lines])


def has_counts(trace: Trace) -> bool:
    """Whether there is anything to draw."""
    return any(step.ready is not None or step.total is not None for step in trace.steps)


def _ready(step: TraceStep) -> int | None:
    return step.ready


def _total(step: TraceStep) -> int | None:
    return step.total


def _stairs(trace: Trace, of: Callable[[TraceStep], int | None]) -> list[tuple[float, int]]:
    """A count holds until the next step changes it."""
    points: list[tuple[float, int]] = []
    for number, step in enumerate(trace.steps):
        count = of(step)
        if count is None:
            continue
        if points:
            points.append((number, points[-1][1]))
        points.append((number, count))
    return points


def _moment(at: float) -> dt.datetime:
    # pygal's time axis counts in UTC, so local wall time is handed over as if it were that.
    local = dt.datetime.fromtimestamp(at).astimezone()
    return local.replace(tzinfo=dt.UTC)


def _chart(kind: str, name: str, series: Sequence[Series], **options: Any) -> Any:
    """A pygal chart that takes its colours from the page."""
    import pygal  # type: ignore[import-untyped] # noqa: PLC0415
    from pygal.style import Style  # type: ignore[import-untyped] # noqa: PLC0415

    # It adds a finder for plugins to the import system, in a shape that Python warns about since 3.10.
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ != "pygal"]
    style = Style(
        background="transparent",
        plot_background="transparent",
        foreground="var(--text)",
        foreground_strong="var(--text)",
        foreground_subtle="var(--rule)",
        guide_stroke_color="var(--rule)",
        major_guide_stroke_color="var(--rule)",
        colors=tuple(f"var(--series-{one.colour})" for one in series),
        font_family="inherit",
        label_font_size=14,
        major_label_font_size=14,
        title_font_size=14,
        value_font_size=13,
        opacity=".9",
        transition="none",
    )
    chart = getattr(pygal, kind)(
        style=style,
        js=[],
        width=_WIDTH,
        show_legend=False,  # pygal cuts long ones off; the page writes its own
        truncate_label=-1,
        disable_xml_declaration=True,
        show_x_guides=False,
        margin=10,
        **options,
    )
    chart.uuid = name  # the ids in the file are the same in every report
    return chart


def _drawn(chart: Any, legend: list[Series]) -> Drawing:
    svg: str = chart.render(is_unicode=True)
    return Drawing(_COMMENT.sub("", _SCRIPT.sub("", svg)), legend)
