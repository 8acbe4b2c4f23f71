"""One submission process: cut off from the terminal and the disk, it loads the learner's file and serves calls."""

import os
import tempfile
from typing import NamedTuple, NoReturn

from kubekata.grading.wire.framing import FrameTooLarge
from kubekata.grading.wire.messages import Call, End, Ended, ShowArguments, Start
from kubekata.grading.worker import crashes, limits, system
from kubekata.grading.worker.audit import Watch
from kubekata.grading.worker.channel import Channel, HostGone
from kubekata.grading.worker.landlock import FileRules
from kubekata.grading.worker.measuring import Measure
from kubekata.grading.worker.options import WorkerOptions
from kubekata.grading.worker.service import Service
from kubekata.grading.worker.system import SystemCalls


class Guards(NamedTuple):
    """What stands between a submission and the rest: made in the zygote, put up in the child."""

    options: WorkerOptions
    files: FileRules
    system_calls: SystemCalls
    watch: Watch

    def put_up(self, scratch: str) -> None:
        """From here on the process is confined, for good."""
        limits.apply(self.options)
        self.files.take_on()
        self.system_calls.refuse()
        self.watch.start(scratch)


def run(guards: Guards, fds: list[int], scratch: str, measure: Measure | None) -> NoReturn:
    """Be the child: never returns, and never runs an exit handler of the zygote."""
    status = 1
    try:
        channel_fd, output, diagnostics = fds
        os.setsid()
        system.die_with_parent()
        for stream in (1, 2):
            os.dup2(output, stream)
        os.close(output)
        crashes.report_to(diagnostics)
        os.chdir(scratch)
        os.environ["HOME"] = os.environ["TMPDIR"] = tempfile.tempdir = scratch
        guards.put_up(scratch)
        _serve(Channel(channel_fd), guards.watch, measure)
        status = 0
    except HostGone:
        status = 0
    finally:
        os._exit(status)


def _serve(channel: Channel, watch: Watch, measure: Measure | None) -> None:
    start = channel.receive()
    if not isinstance(start, Start):
        return
    watch.allow(start.helpers)
    service = Service(channel, watch, start)
    if not service.load():
        return
    while True:
        match channel.receive():
            case Call() as call:
                answer = service.call(call)
            case ShowArguments():
                answer = service.arguments()
            case End() as end:
                lines = measure.lines() if measure else ()
                statements = measure.statements(start.source) if measure and end.statements else ()
                channel.send(Ended(lines, statements, watch.take()))
                return
            case _:
                return
        try:
            channel.send(answer)
        except FrameTooLarge as error:
            channel.send(service.too_large(error.size))
