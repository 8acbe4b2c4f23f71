"""kubekata: graded katas about the control loops inside Kubernetes."""
