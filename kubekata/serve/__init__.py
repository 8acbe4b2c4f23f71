"""The simulated control plane behind the Kubernetes REST API, for kubectl, kopf and any other client."""
