#!/usr/bin/env python3
"""Grade a kata: python3 grader.py kata-05

Needs nothing but Python: the first run installs the pinned dependencies into .venv beside this file.
Everything else is in kubekata/. This file keeps to syntax that any Python can parse, back to 2.7,
because an old one has to get as far as saying that it is too old.
"""

from __future__ import print_function

import os
import sys

ROOT = os.path.dirname(os.path.abspath(__file__))
OLDEST = (3, 11)
COULD_NOT_GRADE = 3


def refuse(message):
    print("kubekata: " + message, file=sys.stderr)
    sys.exit(COULD_NOT_GRADE)


def refuse_old_python():
    refuse(
        "this is Python %d.%d and kubekata needs %d.%d or newer: install one, then run for example "
        "`python3.12 grader.py` in this folder." % (sys.version_info[:2] + OLDEST)
    )


def load_bootstrap():
    """Load kubekata/bootstrap.py by its path: importing the package would need the dependencies."""
    import importlib.util

    path = os.path.join(ROOT, "kubekata", "bootstrap.py")
    if not os.path.isfile(path):
        refuse("the folder kubekata/ is missing beside grader.py: clone the whole repository.")
    spec = importlib.util.spec_from_file_location("kubekata_bootstrap", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main():
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - a closed one is None
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    if sys.version_info < OLDEST:
        refuse_old_python()
    load_bootstrap().prepare(ROOT, sys.argv)
    try:
        from kubekata.cli import main as run
    except ImportError as error:
        if os.environ.get("KUBEKATA_DEBUG"):
            raise
        refuse(
            "cannot start (%s). Is the clone whole? `git status` shows; KUBEKATA_DEBUG=1 says more." % error
        )
    run()


if __name__ == "__main__":
    main()
