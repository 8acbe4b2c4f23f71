"""Learners' files as text without losing a byte, also those that are no UTF-8."""


def decode(data: bytes) -> str:
    """Bytes as text. Those that are no UTF-8 become lone surrogates, which `encode` turns back."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes that `decode` made a text of."""
    return text.encode("utf-8", "surrogateescape")


def readable(text: str) -> str:
    """The text for people: what is no UTF-8 as U+FFFD."""
    return encode(text).decode("utf-8", "replace")


def to_column(text: str) -> str | bytes:
    """What the store keeps: TEXT, which SQLite takes as UTF-8 only, and a BLOB of anything else."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return encode(text)
    return text


def from_column(value: str | bytes) -> str:
    """The text again."""
    return decode(value) if isinstance(value, bytes) else value
