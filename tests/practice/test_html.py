"""The HTML report: one file, readable without seeing, and drawn by a real browser."""

import html.parser
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kubekata.grading.result import Trace, TraceStep
from kubekata.report.card import Card, CardItem
from kubekata.report.html import KataLine, Point, Progress, Stepwise, page
from tests.practice.conftest import Learner

NOW = 1_800_000_000.0
YOURS = Trace(
    (
        TraceStep("start", ready=10, total=10, old=10, new=0),
        TraceStep("scale new to 3", ready=10, total=13, old=10, new=3),
        TraceStep("scale old to 7", ready=7, total=10, old=7, new=3),
    ),
    floor=8,
    ceiling=13,
)
REFERENCE = Trace(
    (*YOURS.steps[:2], TraceStep("scale old to 8", ready=8, total=11, old=8, new=3)), floor=8, ceiling=13
)
CARD = Card(
    mock=1,
    kata="kata-05",
    title="Surge stepping",
    level="medium",
    minutes=40,
    seed=7,
    reason="not seen yet",
    started=NOW - 9000,
    spent=2460,
    pauses=1,
    pause_seconds=120,
    tries=2,
    hints=1,
    hint_cost=5,
    late=True,
    counted="the last version before the deadline, saved at 12:00:00",
    score=73,
    final=68,
    passed=False,
    rubric=(CardItem("Availability floor", 20, 0, must=True), CardItem("Fenceposts", 20, 20, must=False)),
    practise=("Availability floor: kata-05 again, without the clock",),
)
PROGRESS = Progress(
    made_at=NOW,
    katas=[
        KataLine("kata-04", "HPA <& friends>", "easy", 25, ["autoscaling"], "passed", 100, 2, 0, 900.0),
        KataLine("kata-05", "Surge stepping", "medium", 40, ["rollout"], "started", 73, 1, 1, None),
        KataLine("kata-09", "Bin-packing", "medium", 35, ["scheduler"], "new", None, 0, 0, None),
    ],
    points=[
        Point(NOW - 90000, "kata-04", 40, passed=False),
        Point(NOW - 86400, "kata-04", 100, passed=True),
        Point(NOW - 8000, "kata-05", 73, passed=False),
    ],
    cards=[CARD],
    traces=[
        Stepwise("kata-05", "Surge stepping", "10 replicas", passed=False, yours=YOURS, reference=REFERENCE)
    ],
)
NOTHING = Progress(NOW, [PROGRESS.katas[2]], [], [], [])


class Outline(html.parser.HTMLParser):
    """Tags with their attributes in order, and whether every element that opens also closes."""

    VOID = ("meta", "br", "hr", "img", "input", "link")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("progress", [PROGRESS, NOTHING])
class TestPage:
    def test_it_loads_nothing_and_runs_nothing(self, progress: Progress) -> None:
        for tag, attributes in Outline(page(progress)).tags:
            assert tag not in ("script", "link", "img", "iframe", "object")
            assert not any(name.startswith("on") for name in attributes)
            for name in ("src", "href", "xlink:href", "data"):
                assert (attributes.get(name) or "#").startswith("#")
        assert not re.search(r"url\(|@import", page(progress))

    def test_it_is_the_same_every_time(self, progress: Progress) -> None:
        assert page(progress) == page(progress)

    def test_ids_are_used_once_and_links_lead_to_them(self, progress: Progress) -> None:
        tags = Outline(page(progress)).tags
        ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
        assert len(ids) == len(set(ids))
        targets = [attributes["href"] for tag, attributes in tags if tag == "a"]
        assert targets
        assert all(target and target[1:] in ids for target in targets)


class TestForEverybody:
    def test_every_chart_is_described_and_has_its_numbers_behind_it(self) -> None:
        text = page(PROGRESS)
        charts = [attributes for _, attributes in Outline(text).tags if attributes.get("role") == "img"]
        assert len(charts) == 4
        assert all(attributes["aria-label"] and attributes["tabindex"] == "0" for attributes in charts)
        assert text.count("<figure>") == text.count("The numbers as a table") == 4
        assert "<td>scale old to 7</td>" in text

    def test_the_language_headings_and_landmarks(self) -> None:
        tags = Outline(page(PROGRESS)).tags
        names = [tag for tag, _ in tags]
        assert ("html", {"lang": "en"}) in tags
        assert names.count("h1") == names.count("main") == names.count("nav") == 1
        assert all("scope" in attributes for tag, attributes in tags if tag == "th")
        assert names.count("caption") == names.count("table")

    def test_text_is_text(self) -> None:
        assert "HPA &lt;&amp; friends&gt;" in page(PROGRESS)
        assert "HPA <& friends>" not in page(PROGRESS)

    def test_light_dark_and_paper(self) -> None:
        text = page(PROGRESS)
        assert "prefers-color-scheme: dark" in text
        assert "@media print" in text


class TestCommand:
    def test_it_writes_one_file(self, learner: Learner) -> None:
        for text in (learner.mistake, learner.solution):
            learner.file.write_text(text)
            learner.run("1")
        assert learner.says("report") == ".kubekata/report.html is written.\n"
        text = (learner.home / "report.html").read_text()
        assert "kata-01 Double" in text
        assert "ready, reference" in text, "the hidden test with steps, against the reference's"
        assert learner.says("report", "-o", "mine.html") == "mine.html is written.\n"

    def test_before_anything_was_graded(self, learner: Learner) -> None:
        learner.says("report", "-o", "mine.html")
        assert "No kata was graded yet." in (learner.root / "mine.html").read_text()

    def test_a_report_is_not_replaced_by_one_of_nothing(self, learner: Learner) -> None:
        learner.file.write_text(learner.solution)
        learner.says("1")
        learner.says("report")
        report, store = learner.home / "report.html", learner.home / "progress.sqlite3"
        before = report.read_text()
        whole = store.read_bytes()
        store.unlink()
        store.mkdir()
        line = learner.refused("report", status=3)
        assert line.startswith("kubekata: your progress cannot be read: ")
        store.rmdir()
        store.write_bytes(b"rubbish " * 200)
        done = learner.run("report")
        assert (done.returncode, done.stdout) == (2, "")
        assert "the progress file was damaged: it is kept as " in done.stderr
        assert "nothing was graded yet, so .kubekata/report.html stays as it is" in done.stderr
        assert report.read_text() == before
        store.write_bytes(whole)
        assert learner.says("report") == ".kubekata/report.html is written.\n"

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_progress_that_may_not_be_read(self, learner: Learner) -> None:
        learner.file.write_text(learner.solution)
        learner.says("1")
        learner.says("report")
        before = (learner.home / "report.html").read_text()
        (learner.home / "progress.sqlite3").chmod(0)
        assert "`chmod u+rw` lets you read it" in learner.refused("report", status=3)
        assert (learner.home / "report.html").read_text() == before

    def test_it_opens_in_the_browser(self, learner: Learner, tmp_path: Path) -> None:
        browser = tmp_path / "browser"
        browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
        browser.chmod(0o755)
        learner.says("report", "--open", BROWSER=str(browser))
        opened = tmp_path / "opened"
        assert opened.read_text().strip() == (learner.home / "report.html").as_uri()


class TestBrowser:
    """What Chromium makes of it."""

    @pytest.fixture
    def chromium(self, tmp_path: Path) -> list[str]:
        found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        if found is None:
            pytest.skip("no Chromium here: `apt-get install chromium`")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]
        options += ["--disable-background-networking", "--disable-component-update", "--hide-scrollbars"]
        return [found, *options, f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1000,3200"]

    @pytest.fixture
    def address(self, tmp_path: Path) -> str:
        path = tmp_path / "report.html"
        path.write_text(page(PROGRESS), encoding="utf-8")
        return path.as_uri()

    def run(self, command: list[str]) -> str:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def test_it_draws_every_chart(self, chromium: list[str], address: str, tmp_path: Path) -> None:
        picture = tmp_path / "report.png"
        self.run([*chromium, f"--screenshot={picture}", address])
        assert picture.stat().st_size > 50_000, "an empty page is much smaller"
        assert picture.read_bytes().startswith(b"\x89PNG")

    def test_dark_is_another_picture(self, chromium: list[str], address: str, tmp_path: Path) -> None:
        light, dark = tmp_path / "light.png", tmp_path / "dark.png"
        self.run([*chromium, f"--screenshot={light}", address])
        self.run([*chromium, "--blink-settings=preferredColorScheme=0", f"--screenshot={dark}", address])
        assert light.read_bytes() != dark.read_bytes()

    def test_nothing_is_cut_off(self, chromium: list[str], tmp_path: Path) -> None:
        """Every text of every chart lies within its chart, measured by the browser itself."""
        script = """<script>
          const out = [];
          for (const svg of document.querySelectorAll("svg")) {
            const room = svg.getBoundingClientRect();
            for (const text of svg.querySelectorAll("text")) {
              const box = text.getBoundingClientRect();
              if (box.width && (box.left < room.left - 1 || box.right > room.right + 1
                                || box.top < room.top - 1 || box.bottom > room.bottom + 1))
                out.push(text.textContent);
            }
          }
          const wide = document.documentElement.scrollWidth > innerWidth;
          document.title = "cut: " + JSON.stringify(out) + (wide ? " too wide" : "");
        </script>"""
        path = tmp_path / "measured.html"
        path.write_text(page(PROGRESS).replace("</body>", script + "</body>"), encoding="utf-8")
        title = re.search(r"<title>(.*?)</title>", self.run([*chromium, "--dump-dom", path.as_uri()]))
        assert title
        assert title[1] == "cut: []"

    def test_it_prints(self, chromium: list[str], address: str, tmp_path: Path) -> None:
        paper = tmp_path / "report.pdf"
        self.run([*chromium, f"--print-to-pdf={paper}", "--no-pdf-header-footer", address])
        assert paper.read_bytes().startswith(b"%PDF")
