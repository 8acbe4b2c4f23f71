"""One submission process: cut off from the terminal and the disk, it loads the learner's file and serves calls."""

import builtins
import contextlib
import faulthandler
import io
import os
import signal
import socket
import sys
import tempfile
from typing import NoReturn

from kubekata.grading.wire.framing import FrameTooLarge
from kubekata.grading.wire.messages import Call, End, Ended, ShowArguments, Start
from kubekata.grading.worker import audit, limits, system
from kubekata.grading.worker.channel import Channel, HostGone
from kubekata.grading.worker.measuring import Measure
from kubekata.grading.worker.options import WorkerOptions
from kubekata.grading.worker.service import Service


def run(options: WorkerOptions, fds: list[int], scratch: str, measure: Measure | None) -> NoReturn:
    """Be the child: never returns, and never runs an exit handler of the zygote."""
    status = 1
    try:
        channel_fd, output, diagnostics = fds
        os.setsid()
        system.die_with_parent()
        _become_quiet(output)
        _report_crashes(diagnostics)
        os.chdir(scratch)
        os.environ["HOME"] = os.environ["TMPDIR"] = tempfile.tempdir = scratch
        channel = Channel(socket.socket(fileno=channel_fd))
        limits.apply(options)
        watch = audit.Watch(options, scratch)
        watch.start()
        _serve(channel, watch, measure)
        status = 0
    except HostGone:
        status = 0
    finally:
        os._exit(status)


def _serve(channel: Channel, watch: audit.Watch, measure: Measure | None) -> None:
    start = channel.receive()
    if not isinstance(start, Start):
        return
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


def _become_quiet(output: int) -> None:
    """Nothing to read on stdin, and both output streams into the host's pipe, line by line."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(nothing)
    os.close(output)
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", closefd=False)))
    sys.stdout = sys.__stdout__ = _line_by_line(1)
    sys.stderr = sys.__stderr__ = _line_by_line(2)
    sys.breakpointhook = _no_breakpoint
    builtins.input = _no_input
    sys.dont_write_bytecode = True


def _line_by_line(fd: int) -> io.TextIOWrapper:
    raw = io.FileIO(fd, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )


def _report_crashes(diagnostics: int) -> None:
    """Let the interpreter itself write where it is: when it crashes, and when the host asks with a signal."""
    faulthandler.enable(file=diagnostics, all_threads=False)
    faulthandler.register(signal.SIGUSR1, file=diagnostics, all_threads=False, chain=False)


def _no_breakpoint(*_args: object, **_kwargs: object) -> None:
    raise RuntimeError("a breakpoint is still in your file")


def _no_input(*_args: object, **_kwargs: object) -> str:
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    raise EOFError("input() was called, and nobody is there to answer")
