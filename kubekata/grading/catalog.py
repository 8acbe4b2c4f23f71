"""Finding katas on disk and reading their `kata.toml`."""

import difflib
import functools
import re
from pathlib import Path
from typing import Literal

import msgspec

Level = Literal["easy", "medium", "hard"]

_FOLDER = re.compile(r"kata-(\d{2,})-([a-z0-9-]+)")
_NUMBERED = re.compile(r"(?:kata[-_ ]?)?(\d+)(?:-.*)?")
_DEFAULT_PASS_MARK = 80
_ALL_POINTS = 100


class CatalogError(Exception):
    """A kata folder that cannot be used: the message is one line with the file and what to mend in it."""


class UnknownKata(LookupError):
    """No kata has that name; `nearest` holds the ids of those that look alike, best first."""

    def __init__(self, name: str, nearest: tuple[str, ...]) -> None:
        self.name = name
        self.nearest = nearest
        hint = f": did you mean {' or '.join(nearest)}?" if nearest else ""
        super().__init__(f"no kata is called {name!r}{hint}")


class Method(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A method of a class that a submission must define; `parameters` leave `self` out."""

    name: str
    parameters: tuple[str, ...] = ()
    returns: str = "None"


class EntryPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A function or class that a submission must define.

    `parameters` are written as in a signature without annotations: "current", "*", "tolerance=0.1".
    `returns` is an annotation as text; every answer is checked against it.
    """

    name: str
    parameters: tuple[str, ...] = ()
    returns: str = "None"
    kind: Literal["function", "class"] = "function"
    methods: tuple[Method, ...] = ()


class RubricItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the score. An item that is a `must` earns its points only whole, and no pass is without it."""

    id: str
    title: str
    points: int
    must: bool = False


class KataFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`kata.toml`, as it stands on disk.

    `helpers` are modules that only this kata's submissions may import beside `kubekata` itself: what they do
    would be the answer elsewhere.
    """

    number: int
    slug: str
    title: str
    level: Level
    minutes: int
    summary: str
    entry_points: tuple[EntryPoint, ...]
    rubric: tuple[RubricItem, ...]
    tags: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()
    pass_mark: int = _DEFAULT_PASS_MARK


class Kata:
    """One kata: what its `kata.toml` says, and where its files are."""

    def __init__(self, project: "Project", folder: Path, file: KataFile) -> None:
        self.project = project
        self.folder = folder
        self.file = file

    @property
    def id(self) -> str:
        """The short name that commands take and results carry: "kata-05"."""
        return f"kata-{self.file.number:02d}"

    @property
    def name(self) -> str:
        """The folder's name: "kata-05-surge-stepping"."""
        return self.folder.name

    @property
    def title(self) -> str:
        """The title for people."""
        return self.file.title

    @property
    def brief(self) -> Path:
        """The brief that the learner reads."""
        return self.folder / "README.md"

    @property
    def submission(self) -> Path:
        """The file that the learner edits, a stub at first."""
        return self.folder / "kata.py"

    @property
    def examples(self) -> Path:
        """The visible examples."""
        return self.folder / "test_examples.py"

    @property
    def hints(self) -> Path:
        """The three hints."""
        return self.project.root / "hints" / f"{self.id}.md"

    @property
    def reference(self) -> Path:
        """The folder of the reference solution and all that a learner does not see before passing."""
        return self.project.root / "reference" / self.name

    @property
    def solution(self) -> Path:
        """The reference solution."""
        return self.reference / "solution.py"

    @property
    def hidden_tests(self) -> Path:
        """The hidden tests."""
        return self.reference / "hidden_tests.py"

    @property
    def debrief(self) -> Path:
        """What an interviewer listens for."""
        return self.reference / "DEBRIEF.md"

    @property
    def fingerprints(self) -> Path:
        """Which hidden tests each of the mistakes fails; see grading.misconceptions."""
        return self.reference / "fingerprints.json"

    def mistakes(self) -> list[Path]:
        """The known wrong solutions, by name."""
        return sorted((self.reference / "mistakes").glob("*.py"))

    def correct(self) -> list[Path]:
        """Right solutions that look nothing like the reference, by name."""
        return sorted((self.reference / "correct").glob("*.py"))

    def __repr__(self) -> str:
        return f"<Kata {self.name}>"


class Project:
    """A folder with `katas/`, `hints/` and `reference/`; by default the one that this package stands in."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = (root or Path(__file__).resolve().parents[2]).absolute()

    @functools.cached_property
    def katas(self) -> tuple[Kata, ...]:
        """Every kata by number. Raises CatalogError for a broken one, or for a number used twice."""
        found: dict[int, Kata] = {}
        for path in sorted((self.root / "katas").glob("kata-*/kata.toml")):
            kata = Kata(self, path.parent, _read(path))
            other = found.setdefault(kata.file.number, kata)
            if other is not kata:
                raise CatalogError(
                    f"{kata.name} and {other.name} have the same number: give one another number"
                )
        return tuple(kata for _, kata in sorted(found.items()))

    def find(self, name: str) -> Kata:
        """The kata that `name` means: "5", "05", "kata-5", "kata-05-surge-stepping", "surge-stepping" or its folder.

        Raises UnknownKata with the nearest names.
        """
        wanted = name.strip().strip("/\\").replace("\\", "/").rsplit("/", 1)[-1].lower().replace("_", "-")
        for kata in self.katas:
            if wanted in (kata.name, kata.file.slug, kata.title.lower()):
                return kata
        numbered = _NUMBERED.fullmatch(wanted)
        if numbered and (not wanted.count("-") or _only_number(wanted)):
            for kata in self.katas:
                if kata.file.number == int(numbered[1]):
                    return kata
        raise UnknownKata(name, self._nearest(wanted))

    def _nearest(self, wanted: str) -> tuple[str, ...]:
        spellings = {
            spelling: kata.id for kata in self.katas for spelling in (kata.id, kata.name, kata.file.slug)
        }
        close = difflib.get_close_matches(wanted, spellings, n=3, cutoff=0.6)
        close += [spelling for spelling in spellings if len(wanted) > 2 and wanted in spelling]
        return tuple(dict.fromkeys(spellings[spelling] for spelling in close))[:3]


def _only_number(wanted: str) -> bool:
    return re.fullmatch(r"kata-?\d+", wanted) is not None


def _read(path: Path) -> KataFile:
    where = f"{path.parent.name}/{path.name}"
    try:
        file = msgspec.toml.decode(path.read_bytes(), type=KataFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CatalogError(f"{where}: {error}") from error
    except OSError as error:
        raise CatalogError(f"{where}: {error.strerror}") from error
    fault = _fault(file, path.parent.name)
    if fault:
        raise CatalogError(f"{where}: {fault}")
    return file


def _fault(file: KataFile, folder: str) -> str | None:
    """What a well-formed file still has wrong, or None."""
    match = _FOLDER.fullmatch(folder)
    ids = [item.id for item in file.rubric]
    total = sum(item.points for item in file.rubric)
    faults = {
        f"number and slug say kata-{file.number:02d}-{file.slug}, the folder says {folder}": not match
        or (int(match[1]), match[2]) != (file.number, file.slug),
        "needs at least one [[entry_points]]": not file.entry_points,
        f"the points of the rubric sum to {total}, expected {_ALL_POINTS}": total != _ALL_POINTS,
        "every rubric item needs at least one point": any(item.points <= 0 for item in file.rubric),
        "two rubric items have the same id": len(set(ids)) != len(ids),
        f"pass_mark is {file.pass_mark}, expected 1 to {_ALL_POINTS}": not 0 < file.pass_mark <= _ALL_POINTS,
    }
    return next((message for message, is_so in faults.items() if is_so), None)
