"""What can be wrong with a learner's file as a whole: found before any hidden test runs, told once."""

from kubekata.grading.problems.loading import load_problems
from kubekata.grading.problems.reading import UnreadableSubmission, contents, read
from kubekata.grading.problems.text import is_started, text_problems

__all__ = ["UnreadableSubmission", "contents", "is_started", "load_problems", "read", "text_problems"]
