"""Bring README.md up to date: the table of katas, and the picture of what a grade looks like.

    python docs/make_readme.py

The picture is a real run: a wrong solution that people write, graded in a copy of the project.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from kubekata.grading.catalog import Project

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PICTURE = ROOT / "docs/pictures/grade.svg"

SHOWN_KATA = "kata-05-surge-stepping"
SHOWN_MISTAKE = "both_round_up.py"
COLUMNS = 84

START, END = "<!-- katas -->\n", "<!-- end of katas -->\n"


def table(project: Project) -> str:
    """The katas as a Markdown table, one row each."""
    rows = ["| kata | level | minutes | what you write |", "| --- | --- | ---: | --- |"]
    for kata in project.katas:
        link = f"[{kata.file.number:02d} {kata.title}](katas/{kata.name}/README.md)"
        rows.append(f"| {link} | {kata.file.level} | {kata.file.minutes} | {kata.file.summary} |")
    return "\n".join(rows) + "\n"


def with_table(readme: str, project: Project) -> str:
    """`readme` with the table between its two marks replaced."""
    before, _, rest = readme.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}{table(project)}{END}{after}"


def real_output() -> str:
    """What grading the mistake prints on a colour terminal, escape codes and all."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder)
        for name in ("kubekata", "katas", "reference", "hints"):
            shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "grader.py", clone)
        shutil.copy(
            clone / "reference" / SHOWN_KATA / "mistakes" / SHOWN_MISTAKE,
            clone / "katas" / SHOWN_KATA / "kata.py",
        )
        environ = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
        environ.pop("NO_COLOR", None)
        done = subprocess.run(
            [sys.executable, "grader.py", "kata-05"],
            cwd=clone,
            env=environ,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    if done.returncode != 1:
        sys.exit(f"expected a grade that does not pass, got status {done.returncode}: {done.stderr}")
    return done.stdout


def picture(output: str) -> str:
    """The output as an SVG that loads nothing from elsewhere."""
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True)  # noqa: SIM115, PTH123
    console.print(Text.from_ansi(output), soft_wrap=True)
    svg = console.export_svg(title="python3 grader.py kata-05", unique_id="grade")
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)


def main() -> None:
    README.write_text(with_table(README.read_text(encoding="utf-8"), Project(ROOT)), encoding="utf-8")
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(real_output()), encoding="utf-8")


if __name__ == "__main__":
    main()
