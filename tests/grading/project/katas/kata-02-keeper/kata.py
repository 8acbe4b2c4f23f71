"""Keeper."""

from kubekata import Client, Request, Result


def reconcile(client: Client, request: Request) -> Result:
    """Make sure that the ConfigMap exists."""
    raise NotImplementedError
