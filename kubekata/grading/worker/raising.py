"""An exception as plain data, cut down to what concerns the learner's file."""

import builtins
import difflib
import re
import sys
import types

from kubekata.grading.wire.messages import Frame, Raised, Refusal
from kubekata.grading.wire.values import Codec
from kubekata.grading.worker import SUBMISSION_FILE

_MESSAGE_LENGTH = 500
_FRAMES = 20
_ATTRIBUTES = 20
_NOT_IN_MODULE = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")


def describe(
    error: BaseException, call: int, codec: Codec, module: types.ModuleType, refusals: tuple[Refusal, ...]
) -> Raised:
    """Everything about `error` that the grader may want to say."""
    return Raised(
        call,
        type(error).__name__,
        _text(error),
        bases=tuple(cls.__name__ for cls in type(error).__mro__[:-1]),
        frames=_frames(error.__traceback__),
        attributes=_attributes(error, codec),
        cause=_cause(error),
        suggestion=_suggestion(error, module),
        refusals=refusals,
    )


def _text(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = ""
    return text.encode("utf-8", "replace").decode()[:_MESSAGE_LENGTH]


def _frames(traceback: types.TracebackType | None) -> tuple[Frame, ...]:
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == SUBMISSION_FILE:
            frames.append(Frame(traceback.tb_lineno or 0, code.co_name))
        traceback = traceback.tb_next
    return tuple(frames[-_FRAMES:])


def _attributes(error: BaseException, codec: Codec) -> dict[str, object]:
    own = list(vars(error).items())[:_ATTRIBUTES] if hasattr(error, "__dict__") else []
    return {name: codec.encode(value) for name, value in own if type(name) is str and name.isidentifier()}


def _cause(error: BaseException) -> str:
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return f"{type(cause).__name__}: {_text(cause)}" if cause is not None else ""


def _suggestion(error: BaseException, module: types.ModuleType) -> str:
    """The name that was probably meant, or an empty string."""
    wanted = ""
    known: list[str] = []
    if isinstance(error, ModuleNotFoundError) and error.name:
        wanted, known = error.name, [*sys.stdlib_module_names, "kubekata"]
    elif isinstance(error, ImportError):
        match = _NOT_IN_MODULE.match(_text(error))
        if match:
            wanted, known = match[1], dir(sys.modules.get(match[2]))
    elif isinstance(error, NameError) and error.name:
        wanted, known = error.name, [*vars(module), *vars(builtins)]
    elif isinstance(error, AttributeError) and error.name:
        wanted, known = error.name, dir(error.obj)
    return next(iter(difflib.get_close_matches(wanted, known, n=1, cutoff=0.7)), "")
