"""Which lines of the submission ran, measured inside its own process by coverage.py."""

from typing import Any

from kubekata.grading.worker import SUBMISSION_FILE


class Measure:
    """A running measurement; a forked child inherits it and reads its own lines."""

    def __init__(self) -> None:
        import coverage  # noqa: PLC0415 - slow to import, and most zygotes never measure

        self._coverage = coverage.Coverage(
            data_file=None, config_file=False, include=[SUBMISSION_FILE], messages=False
        )
        self._coverage.start()

    def lines(self) -> tuple[int, ...]:
        """The lines that ran so far."""
        # `get_data()` would put them into a database first, which costs more than all the rest of a child.
        collector: Any = self._coverage._collector  # noqa: SLF001
        return tuple(sorted(collector.data.get(SUBMISSION_FILE, ())))

    def statements(self, source: str) -> tuple[int, ...]:
        """The lines that could have run: no docstrings, no comments, nothing marked `pragma: no cover`."""
        from coverage.parser import PythonParser  # noqa: PLC0415 - as above

        parser = PythonParser(text=source, exclude=r"#\s*pragma:\s*no cover")
        parser.parse_source()
        return tuple(sorted(parser.statements))


def start() -> Measure:
    """Start to measure, before forking, so that each child starts for free."""
    return Measure()
