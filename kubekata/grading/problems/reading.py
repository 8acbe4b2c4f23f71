"""From a path to text."""

import codecs
import io
import tokenize
from pathlib import Path

from kubekata.grading.catalog import Kata
from kubekata.grading.result import Problem

MOST_BYTES = 1024 * 1024


class UnreadableSubmission(Exception):
    """The path cannot be read as a file (missing, a folder, no permission): wrong usage. One line.

    `why` says what is wrong with `path`, and what to do about it.
    """

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path} {why}")
        self.path = path
        self.why = why


def contents(path: Path, kata: Kata | None = None, most: int = -1) -> bytes:
    """The first `most` bytes of a file, all when left out; `kata` is whose own file it is, which has a stub.

    Raises UnreadableSubmission.
    """
    stub = f"`python grader.py reset {kata.file.number}` puts the stub back" if kata else ""
    try:
        if path.is_file():
            with path.open("rb") as file:
                return file.read(most)
        if not path.exists():
            raise UnreadableSubmission(path, f"does not exist: {stub or 'give the path of a Python file'}")
        cure = f"move it away, then {stub}" if stub else "give the path of a Python file"
        raise UnreadableSubmission(path, f"is {'a folder' if path.is_dir() else 'not a file'}: {cure}")
    except OSError as error:
        cure = "`chmod u+r` lets you read it" if isinstance(error, PermissionError) else "mend that"
        raise UnreadableSubmission(path, f"cannot be read: {error.strerror}; {cure}") from error


def read(path: Path, kata: Kata | None = None) -> str | Problem:
    """The text of a submission, or why it has none; `kata` as above. Raises UnreadableSubmission."""
    data = contents(path, kata, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        return Problem(
            "too-large", f"the file is larger than {MOST_BYTES // 1024} KiB", "is this the right file?"
        )
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Problem("encoding", "the file is UTF-16", "save it as UTF-8")
    if b"\0" in data:
        return Problem("binary", "the file is binary, not Python text", "is this the right file?")
    return _decode(data)


def _decode(data: bytes) -> str | Problem:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (UnicodeDecodeError, SyntaxError) as error:
        line = data[: error.start].count(b"\n") + 1 if isinstance(error, UnicodeDecodeError) else None
        line = line or _first_bad_line(data)
        shown = data.split(b"\n")[line - 1].decode("utf-8", "replace").strip()[:120] if line else ""
        message = (
            f"line {line} is not valid UTF-8" if line else "the file names an encoding that does not exist"
        )
        return Problem("encoding", message, "save the file as UTF-8", line, shown)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        return Problem("empty", "the file is empty", "write your solution into it, or reset the kata")
    return text


def _first_bad_line(data: bytes) -> int | None:
    for number, line in enumerate(data.split(b"\n"), start=1):
        try:
            line.decode()
        except UnicodeDecodeError:
            return number
    return None
