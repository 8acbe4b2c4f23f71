"""What README.md and its neighbours say is true."""

import dataclasses
import re
import runpy
import tomllib
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import msgspec
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from kubekata import Condition, bootstrap
from kubekata.commands.table import COMMANDS
from kubekata.grading.catalog import Project
from tests.cli.conftest import ROOT, Grader

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/json.md"]


def test_the_table_of_katas_is_the_katas() -> None:
    """`python docs/make_readme.py` brings it up to date."""
    made = runpy.run_path(str(ROOT / "docs/make_readme.py"))
    readme = (ROOT / "README.md").read_text()
    assert made["with_table"](readme, Project(ROOT)) == readme


def test_the_picture_loads_nothing_from_elsewhere() -> None:
    svg = (ROOT / "docs/pictures/grade.svg").read_text()
    assert not re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?http", svg)
    assert "Availability&#160;floor" in svg


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    document = ROOT / name
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        if not target.startswith("http"):
            assert (document.parent / target).exists(), target


@pytest.mark.parametrize("name", DOCUMENTS)
def test_commands_that_are_named_exist(name: str, grader: Grader) -> None:
    text = (ROOT / name).read_text()
    options: dict[str, str] = {}
    for words in re.findall(r"grader\.py ((?:[\w./-]+ ?)+)", text):
        first, *others = words.split()
        known = (
            first in COMMANDS
            or first in ("all", "NN", "alone")
            or re.fullmatch(r"kata-\d+|\d+|--help", first)
        )
        assert known, words
        wanted = [word for word in others if word.startswith("--")]
        command = first if first in COMMANDS else "grade"
        if wanted and command not in options:
            options[command] = grader(command, "--help").stdout
        assert all(option in options[command] for option in wanted), words


@pytest.mark.parametrize("number", ["6", "10", "11", "12"])
def test_briefs_say_how_to_copy_what_is_no_dataclass(number: str, grader: Grader) -> None:
    brief = " ".join(grader("show", number).stdout.split())
    assert "msgspec Struct" in brief
    assert "dataclasses.replace fails" in brief.replace("`", "")
    condition = Condition(type="Ready", status="True")
    assert msgspec.structs.replace(condition, reason="Booting").reason == "Booting"
    assert not dataclasses.is_dataclass(condition)


def test_pins_are_whole() -> None:
    """Every requirement is pinned to one version, and nothing names where it comes from."""
    for name in ("requirements.txt", "requirements-dev.txt"):
        lines = [
            line
            for line in (ROOT / name).read_text().splitlines()
            if line and not line.startswith(("#", "-r "))
        ]
        assert all(re.fullmatch(r"[\w.-]+==[\w.]+(; .+)?", line) for line in lines)
        assert "://" not in "".join(lines)


def pins(*names: str) -> dict[str, str]:
    """The pinned versions by normalized name."""
    lines = [line.split(";")[0].strip() for name in names for line in (ROOT / name).read_text().splitlines()]
    return {
        canonicalize_name(name): version
        for name, _, version in (line.partition("==") for line in lines)
        if version
    }


def test_what_a_pinned_package_brings_is_pinned_too() -> None:
    pinned = pins("requirements.txt", "requirements-dev.txt")
    loose = {
        (requirement.name, f"brought by {name}")
        for name in pinned
        for requirement in requirements_of(name)
        if canonicalize_name(requirement.name) not in pinned
    }
    assert not loose


def requirements_of(name: str) -> list[Requirement]:
    try:
        wanted = requires(name) or []
    except PackageNotFoundError:  # for another platform
        return []
    requirements = map(Requirement, wanted)
    return [each for each in requirements if not each.marker or each.marker.evaluate({"extra": ""})]


def test_pins_are_what_runs_here() -> None:
    for name, pinned in pins("requirements.txt").items():
        if name != "colorama":  # only on Windows
            assert version(name) == pinned, f"{name}: the environment is not the one that is pinned"


def test_the_first_run_looks_for_every_dependency() -> None:
    """pyproject.toml, requirements.txt and the bootstrap's own list name the same packages."""
    modules = {"pyyaml": "yaml", "pytest-timeout": "pytest_timeout"}
    with (ROOT / "pyproject.toml").open("rb") as file:
        direct = tomllib.load(file)["project"]["dependencies"]
    names = {canonicalize_name(Requirement(line).name) for line in direct}
    assert names <= set(pins("requirements.txt"))
    assert {modules.get(name, name) for name in names} == set(bootstrap.DEPENDENCIES)


def test_license_is_apache() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert Path(ROOT / "pyproject.toml").read_text().count("Apache-2.0")
