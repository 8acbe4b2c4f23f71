"""Structural schemas of custom resources: what they allow, fill in, and prune.

The rules are those of apiextensions-apiserver (``pkg/apiserver/schema``) and the wording that of
``pkg/apiserver/validation``.
"""

from kubekata.cluster.schemas.defaulting import apply_defaults
from kubekata.cluster.schemas.pruning import prune
from kubekata.cluster.schemas.structural import schema_errors
from kubekata.cluster.schemas.values import validate_value

__all__ = ["apply_defaults", "prune", "schema_errors", "validate_value"]
