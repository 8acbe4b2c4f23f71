"""`python -m kubekata` is `python grader.py` in an environment that is there already."""

from kubekata.cli import main

main()
