"""Do the hidden tests notice when a reference is changed a little?

    pip install -r benchmarks/mutation/requirements.txt
    python benchmarks/mutation             # every kata
    python benchmarks/mutation 5 11        # some

cosmic-ray makes the mutants and the real grader judges them: a mutant is a submission like any other, and it is
killed when it does not score 100. cosmic-ray rather than mutmut, because its operators can be had as a library:
mutmut rewrites the package under test into a tree of its own and judges it with a pytest of its own, and a
submission of ours is one file that is sent to another process.

Exits with 1 when fewer than 95 % of the mutants that are not equivalent are killed in any kata. The equivalent ones,
each with its reason, are in equivalents.toml beside this file.
"""

import ast
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from cosmic_ray.ast import ast_nodes, get_ast  # noqa: E402 - the path comes first
from cosmic_ray.mutating import mutate_code  # noqa: E402
from cosmic_ray.plugins import get_operator, operator_names  # noqa: E402

from kubekata.grading.catalog import Kata, Project  # noqa: E402
from kubekata.grading.effort import Effort  # noqa: E402
from kubekata.grading.many import Job, Outcome, grade_jobs  # noqa: E402
from kubekata.grading.result import KataResult  # noqa: E402

EQUIVALENTS = Path(__file__).with_name("equivalents.toml")
LEAST_KILLED = 0.95
TIMEOUT = 1.0

# A plus that becomes a shift, or an `|` in an annotation that becomes a minus, dies at once and only flatters the
# numbers; == against `is` differs in what the interpreter happens to share.
_ARITHMETIC = "(Add|Sub|Mul|Div|FloorDiv|Mod)"
_ORDER = "(Eq|NotEq|Lt|LtE|Gt|GtE)"
_WANTED = re.compile(
    rf"core/(ReplaceBinaryOperator_{_ARITHMETIC}_{_ARITHMETIC}|ReplaceComparisonOperator_{_ORDER}_{_ORDER}"
    r"|ReplaceComparisonOperator_(Is_IsNot|IsNot_Is)|ReplaceUnaryOperator_\w+|AddNot|ReplaceTrueWithFalse"
    r"|ReplaceFalseWithTrue|ReplaceAndWithOr|ReplaceOrWithAnd|ReplaceBreakWithContinue|ReplaceContinueWithBreak"
    r"|ExceptionReplacer|NumberReplacer|ZeroIterationForLoop)"
)


class Mutant(NamedTuple):
    """A changed reference: the line that is different, as it was and as it is, and the whole source."""

    line: int
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.before}  ->  {self.after}"


def main() -> None:
    """Mutate the references of the katas that are named, and print what survives."""
    project = Project(ROOT)
    katas = [project.find(name) for name in sys.argv[1:]] or list(project.katas)
    known = tomllib.loads(EQUIVALENTS.read_text("utf-8"))
    shares = [judge(kata, known.get(kata.id, [])) for kata in katas]
    sys.exit(0 if all(share >= LEAST_KILLED for share in shares) else 1)


def judge(kata: Kata, equivalents: list[dict[str, str]]) -> float:
    """Grade every mutant of one reference; print the survivors and return the share that was killed."""
    reasons = {(entry["before"], entry["after"]) for entry in equivalents}
    mutants = list(mutants_of(kata.solution.read_text("utf-8")))
    counted = [mutant for mutant in mutants if (mutant.before, mutant.after) not in reasons]
    with tempfile.TemporaryDirectory(prefix="kubekata-") as folder:
        jobs = []
        effort = Effort(until_red=True, shrink=False, measure=False)
        for number, mutant in enumerate(counted):
            path = Path(folder, f"mutant-{number}.py")
            path.write_text(mutant.source, "utf-8")
            jobs.append(Job(str(ROOT), kata.id, str(path), timeout=TIMEOUT, effort=effort))
        unchanged = Job(str(ROOT), kata.id, str(kata.solution), timeout=TIMEOUT, effort=effort)
        *outcomes, control = grade_jobs([*jobs, unchanged])
        if is_killed(control):
            sys.exit(
                f"{kata.id}: the reference itself does not score 100, so nothing can be said of its mutants"
            )
        # What passes at first is graded as a learner's file is before it counts as a survivor.
        doubtful = [number for number, outcome in enumerate(outcomes) if not is_killed(outcome)]
        again = [Job(str(ROOT), kata.id, jobs[number].path) for number in doubtful]
        for number, outcome in zip(doubtful, grade_jobs(again), strict=True):
            outcomes[number] = outcome
    survivors = [mutant for mutant, outcome in zip(counted, outcomes, strict=True) if not is_killed(outcome)]
    share = 1 - len(survivors) / max(1, len(counted))
    equal = len(mutants) - len(counted)
    print(f"{kata.id}  {len(counted)} mutants, {share:.1%} killed, {equal} equivalent", flush=True)
    for mutant in survivors:
        print(f"    {mutant}", flush=True)
    return share


def is_killed(outcome: Outcome) -> bool:
    """Whether a grade says that something is wrong. A kata that cannot be graded says nothing."""
    if isinstance(outcome, str):
        sys.exit(f"could not be graded: {outcome}")
    return isinstance(outcome, KataResult) and outcome.score < 100


def mutants_of(source: str) -> Iterator[Mutant]:
    """Every source that is one mutation away and still Python, each once."""
    seen = {ast.dump(ast.parse(source))}
    nodes = list(ast_nodes(get_ast(source)))
    for name in filter(_WANTED.fullmatch, operator_names()):
        operator = get_operator(name)()
        count = sum(1 for node in nodes for _ in operator.mutation_positions(node))
        for occurrence in range(count):
            mutated = mutate_code(source, operator, occurrence)
            tree = _parsed(mutated)
            if mutated is None or tree is None or tree in seen:
                continue
            seen.add(tree)
            yield _mutant(source, mutated)


def _parsed(source: str | None) -> str | None:
    """The mutant's syntax tree as text; None where there is none, or where it puts words in alphabetical order."""
    try:
        tree = ast.parse(source or "(")
    except SyntaxError:
        return None
    compared = (node for node in ast.walk(tree) if isinstance(node, ast.Compare))
    return None if any(_orders_words(node) for node in compared) else ast.dump(tree)


def _orders_words(node: ast.Compare) -> bool:
    words = any(
        isinstance(side, ast.Constant) and isinstance(side.value, str)
        for side in [node.left, *node.comparators]
    )
    return words and any(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops)


def _mutant(source: str, mutated: str) -> Mutant:
    lines, changed = source.splitlines(), mutated.splitlines()
    number = next(
        (n for n, (one, other) in enumerate(zip(lines, changed, strict=False)) if one != other),
        len(lines) - 1,
    )
    return Mutant(number + 1, lines[number].strip(), changed[number].strip(), mutated)


if __name__ == "__main__":
    main()
