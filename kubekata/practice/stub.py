"""The file that a kata came with.

Nobody keeps a second copy of a stub in the repository, so it is looked for: the file itself while nobody has
edited it, the store (which remembers every stub it saw), then git's history. A clone without any of these gets
a stub made from the entry points of kata.toml.
"""

from kubekata.grading.catalog import EntryPoint, Kata, Method
from kubekata.grading.problems import UnreadableSubmission
from kubekata.grading.stubs import committed, is_stub
from kubekata.practice import files
from kubekata.practice.store import Store

__all__ = ["find", "is_stub", "made", "remember"]


def remember(store: Store, kata: Kata) -> None:
    """Keep the stub for later when the file still is one."""
    text = _untouched(kata)
    if text:
        store.change(
            "INSERT INTO stubs (kata, text) VALUES (?, ?) ON CONFLICT (kata) DO UPDATE SET text = excluded.text"
            " WHERE text != excluded.text",
            kata.id,
            text,
        )


def find(kata: Kata, store: Store | None) -> str:
    """The stub's text."""
    text = _untouched(kata)
    if text:
        return text
    row = store.row("SELECT text FROM stubs WHERE kata = ?", kata.id) if store else None
    return row["text"] if row else committed(kata) or made(kata)


def _untouched(kata: Kata) -> str:
    """The text of the file itself while it is the stub; empty when it is not, or cannot be read."""
    try:
        text = files.own(kata)
    except UnreadableSubmission:
        return ""
    return text if text and is_stub(kata, text) else ""


def made(kata: Kata) -> str:
    """A stub from what kata.toml says: every name that a submission defines, and nothing in it."""
    parts = [f'"""{kata.title}. The brief is in README.md beside this file."""', "from kubekata import *"]
    parts += [_definition(entry) for entry in kata.file.entry_points]
    return "\n\n\n".join(["\n\n".join(parts[:2]), *parts[2:]]) + "\n"


def _definition(entry: EntryPoint) -> str:
    if entry.kind == "function":
        return _function(entry, entry.parameters)
    methods: list[EntryPoint | Method] = [*entry.methods]
    initializer = Method("__init__", entry.parameters)
    bodies = [_function(method, ("self", *method.parameters)) for method in (initializer, *methods)]
    indented = ["\n".join(f"    {line}" for line in body.splitlines()) for body in bodies]
    return f"class {entry.name}:\n" + "\n\n".join(indented)


def _function(entry: EntryPoint | Method, parameters: tuple[str, ...]) -> str:
    return f"def {entry.name}({', '.join(parameters)}):\n    raise NotImplementedError"
