"""Finding and reading katas."""

from pathlib import Path

import pytest

from kubekata.grading.catalog import CatalogError, Project, UnknownKata
from tests.grading.conftest import PROJECT


@pytest.mark.parametrize(
    "name",
    [
        "1",
        "01",
        "001",
        "kata-1",
        "kata-01",
        "KATA-01",
        "double",
        "Double",
        "kata-01-double",
        "katas/kata-01-double/",
    ],
)
def test_forgiving_names(project: Project, name: str) -> None:
    assert project.find(name).id == "kata-01"


@pytest.mark.parametrize(("name", "nearest"), [("doubel", ("kata-01",)), ("keep", ("kata-02",)), ("zzz", ())])
def test_an_unknown_name_gets_the_nearest(project: Project, name: str, nearest: tuple[str, ...]) -> None:
    with pytest.raises(UnknownKata) as error:
        project.find(name)
    assert error.value.nearest == nearest
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("points = 60", "points = 61", "sum to 101, expected 100"),
        ("number = 1", "number = 7", "number and slug say kata-07-double, the folder says kata-01-double"),
        ('id = "spread"', 'id = "double"', "two rubric items have the same id"),
        ('level = "easy"', 'level = "trivial"', "Invalid enum value 'trivial'"),
        ("minutes = 5", "minuts = 5", "minut"),
        ("number = 1", "number =", "Invalid value (at line 1"),
        ("number = 1", "pass_mark = 0\nnumber = 1", "pass_mark is 0, expected 1 to 100"),
    ],
)
def test_a_broken_file_says_what_to_mend(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (PROJECT / "katas/kata-01-double/kata.toml").read_text()
    assert old in text
    folder = tmp_path / "katas/kata-01-double"
    folder.mkdir(parents=True)
    (folder / "kata.toml").write_text(text.replace(old, new, 1))
    project = Project(tmp_path)
    (broken,) = project.broken
    assert broken.message.startswith("kata-01-double/kata.toml: ")
    assert message in broken.message
    assert project.katas == ()
    for name in ("1", "double", "kata-01-double"):
        with pytest.raises(CatalogError, match="kata-01-double"):
            project.find(name)


def test_everything_that_is_missing_is_named_at_once(tmp_path: Path) -> None:
    for name, text in (("kata-19-new", 'number = 19\nslug = "new"\ntopic = "x"\n'), ("kata-20-empty", None)):
        folder = tmp_path / "katas" / name
        folder.mkdir(parents=True)
        if text:
            (folder / "kata.toml").write_text(text)
    begun, empty = Project(tmp_path).broken
    wanted = "needs title, level, minutes, summary, entry_points, rubric; `topic` is no field of it"
    assert (begun.id, begun.fault, begun.is_begun) == ("kata-19", wanted, True)
    assert (empty.id, empty.fault, empty.is_begun) == ("kata-20", "is missing", False)


def test_two_katas_cannot_share_a_number(tmp_path: Path) -> None:
    text = (PROJECT / "katas/kata-01-double/kata.toml").read_text()
    for slug in ("double", "twice"):
        folder = tmp_path / f"katas/kata-01-{slug}"
        folder.mkdir(parents=True)
        (folder / "kata.toml").write_text(text.replace('slug = "double"', f'slug = "{slug}"'))
    project = Project(tmp_path)
    assert [kata.name for kata in project.katas] == ["kata-01-double"]
    assert [kata.message for kata in project.broken] == [
        "kata-01-twice/kata.toml: kata-01-double has the same number: take another one"
    ]
