"""`python grader.py completion bash`: completion of commands and katas in the shell.

A shell completes by the word that starts a line, so it works for `./grader.py`, for the installed `kubekata` and for
a function `grader`, and cannot work for `python grader.py`, which starts with Python's name.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import click

COMPLETION_VARIABLE = "_KUBEKATA_COMPLETE"

# Each script asks the program itself, in the protocol of click.shell_completion: for each candidate its type
# ("plain", "file", "dir"), the word and its help.
BASH = """\
# kubekata: put `eval "$(./grader.py completion bash)"` into ~/.bashrc, or run it in this shell.
# `python3 grader.py` starts with Python's name and cannot be completed. A word of your own can, from any folder:
#     grader() { python3 PROGRAM "$@"; }
_kubekata() {
    local IFS=$'\\n' line kind word
    COMPREPLY=()
    for line in $(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD VARIABLE=bash_complete "$1"); do
        IFS=, read -r kind word <<< "$line"
        case $kind in
            file) compopt -o default ;;
            dir) compopt -o dirnames ;;
            plain) COMPREPLY+=("$word") ;;
        esac
    done
}
complete -o nosort -F _kubekata kubekata grader.py grader
"""

ZSH = """\
#compdef kubekata grader.py grader
# kubekata: put `eval "$(./grader.py completion zsh)"` into ~/.zshrc after compinit, or run it in this shell.
# `python3 grader.py` starts with Python's name and cannot be completed. A word of your own can, from any folder:
#     grader() { python3 PROGRAM "$@"; }
_kubekata() {
    local -a answer described plain
    local kind word help
    answer=("${(@f)$(
        export COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT - 1)) VARIABLE=zsh_complete
        ${words[1]}
    )}")
    for kind word help in ${answer}; do
        case $kind in
            file) _path_files -f ;;
            dir) _path_files -/ ;;
            plain) if [[ $help == _ ]]; then plain+=($word); else described+=("${word//:/\\\\:}:$help"); fi ;;
        esac
    done
    (( $#described )) && _describe -V kubekata described -U
    (( $#plain )) && compadd -U -V kubekata -a plain
}
compdef _kubekata kubekata grader.py grader
"""

FISH = """\
# kubekata: put `./grader.py completion fish | source` into config.fish, or run it in this shell.
# `python3 grader.py` starts with Python's name and cannot be completed. A word of your own can, from any folder:
#     function grader; python3 PROGRAM $argv; end
function _kubekata
    set -l words (commandline -opc)
    set -lx VARIABLE fish_complete
    set -lx COMP_WORDS (commandline -cp)
    set -lx COMP_CWORD (commandline -t)
    for line in ($words[1])
        set -l parts (string split , -- $line)
        switch $parts[1]
            case file
                __fish_complete_path $parts[2]
            case dir
                __fish_complete_directories $parts[2]
            case plain
                echo $parts[2]
        end
    end
end
complete --no-files --command kubekata --arguments '(_kubekata)'
complete --no-files --command grader.py --arguments '(_kubekata)'
complete --no-files --command grader --arguments '(_kubekata)'
"""

_PROGRAM = Path(__file__).resolve().parents[2] / "grader.py"

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(SCRIPTS)))
def completion(shell: str) -> None:
    """Print the completion script of a shell; its first lines say where to put it."""
    script = SCRIPTS[shell].replace("VARIABLE", COMPLETION_VARIABLE)
    click.echo(script.replace("PROGRAM", shlex.quote(str(_PROGRAM))), nl=False)
