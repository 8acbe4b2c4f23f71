"""The submission's side of the boundary. It imports nothing of the host's side: no tests, no world, no answers."""

SUBMISSION_FILE = "/submission/kata.py"
"""The file name that every submission is compiled under, wherever it lies on disk."""

SUBMISSION_MODULE = "kata"
"""The module name that every submission runs as."""
