"""Kubernetes quantities: ``"500m"`` CPU, ``"128Mi"`` memory (apimachinery ``resource.Quantity``)."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache

_SUFFIXES: dict[str, Decimal] = {
    "n": Decimal(1).scaleb(-9),
    "u": Decimal(1).scaleb(-6),
    "m": Decimal(1).scaleb(-3),
    "": Decimal(1),
    "k": Decimal(1000),
    "M": Decimal(1000) ** 2,
    "G": Decimal(1000) ** 3,
    "T": Decimal(1000) ** 4,
    "P": Decimal(1000) ** 5,
    "E": Decimal(1000) ** 6,
    "Ki": Decimal(1024),
    "Mi": Decimal(1024) ** 2,
    "Gi": Decimal(1024) ** 3,
    "Ti": Decimal(1024) ** 4,
    "Pi": Decimal(1024) ** 5,
    "Ei": Decimal(1024) ** 6,
}
_PATTERN = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)")


@lru_cache(maxsize=4096)  # a cluster writes few different quantities, many times
def parse_quantity(text: str | int | float) -> Decimal:
    """Return a quantity in its base unit: cores for CPU, bytes for memory.

    Raises:
        ValueError: not a quantity.
    """
    match = _PATTERN.fullmatch(str(text))
    if match is None:
        msg = f"not a Kubernetes quantity: {text!r} (examples: 500m, 2, 128Mi)"
        raise ValueError(msg)
    number, exponent, suffix = match.groups()
    if exponent:
        return Decimal(number).scaleb(int(exponent))
    return Decimal(number) * _SUFFIXES[suffix or ""]


def milli(text: str | int | float) -> int:
    """Return a quantity in thousandths, rounded up as ``Quantity.MilliValue`` does: ``"0.5"`` CPU is 500."""
    return int((parse_quantity(text) * 1000).to_integral_value(ROUND_CEILING))


def whole(text: str | int | float) -> int:
    """Return a quantity in whole units, rounded up as ``Quantity.Value`` does: ``"1Ki"`` memory is 1024."""
    return int(parse_quantity(text).to_integral_value(ROUND_CEILING))
