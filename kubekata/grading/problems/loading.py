"""What running the file once shows: does it load, and are the entry points what the kata asks for?"""

import difflib
import re
from collections.abc import Sequence

from kubekata.grading.catalog import EntryPoint, Method
from kubekata.grading.host.errors import NoAnswer
from kubekata.grading.host.session import LoadFailed, Session
from kubekata.grading.host.source import Source
from kubekata.grading.result import Problem
from kubekata.grading.scenario import raised_text
from kubekata.grading.signature import misfit
from kubekata.grading.wire.messages import EntryPointFound, Loaded
from kubekata.grading.worker import SUBMISSION_MODULE

_ASYNC_CURE = "write `def` instead of `async def`: the caller does not await"
_IMPORT_CURE = "rely on the standard library and kubekata alone: no other package or file is sure to be there"
_PATH = re.compile(r" \([^()]*\)$")
_GENERATOR_CURE = "return the answer instead of yielding it"


def load_problems(session: Session, source: Source, entry_points: Sequence[EntryPoint]) -> list[Problem]:
    """Load the submission in `session` and compare what it defines with what the kata asks for."""
    try:
        loaded = session.load()
    except LoadFailed as failure:
        return [_not_loaded(failure, source)]
    problems = []
    for entry in entry_points:
        found = [_entry_problem(loaded, source, entry)]
        if found == [None] and entry.kind == "class":
            found = [_method_problem(loaded, source, entry, method) for method in entry.methods]
        problems += [problem for problem in found if problem is not None]
    return problems


def _not_loaded(failure: LoadFailed, source: Source) -> Problem:
    cause = failure.cause
    if isinstance(cause, NoAnswer):
        cure = "importing a file only defines things: move the rest into a function"
        return Problem("load", str(cause), cure, cause.line, source.line(cause.line or 0))
    cure = f"did you mean {failure.suggestion}?" if failure.suggestion else ""
    shown = source.line(cause.line) if cause.line else ""
    if "ImportError" not in cause.bases:
        cure = cure or "the file has to load before it is graded"
        return Problem("load", f"the file does not load: {raised_text(cause)}", cure, cause.line, shown)
    if f"'{SUBMISSION_MODULE}'" in cause.message:
        message, cure = "the file imports itself", "take that line out"
    else:
        message, cure = _PATH.sub("", cause.message), cure or _IMPORT_CURE
    return Problem("import", f"{message} (line {cause.line})", cure, cause.line, shown)


def _entry_problem(loaded: Loaded, source: Source, entry: EntryPoint) -> Problem | None:
    found = next((found for found in loaded.entry_points if found.name == entry.name), None)
    if found is None:
        return _missing(loaded, source, entry)
    line = source.definition(entry.name)
    return _wrong_kind(found, source, line, entry.kind) or _wrong_signature(
        found, source, line, entry.parameters
    )


def _method_problem(loaded: Loaded, source: Source, entry: EntryPoint, method: Method) -> Problem | None:
    name = f"{entry.name}.{method.name}"
    found = next((found for found in loaded.entry_points if found.name == name), None)
    line = source.definition(name)
    if found is None:
        message = f"class `{entry.name}` has no method `{method.name}`"
        return Problem("missing-entry-point", message, f"define it: {_written(method)}", line)
    return _wrong_kind(found, source, line, "function") or _wrong_signature(
        found, source, line, method.parameters
    )


def _missing(loaded: Loaded, source: Source, entry: EntryPoint) -> Problem:
    inside = source.enclosing(entry.name)
    if inside is not None:
        number, scope = inside
        message = f"`{entry.name}` is inside {scope}, expected it in the file itself"
        cure = f"move it out: {_written(entry)}"
        return Problem("missing-entry-point", message, cure, number, source.line(number))
    plain = {name.lower().replace("_", ""): name for name in reversed(loaded.names)}
    exact = plain.get(entry.name.lower().replace("_", ""))
    close = [exact] if exact else difflib.get_close_matches(entry.name, loaded.names, n=1, cutoff=0.6)
    if close:
        line = source.definition(close[0])
        shown = source.line(line) if line else ""
        message = f"found `{close[0]}`, expected `{entry.name}`"
        return Problem("misnamed-entry-point", message, f"rename it to `{entry.name}`", line, shown)
    what = f"{'class' if entry.kind == 'class' else 'function'} `{entry.name}`"
    return Problem("missing-entry-point", f"there is no {what} in the file", f"define it: {_written(entry)}")


def _wrong_kind(found: EntryPointFound, source: Source, line: int | None, wanted: str) -> Problem | None:
    if found.kind == wanted:
        return None
    shown = source.line(line) if line else ""
    match found.kind:
        case "async":
            return Problem(
                "async", f"`{found.name}` is async, expected a plain {wanted}", _ASYNC_CURE, line, shown
            )
        case "generator":
            message = f"`{found.name}` is a generator (it has a `yield`), expected a plain {wanted}"
            return Problem("generator", message, _GENERATOR_CURE, line, shown)
        case "class" | "function":
            message = f"`{found.name}` is a {found.kind}, expected a {wanted}"
        case _:
            message = f"`{found.name}` is {_article(found.type_name)}, expected a {wanted}"
    keyword = "class" if wanted == "class" else "def"
    return Problem("wrong-kind", message, f"define it with `{keyword} {found.name}`", line, shown)


def _wrong_signature(
    found: EntryPointFound, source: Source, line: int | None, declared: tuple[str, ...]
) -> Problem | None:
    message = misfit(found, declared)
    if message is None:
        return None
    return Problem("signature", message, "give it the parameters of the brief", line, source.line(line or 0))


def _written(entry: EntryPoint | Method) -> str:
    if isinstance(entry, EntryPoint) and entry.kind == "class":
        return f"class {entry.name}: …"
    own = ("self",) if isinstance(entry, Method) else ()
    return f"def {entry.name}({', '.join((*own, *entry.parameters))}): …"


def _article(type_name: str) -> str:
    return f"{'an' if type_name[:1].lower() in 'aeiou' else 'a'} {type_name}"
