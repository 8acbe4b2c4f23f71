"""The signatures that kata.toml declares, and whether what a learner wrote can be called that way."""

import functools
import inspect

from kubekata.grading.wire.messages import EntryPointFound

_P = inspect.Parameter


class _Default:
    """Stands for a default value whose text is all that is known."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


@functools.cache
def parse(parameters: tuple[str, ...]) -> inspect.Signature:
    """The signature for texts such as "current", "*" and "tolerance=0.1". Raises ValueError."""
    only_named = False
    parsed = []
    for text in parameters:
        name, _, default = (part.strip() for part in text.partition("="))
        if name == "*":
            only_named = True
            continue
        kind = _P.KEYWORD_ONLY if only_named else _P.POSITIONAL_OR_KEYWORD
        parsed.append(_P(name, kind, default=_Default(default) if default else _P.empty))
    return inspect.Signature(parsed)


def misfit(found: EntryPointFound, declared: tuple[str, ...]) -> str | None:
    """Why calls as declared cannot reach what was found, in the learner's words; None when they can."""
    if found.parameters is None:
        return None
    theirs = inspect.Signature(
        [
            _P(name, getattr(_P, kind), default=_Default("…") if has_default else _P.empty)
            for name, kind, has_default in found.parameters
        ]
    )
    ours = parse(declared)
    if _accepts(theirs, ours, only_required=False) and _accepts(theirs, ours, only_required=True):
        return None
    return f"found `{found.name}{theirs}`, expected `{found.name}({', '.join(declared)})`"


def _accepts(theirs: inspect.Signature, ours: inspect.Signature, *, only_required: bool) -> bool:
    wanted = [p for p in ours.parameters.values() if not (only_required and p.default is not p.empty)]
    args = [None for p in wanted if p.kind is not p.KEYWORD_ONLY]
    kwargs = {p.name: None for p in wanted if p.kind is p.KEYWORD_ONLY}
    try:
        theirs.bind(*args, **kwargs)
    except TypeError:
        return False
    return True
