"""The report as one HTML file that loads nothing from elsewhere."""

from kubekata.report.html.model import KataLine, Point, Progress, Stepwise
from kubekata.report.html.page import page

__all__ = ["KataLine", "Point", "Progress", "Stepwise", "page"]
