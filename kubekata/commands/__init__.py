"""The commands, one module each. `kubekata.cli` imports a module when its command is called."""
