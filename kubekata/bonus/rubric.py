"""What the bonus round's `rubric.toml` says."""

from __future__ import annotations

from pathlib import Path

import msgspec

from kubekata.grading.catalog import RubricItem

NAME = "kata-kind-operator"


class BonusFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Title, pass mark and the rubric items; points sum to 100."""

    title: str
    pass_mark: int
    rubric: tuple[RubricItem, ...]


class Bonus:
    """The bonus kata's files, below the folder of a project."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = (root or Path(__file__).resolve().parents[2]).absolute()
        self.folder = self.root / "katas" / NAME
        self.reference = self.root / "reference" / NAME
        self.file = msgspec.toml.decode((self.folder / "rubric.toml").read_bytes(), type=BonusFile)

    @property
    def submission(self) -> Path:
        """The file that the learner edits."""
        return self.folder / "operator.py"

    @property
    def stub(self) -> Path:
        """That file as it came."""
        return self.reference / "stub.py"

    @property
    def solution(self) -> Path:
        """The reference operator, which is also the one that `kind/` shows."""
        return self.root / "kind" / "operator.py"

    @property
    def definition(self) -> Path:
        """The CustomResourceDefinition of RackNodes."""
        return self.root / "kind" / "racknode-crd.yaml"
