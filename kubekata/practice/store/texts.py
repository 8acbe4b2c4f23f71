"""Learners' texts in the store: TEXT where they are UTF-8, which is all that SQLite's TEXT can be, else a BLOB."""

from kubekata.practice import files


def to_column(text: str) -> str | bytes:
    """What the store keeps of a text from practice.files."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return files.encode(text)
    return text


def from_column(value: str | bytes) -> str:
    """The text again."""
    return files.decode(value) if isinstance(value, bytes) else value
