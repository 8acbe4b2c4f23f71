"""Finding katas on disk and reading their `kata.toml`."""

import difflib
import functools
import re
from pathlib import Path
from typing import Any, Literal

import msgspec

Level = Literal["easy", "medium", "hard"]

_FOLDER = re.compile(r"kata-(\d{2,})-([a-z0-9-]+)")
_NUMBER = re.compile(r"(?:kata[- ]?)?(\d+)")
_DEFAULT_PASS_MARK = 80
_ALL_POINTS = 100


class CatalogError(Exception):
    """A kata that cannot be used: the message is one line that says what to mend."""


class BrokenKata(msgspec.Struct, frozen=True):
    """A folder whose `kata.toml` cannot be used: `fault` says what to mend in it. It keeps no other kata from working.

    `is_begun` is False where there is no such file yet, which may just as well be what a branch left behind.
    """

    folder: str
    fault: str
    is_begun: bool = True

    @property
    def id(self) -> str:
        """The short name, as the folder has it."""
        match = _FOLDER.fullmatch(self.folder)
        return f"kata-{match[1]}" if match else self.folder

    @property
    def message(self) -> str:
        """What to mend and where, in one line."""
        return f"{self.folder}/kata.toml: {self.fault}"

    def is_meant_by(self, wanted: str) -> bool:
        """Whether that is its folder, its slug or its number."""
        match = _FOLDER.fullmatch(self.folder)
        if match is None:
            return wanted == self.folder
        return wanted in (self.folder, match[2]) or _number(wanted) == int(match[1])


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

    @property
    def katas(self) -> tuple[Kata, ...]:
        """Every kata that can be used, by number."""
        return self._found[0]

    @property
    def broken(self) -> tuple[BrokenKata, ...]:
        """The folders of katas that cannot be used, by name."""
        return self._found[1]

    @functools.cached_property
    def _found(self) -> tuple[tuple[Kata, ...], tuple[BrokenKata, ...]]:
        katas: dict[int, Kata] = {}
        broken = []
        for folder in sorted((self.root / "katas").glob("kata-*")):
            path = folder / "kata.toml"
            if not path.is_file():
                if _FOLDER.fullmatch(folder.name) and folder.is_dir():
                    broken.append(BrokenKata(folder.name, "is missing", is_begun=False))
                continue
            try:
                kata = Kata(self, folder, _read(path))
            except CatalogError as error:
                broken.append(BrokenKata(folder.name, str(error)))
                continue
            other = katas.setdefault(kata.file.number, kata)
            if other is not kata:
                broken.append(BrokenKata(folder.name, f"{other.name} has the same number: take another one"))
        return tuple(kata for _, kata in sorted(katas.items())), tuple(broken)

    def find(self, name: str) -> Kata:
        """The kata that `name` means: "5", "05", "kata-5", "kata-05-surge-stepping", "surge-stepping" or its folder.

        Raises UnknownKata with the nearest names, and CatalogError for a kata that is broken.
        """
        found = self.look_up(name)
        if isinstance(found, BrokenKata):
            raise CatalogError(found.message)
        return found

    def look_up(self, name: str) -> Kata | BrokenKata:
        """The same, for whoever wants the broken ones, too. Raises UnknownKata."""
        wanted = name.strip().strip("/\\").replace("\\", "/").rsplit("/", 1)[-1].lower().replace("_", "-")
        for kata in self.katas:
            if wanted in (kata.name, kata.file.slug, kata.title.lower()):
                return kata
        number = _number(wanted)
        for kata in self.katas:
            if kata.file.number == number:
                return kata
        for broken in self.broken:
            if broken.is_meant_by(wanted):
                return broken
        raise UnknownKata(name, self._nearest(wanted))

    def _nearest(self, wanted: str) -> tuple[str, ...]:
        spellings = {
            spelling: kata.id for kata in self.katas for spelling in (kata.id, kata.name, kata.file.slug)
        }
        close = difflib.get_close_matches(wanted, spellings, n=3, cutoff=0.6)
        close += [spelling for spelling in spellings if len(wanted) > 2 and wanted in spelling]
        return tuple(dict.fromkeys(spellings[spelling] for spelling in close))[:3]


def _number(wanted: str) -> int | None:
    """The number that a name is: "5", "kata5" or "kata-5"."""
    match = _NUMBER.fullmatch(wanted)
    return int(match[1]) if match else None


def _read(path: Path) -> KataFile:
    """What a `kata.toml` says. Raises CatalogError with everything that is wrong with it, in one line."""
    try:
        told = msgspec.toml.decode(path.read_bytes())
        faults = _wrong_fields(told)
        if not faults:
            file = msgspec.convert(told, KataFile)
            faults = _faults(file, path.parent.name)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CatalogError(str(error)) from error
    except OSError as error:
        raise CatalogError(str(error.strerror)) from error
    if faults:
        raise CatalogError("; ".join(faults))
    return file


def _wrong_fields(told: dict[str, Any]) -> list[str]:
    """The names that are missing, and those that nobody knows; msgspec tells only the first."""
    fields = msgspec.structs.fields(KataFile)
    missing = [field.encode_name for field in fields if field.required and field.encode_name not in told]
    unknown = set(told) - {field.encode_name for field in fields}
    faults = [f"needs {', '.join(missing)}"] if missing else []
    return faults + [f"`{name}` is no field of it" for name in sorted(unknown)]


def _faults(file: KataFile, folder: str) -> list[str]:
    """What a well-formed file still has wrong."""
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
    return [message for message, is_so in faults.items() if is_so]
