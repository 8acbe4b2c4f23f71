from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kubekata.grading.catalog import Kata, Project
from kubekata.grading.result import HiddenTestResult, KataResult
from kubekata.grading.run import Grader

collect_ignore = ["project"]

PROJECT = Path(__file__).parent / "project"

Grade = Callable[..., KataResult]


@pytest.fixture(scope="session")
def project() -> Project:
    return Project(PROJECT)


@pytest.fixture(scope="session")
def double(project: Project) -> Kata:
    return project.find("double")


@pytest.fixture(scope="session")
def keeper(project: Project) -> Kata:
    return project.find("keeper")


@pytest.fixture(scope="session")
def grader() -> Iterator[Grader]:
    with Grader() as grader:
        yield grader


@pytest.fixture
def grade(grader: Grader, double: Kata, tmp_path: Path) -> Grade:
    """Grade a text as a submission of the kata `double`, or of another one."""

    def run(source: str | bytes, kata: Kata = double, **options: object) -> KataResult:
        path = tmp_path / "kata.py"
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        return grader.grade(kata, path, **{"timeout": 0.5, **options})

    return run


def by_name(result: KataResult) -> dict[str, HiddenTestResult]:
    return {test.name: test for item in result.rubric for test in item.tests}


REFERENCE = (PROJECT / "reference" / "kata-01-double" / "solution.py").read_text()


def with_double(body: str, head: str = "") -> str:
    """The reference solution with another body for `double`, indented by four spaces here."""
    lines = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
    return REFERENCE.replace("    return number * 2\n", lines + "\n", 1).replace(
        '"""Reference."""\n', f'"""A submission."""\n{head}\n', 1
    )
