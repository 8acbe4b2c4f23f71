"""Submissions that are lucky: a fresh process for each test, two hash seeds and generated inputs find them out."""

import pytest

from tests.hostile.arena import Arena, Attack, by_name

LUCKY = [
    Attack("by call number", "return next(answers)", "answers = iter([6, 140])"),
    Attack("by hard-coded examples", "return {3: 6, 70: 140}.get(number, 0)"),
    Attack("by a counter", "seen.append(1)\nreturn number * 2 if len(seen) < 4 else 0", "seen = []"),
    Attack(
        "by what it left on disk",
        "import os\nif os.path.exists('seen'):\n    return 0\nopen('seen', 'w').close()\nreturn number * 2",
    ),
    Attack("by chance", "import random\nreturn number * 2 if random.random() < 0.5 else 0"),
    Attack("by the hash seed", "return number * 2 if hash('lucky') % 2 else 0"),
    Attack("by the order of a set", "return number * 2 if next(iter(set('abcdefgh'))) in 'abcd' else 0"),
    Attack("by the process id", "import os\nreturn number * 2 if os.getpid() % 2 else 0"),
    Attack("by being measured", "import sys\nreturn 0 if sys.gettrace() else number * 2"),
]


@pytest.mark.parametrize("attack", LUCKY, ids=lambda attack: attack.name)
def test_luck_does_not_pass(arena: Arena, attack: Attack) -> None:
    result = arena.grade(arena.source(attack))
    assert not result.passed
    assert by_name(result)["test_other"].outcome == "passed"


@pytest.mark.parametrize("constant", ["None", "0", "1", "6", "[]", "''", "True"])
def test_a_constant_scores_nothing(arena: Arena, constant: str) -> None:
    names = (("target", "number"), ("spread", "numbers"), ("other", "text"))
    source = "\n\n".join(f"def {name}({parameter}):\n    return {constant}\n" for name, parameter in names)
    result = arena.grade(source)
    assert result.score == 0


def test_a_file_on_disk_is_gone_in_the_next_test(arena: Arena) -> None:
    body = "import os\nprint(os.listdir('.'))\nopen('seen', 'w').close()\nreturn 0"
    result = arena.grade(arena.source(Attack("", body)))
    assert {by_name(result)[name].stdout for name in ("test_target[3]", "test_target[70]")} == {"[]\n"}
