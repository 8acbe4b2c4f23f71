"""Which commands there are. A new one is a line here and a module."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Entry:
    """Where a command is ("module:name") and its line in the help, so that neither needs an import."""

    target: str
    help: str


COMMANDS = {
    "grade": Entry("kubekata.commands.grade:grade", "Grade katas. The word itself can be left out."),
    "selfcheck": Entry(
        "kubekata.commands.selfcheck:selfcheck", "Check the katas themselves, for their authors."
    ),
    "selftest": Entry("kubekata.commands.selftest:selftest", "Run the project's own tests."),
    "serve": Entry("kubekata.commands.serve:serve", "Serve the control plane to kubectl and kopf."),
    "demo": Entry("kubekata.commands.demo:demo", "Tell a story on the reference solutions."),
    "kind": Entry("kubekata.commands.kind:kind", "Grade the bonus round: a kopf operator, run for real."),
    "completion": Entry("kubekata.commands.completion:completion", "Print completion for bash, zsh or fish."),
}
