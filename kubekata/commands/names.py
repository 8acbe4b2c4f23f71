"""From what the user typed to katas."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from kubekata.commands.status import PROGRAM, BrokenKataError, WrongUsageError
from kubekata.commands.table import COMMANDS
from kubekata.grading.catalog import BrokenKata, Kata, Project, UnknownKata

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

ALL = "all"


def all_katas(project: Project) -> tuple[Kata, ...]:
    """Every kata that can be used."""
    return project.katas


def begun_and_broken(project: Project) -> list[BrokenKata]:
    """The katas with a kata.toml that cannot be used. A folder without one is no kata yet."""
    return [kata for kata in project.broken if kata.is_begun]


def say_broken(project: Project) -> None:
    """Say on stderr, in one line, which katas are left out because they cannot be used."""
    broken = begun_and_broken(project)
    if broken:
        faults = "; ".join(kata.message for kata in broken)
        print(f"kubekata: {faults}: left out. `{PROGRAM} selfcheck` says what to mend.", file=sys.stderr)


def find_katas(project: Project, names: Sequence[str]) -> list[Kata]:
    """The katas that `names` mean, each once, in that order; `all` is every one, and a kata's file means the kata.

    Raises WrongUsageError for a name that is unknown, and BrokenKataError for a kata that cannot be used.
    """
    found: dict[str, Kata] = {}
    for name in names:
        if name.lower() == ALL:
            found |= {kata.id: kata for kata in project.katas}
            continue
        kata = look_up(project, name)
        if isinstance(kata, BrokenKata):
            raise BrokenKataError(kata.message, kata.id)
        found[kata.id] = kata
    return list(found.values())


def _hint(name: str) -> str:
    """What somebody may have meant who typed what is like no kata."""
    if name.endswith(".py"):
        return f"`{PROGRAM} KATA --file {name}` grades a file."
    if name == "help":
        return f"`{PROGRAM} --help` helps."
    alike = [command for command in COMMANDS if command[:1] == name[:1]]
    close = difflib.get_close_matches(name, alike, n=1, cutoff=0.7)
    if close:
        return f"did you mean `{PROGRAM} {close[0]}`?"
    return f"run `{PROGRAM}` for the list."


def look_up(project: Project, name: str) -> Kata | BrokenKata:
    """What one name means; a kata's file, and the folder that one is in, mean the kata.

    Raises WrongUsageError for a name that is unknown.
    """
    folder = Path(name).resolve().name if name and set(name) <= set("./\\") else name
    try:
        return project.look_up(folder.removesuffix("/kata.py"))
    except UnknownKata as error:
        hint = "" if error.nearest else f": {_hint(name)}"
        raise WrongUsageError(f"{error}{hint}") from error


def complete_names(
    _context: click.Context, _parameter: click.Parameter | None, incomplete: str
) -> list[CompletionItem]:
    """Shell completion for the name of a kata: "kata-05", or once something is typed "surge-stepping", "05" and "5"."""
    katas = Project().katas
    words = [(kata.id, kata.title) for kata in katas]
    if incomplete:
        words += [(kata.file.slug, kata.title) for kata in katas]
        spellings = {f"{kata.file.number:02}": kata.title for kata in katas}
        spellings |= {str(kata.file.number): kata.title for kata in katas}
        words += sorted(spellings.items())
    words.append((ALL, "every kata"))
    return [CompletionItem(word, help=title) for word, title in words if word.startswith(incomplete)]
