"""What is checked about a kata without running it: its files, hints, brief and the headers of its mistakes."""

import ast
import re
from pathlib import Path

from kubekata.grading.catalog import Kata
from kubekata.grading.debrief import follow_ups
from kubekata.grading.selfcheck.report import Finding

LEAST_MISTAKES = 6
LEAST_CORRECT = 3
LEAST_QUESTIONS = 5

_HINT = re.compile(r"^## Hint (\d+): \S.*$", re.MULTILINE)
_FAILS = re.compile(r"^Fails: (\S+)\s*$", re.MULTILINE)
_MISCONCEPTION = re.compile(r"Misconception: \S")


def check(kata: Kata) -> list[Finding]:
    """Everything that can be said about the kata's texts."""
    messages = [*_files(kata), *_hints(kata), *_brief(kata), *_mistakes(kata), *_debrief(kata)]
    return [Finding(kata.id, subject, message) for subject, message in messages]


def failing_item(path: Path) -> str:
    """The rubric item that a mistake names in its header; empty when it names none."""
    match = _FAILS.search(_docstring(path))
    return match[1] if match else ""


def _files(kata: Kata) -> list[tuple[str, str]]:
    wanted = [
        kata.brief,
        kata.submission,
        kata.examples,
        kata.hints,
        kata.solution,
        kata.hidden_tests,
        kata.debrief,
    ]
    missing = [(_where(kata, path), "is missing") for path in wanted if not path.is_file()]
    reference = _where(kata, kata.reference)
    if len(kata.mistakes()) < LEAST_MISTAKES:
        missing.append(
            (
                f"{reference}/mistakes/",
                f"has {len(kata.mistakes())} files, at least {LEAST_MISTAKES} are expected",
            )
        )
    if len(kata.correct()) < LEAST_CORRECT:
        missing.append(
            (
                f"{reference}/correct/",
                f"has {len(kata.correct())} files, at least {LEAST_CORRECT} are expected",
            )
        )
    return missing


def _where(kata: Kata, path: Path) -> str:
    """A path for somebody who has to make it."""
    return path.relative_to(kata.project.root).as_posix()


def _hints(kata: Kata) -> list[tuple[str, str]]:
    if not kata.hints.is_file():
        return []
    text = kata.hints.read_text("utf-8")
    numbers = _HINT.findall(text)
    if numbers != ["1", "2", "3"]:
        return [
            (f"hints/{kata.hints.name}", "needs exactly three sections: `## Hint 1: …` to `## Hint 3: …`")
        ]
    bodies = re.split(r"^## .*$", text, flags=re.MULTILINE)[1:]
    return [
        (f"hints/{kata.hints.name}", f"hint {number} is empty")
        for number, body in enumerate(bodies, start=1)
        if not body.strip()
    ]


def _brief(kata: Kata) -> list[tuple[str, str]]:
    if not kata.brief.is_file():
        return []
    lines = kata.brief.read_text("utf-8").splitlines()
    return [
        (
            "README.md",
            f"does not announce the rubric item “{item.title}” with its {item.points} points in one line",
        )
        for item in kata.file.rubric
        if not any(item.title in line and re.search(rf"\b{item.points}\b", line) for line in lines)
    ]


def _mistakes(kata: Kata) -> list[tuple[str, str]]:
    known = {item.id for item in kata.file.rubric}
    found = []
    for path in kata.mistakes():
        item = failing_item(path)
        if not _MISCONCEPTION.match(_docstring(path)):
            found.append((f"mistakes/{path.name}", "its docstring has to begin with `Misconception: …`"))
        if item not in known:
            named = f"`{item}`, which is no rubric item" if item else "nothing"
            found.append((f"mistakes/{path.name}", f"its `Fails:` line names {named}"))
    return found


def _debrief(kata: Kata) -> list[tuple[str, str]]:
    if not kata.debrief.is_file():
        return []
    questions = follow_ups(kata)
    if len(questions) < LEAST_QUESTIONS:
        needs = f"at least {LEAST_QUESTIONS} questions under `## Follow-up questions`, numbered from 1"
        shape = "each in bold with its answer below: **1. Why …?**"
        return [(kata.debrief.name, f"needs {needs}, {shape} It has {len(questions)}")]
    return [
        (kata.debrief.name, f"question {number} has no answer")
        for number, question in enumerate(questions, start=1)
        if not question.answer
    ]


def _docstring(path: Path) -> str:
    try:
        return ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    except (SyntaxError, ValueError):
        return ""
