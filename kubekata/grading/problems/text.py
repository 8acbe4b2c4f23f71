"""What the text of a submission shows without running it."""

import ast
import warnings
from collections.abc import Sequence

from kubekata.grading.catalog import EntryPoint
from kubekata.grading.host.source import Source
from kubekata.grading.result import Problem
from kubekata.grading.worker import SUBMISSION_FILE

_DEBUGGERS = {"pdb", "ipdb", "pudb", "debugpy"}


def text_problems(source: Source) -> list[Problem]:
    """Syntax errors, else breakpoints and questions to a person that are still in the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source.text, SUBMISSION_FILE, "exec", dont_inherit=True)
    except SyntaxError as error:
        return [_syntax(source, error)]
    except (ValueError, RecursionError, MemoryError) as error:
        return [Problem("syntax-error", f"Python cannot read the file: {error}", "simplify it")]
    return _interactive(source)


def is_started(source: Source, entry_points: Sequence[EntryPoint]) -> bool:
    """False while every entry point is as the stub left it: no body but a docstring and NotImplementedError."""
    defined = {
        node.name: node
        for node in source.tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    return not all(
        entry.name in defined
        and isinstance(defined[entry.name], ast.ClassDef) is (entry.kind == "class")
        and _is_stub(defined[entry.name])
        for entry in entry_points
    )


def _is_stub(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    body = [statement for statement in node.body if not _is_docstring(statement)]
    if isinstance(node, ast.ClassDef):
        methods = [part for part in body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
        return all(_is_stub(method) for method in methods)
    return all(_does_nothing(statement) for statement in body)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _does_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise) and statement.exc is not None:
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    return isinstance(statement, ast.Pass)


def _syntax(source: Source, error: SyntaxError) -> Problem:
    match error:
        case TabError():
            kind, cure = "tabs", "indent with spaces only"
        case IndentationError():
            kind, cure = "indentation", "line the block up with the lines around it"
        case _:
            kind, cure = "syntax-error", "mend this line; the cause may stand just before it"
    line = error.lineno or 1
    return Problem(kind, f"line {line}: {error.msg}", cure, line, source.line(line))


def _interactive(source: Source) -> list[Problem]:
    problems = []
    own_names = {node.arg for node in ast.walk(source.tree) if isinstance(node, ast.arg)}
    own_names |= {node.name for node in ast.walk(source.tree) if isinstance(node, ast.FunctionDef)}
    for node in _calls(source.tree):
        match node.func:
            case ast.Name(id="breakpoint") if "breakpoint" not in own_names:
                problems.append(_breakpoint(source, node.lineno))
            case ast.Attribute(attr="set_trace" | "breakpoint", value=ast.Name(id=name)) if (
                name in _DEBUGGERS
            ):
                problems.append(_breakpoint(source, node.lineno))
            case ast.Name(id="input") if "input" not in own_names:
                problems.append(
                    Problem(
                        "input",
                        f"input() is still in your file, line {node.lineno}",
                        "nobody is there to type: use the arguments",
                        node.lineno,
                        source.line(node.lineno),
                    )
                )
    return problems


def _breakpoint(source: Source, line: int) -> Problem:
    return Problem(
        "breakpoint",
        f"a breakpoint is still in your file, line {line}",
        "take it out",
        line,
        source.line(line),
    )


def _calls(tree: ast.Module) -> list[ast.Call]:
    """Every call in the module, in order, but for those under `if __name__ == "__main__":`."""
    kept = [node for node in tree.body if not _is_main_guard(node)]
    calls = [call for node in kept for call in ast.walk(node) if isinstance(call, ast.Call)]
    return sorted(calls, key=lambda call: call.lineno)


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.dump(node.test)
