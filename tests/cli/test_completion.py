"""Completion, asked in a real shell where there is one."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Grader, clean_environ


def environ(**extra: str) -> dict[str, str]:
    """`python3` on PATH is the one that runs these tests."""
    return clean_environ(PATH=f"{ROOT / '.venv/bin'}{os.pathsep}{os.environ['PATH']}", **extra)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_prints_a_script_that_says_where_it_goes(grader: Grader, shell: str) -> None:
    done = grader("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"completion {shell}" in done.stdout
    assert "VARIABLE" not in done.stdout
    assert f"python3 {shlex.quote(str(ROOT / 'grader.py'))} " in done.stdout
    if path := shutil.which(shell):
        subprocess.run([path, "-n"], input=done.stdout, text=True, check=True)


@pytest.mark.parametrize(
    ("words", "wanted", "unwanted"),
    [
        ("grader.py ", ["kata-04", "all", "grade", "completion"], ["hpa"]),
        ("grader.py kata-0", ["kata-04", "kata-05"], ["grade"]),
        ("grader.py surge", ["surge-stepping"], ["kata-05"]),
        ("grader.py self", ["selfcheck", "selftest"], []),
        ("grader.py kata-04 --j", ["--json"], ["--seed"]),
        ("grader.py kata-04 ka", ["kata-05"], []),
        ("grader.py completion ", ["bash", "zsh", "fish"], []),
        ("grader.py wat", ["watch"], ["kata-04"]),
        ("grader.py hint kata-0", ["kata-04"], ["all"]),
        ("grader.py show 0", ["01", "05", "09"], ["10", "5", "kata-05"]),
        ("grader.py show 1", ["1", "10", "18"], ["01"]),
        ("grader.py show ki", ["kind"], ["kata-01"]),
        ("grader.py hint ki", [], ["kind"]),
        ("grader.py 0", ["04"], ["kata-04", "kind"]),
        ("grader.py hint surge", ["surge-stepping"], []),
        ("grader.py reset kata-04 --u", ["--undo"], []),
        ("grader.py mock ", ["watch", "submit", "pause", "finish", "history"], []),
        ("grader.py mock finish --n", ["--no-questions"], ["--seed"]),
        ("grader.py mock --kata kata-0", ["kata-04"], ["all"]),
        ("grader.py list --state ", ["new", "given-up"], []),
    ],
)
def test_bash_completes(tmp_path: Path, words: str, wanted: list[str], unwanted: list[str]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    line = words.split(" ")
    script = (
        f'eval "$({ROOT}/grader.py completion bash)"\n'
        f"COMP_WORDS=({ROOT}/grader.py {' '.join(line[1:-1])} '{line[-1]}')\n"
        f"COMP_CWORD={len(line) - 1}\n"
        f"_kubekata {ROOT}/grader.py '{line[-1]}' '{line[-2]}'\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        [bash, "--norc", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env=environ(),
        cwd=tmp_path,
    )
    assert done.stderr == ""
    words_offered = done.stdout.split()
    assert set(wanted) <= set(words_offered)
    assert not set(unwanted) & set(words_offered)


@pytest.mark.parametrize(
    ("shell", "options", "collect"),
    [
        (
            "bash",
            "--norc",
            'COMP_WORDS=(grader show 0); COMP_CWORD=2; _kubekata grader; echo "${COMPREPLY[@]}"',
        ),
        ("zsh", "-f", "words=(grader show 0); CURRENT=3; _kubekata"),
    ],
)
def test_a_function_is_completed_too(shell: str, options: str, collect: str) -> None:
    """`python3 grader.py` cannot be; a function around it can, and is asked as what it is."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"no {shell} here")
    script = (
        f'grader() {{ python3 {ROOT}/grader.py "$@"; }}\n'
        "compdef() { :; }; _describe() { print -l $described; }\n"
        f'eval "$({ROOT}/grader.py completion {shell})"\n{collect}\n'
    )
    done = subprocess.run(
        [path, options, "-c", script], capture_output=True, text=True, check=False, env=environ()
    )
    assert done.stderr == ""
    assert "05" in done.stdout


@pytest.mark.parametrize(
    ("shell", "words", "word"),
    [("zsh", "grader.py kata-0", "1"), ("fish", "grader.py kata-0", "kata-0")],
)
def test_the_program_answers_other_shells(grader: Grader, shell: str, words: str, word: str) -> None:
    done = grader(env={"_KUBEKATA_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": word})
    assert "kata-04" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize("word", [f"{ROOT}/grader.py", "grader"])
def test_fish_completes(word: str, tmp_path: Path) -> None:
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("no fish here")
    script = (
        f"function grader; python3 {ROOT}/grader.py $argv; end; "
        f"{ROOT}/grader.py completion fish | source; complete --do-complete '{word} kata-0'"
    )
    done = subprocess.run(
        [fish, "--no-config", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env=environ(HOME=str(tmp_path)),  # where it makes folders of its own
    )
    assert "kata-04" in done.stdout, done.stderr
