"""The learner's file as text: its lines, its definitions, and the loops that a program can be stuck in."""

import ast
import functools

_LINE_LENGTH = 120


class Source:
    """The text of one submission that parses, and the modules that its kata lends it."""

    def __init__(self, text: str, helpers: tuple[str, ...] = ()) -> None:
        self.text = text
        self.helpers = helpers
        self._lines = text.splitlines()

    @functools.cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree."""
        return ast.parse(self.text)

    def line(self, number: int) -> str:
        """One line, stripped and shortened; empty when there is no such line."""
        if not 0 < number <= len(self._lines):
            return ""
        text = self._lines[number - 1].strip()
        return text if len(text) <= _LINE_LENGTH else text[: _LINE_LENGTH - 1] + "…"

    def at(self, number: int) -> str:
        """A line for the end of a message: "line 12: pod = pods['x']"."""
        return f"line {number}: {self.line(number)}"

    def definition(self, name: str) -> int | None:
        """The line on which `name` (or a method, dotted) is defined or assigned."""
        scope: list[ast.stmt] = self.tree.body
        line = None
        for part in name.split("."):
            node = next((node for node in reversed(scope) if part in _names(node)), None)
            if node is None:
                return line
            line = node.lineno
            scope = node.body if isinstance(node, ast.ClassDef) else []
        return line

    def enclosing(self, name: str) -> tuple[int, str] | None:
        """Where `name` is defined inside a class or a function: its line, and a text like "class `Solution`"."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                inner = next((part for part in node.body if _defines(part, name)), None)
                if inner is not None:
                    return (
                        inner.lineno,
                        f"{'class' if isinstance(node, ast.ClassDef) else 'function'} `{node.name}`",
                    )
        return None

    def stuck_at(self, lines: list[int]) -> int | None:
        """The line to name for a program that was stopped at `lines`, outermost call first.

        Where in an endless loop it was stopped is chance, so this is the line of the outermost `while` loop
        around any of the lines, else of the outermost `for`, else the first of the lines.
        """
        loops = [node for node in ast.walk(self.tree) if isinstance(node, ast.While | ast.For)]
        for kind in (ast.While, ast.For):
            for line in lines:
                around = [
                    loop.lineno
                    for loop in loops
                    if isinstance(loop, kind) and loop.lineno <= line <= (loop.end_lineno or 0)
                ]
                if around:
                    return min(around)
        return lines[0] if lines else None


def _defines(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name


def _names(node: ast.stmt) -> set[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {node.name}
        case ast.Assign():
            return {target.id for target in node.targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case ast.Import() | ast.ImportFrom():
            return {alias.asname or alias.name for alias in node.names}
    return set()
