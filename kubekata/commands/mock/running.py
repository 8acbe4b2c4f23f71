"""The mock interview that is running."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubekata.commands.progress import progress_of
from kubekata.commands.status import PROGRAM, WrongUsageError
from kubekata.grading.catalog import Project, UnknownKata

if TYPE_CHECKING:
    from kubekata.grading.catalog import Kata
    from kubekata.practice.mocks import Mock


def running_mock() -> tuple[Mock, Kata]:
    """The running mock and its kata. Raises WrongUsageError when there is none."""
    found = find_running()
    if found is None:
        raise WrongUsageError(f"no mock interview is running: `{PROGRAM} mock` begins one.")
    return found


def find_running() -> tuple[Mock, Kata] | None:
    """The running mock and its kata, if there is one. Raises WrongUsageError when the kata is gone."""
    from kubekata.practice import mocks

    project = Project()
    with progress_of(project) as store:
        mock = mocks.running(store)
    if mock is None:
        return None
    try:
        return mock, project.find(mock.kata)
    except UnknownKata as error:
        raise WrongUsageError(f"the running mock is about {mock.kata}, which is not here.") from error


def shown_clock(mock: Mock, now: float) -> str:
    """What the clock says, in words."""
    from kubekata.report.when import clock

    left = mock.left(now)
    if left < 0:
        return f"the time is over since {clock(-left)}"
    return f"{clock(left)} left" + (", paused" if mock.paused is not None else "")
