"""The gate for whoever writes katas: does every kata tell right from wrong, and say so?"""

from kubekata.grading.selfcheck.gate import run_selfcheck
from kubekata.grading.selfcheck.report import Finding, SelfcheckReport

__all__ = ["Finding", "SelfcheckReport", "run_selfcheck"]
