"""Where progress is kept."""

import os
from pathlib import Path

HOME_VARIABLE = "KUBEKATA_HOME"
FOLDER = ".kubekata"


def home(root: Path) -> Path:
    """The folder of the progress store: what KUBEKATA_HOME says, otherwise `.kubekata` in the project at `root`."""
    chosen = os.environ.get(HOME_VARIABLE)
    return Path(chosen).expanduser().absolute() if chosen else root / FOLDER
