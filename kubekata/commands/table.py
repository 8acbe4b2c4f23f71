"""Which commands there are. A new one is a line here and a module."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Entry:
    """Where a command is ("module:name") and its line in the help, so that neither needs an import."""

    target: str
    help: str


COMMANDS = {
    "grade": Entry("kubekata.commands.grade:grade", "Grade katas. The word itself can be left out."),
    "next": Entry("kubekata.commands.next:next_kata", "What to do now, and why."),
    "list": Entry("kubekata.commands.list:list_katas", "List the katas by level, tag and state."),
    "show": Entry("kubekata.commands.show:show", "Show the brief of a kata."),
    "open": Entry("kubekata.commands.open:open_kata", "Open a kata's file in your editor."),
    "watch": Entry("kubekata.commands.watch:watch", "Grade on every save."),
    "hint": Entry("kubekata.commands.hint:hint", "Show the next hint of three."),
    "reset": Entry("kubekata.commands.reset:reset", "Put the stub back; --undo brings yours back."),
    "history": Entry("kubekata.commands.history:history", "Show your attempts."),
    "diff": Entry("kubekata.commands.diff:diff", "Compare your file with an attempt."),
    "restore": Entry("kubekata.commands.restore:restore", "Put an attempt back into the file."),
    "reveal": Entry("kubekata.commands.reveal:reveal", "Open the reference, once you have passed."),
    "mock": Entry(
        "kubekata.commands.mock.group:mock",
        "A timed mock interview; also status, submit, pause, finish, history.",
    ),
    "report": Entry("kubekata.commands.report:report", "Your progress as one HTML file."),
    "selfcheck": Entry(
        "kubekata.commands.selfcheck:selfcheck", "Check the katas themselves, for their authors."
    ),
    "selftest": Entry("kubekata.commands.selftest:selftest", "Run the project's own tests."),
    "serve": Entry("kubekata.commands.serve:serve", "Serve the control plane to kubectl and kopf."),
    "demo": Entry("kubekata.commands.demo:demo", "Tell a story on the reference solutions."),
    "kind": Entry("kubekata.commands.kind:kind", "Grade the bonus round: a kopf operator, run for real."),
    "rack": Entry(
        "kubekata.commands.rack:rack", "Serve the simulated rack alone, for an operator run by hand."
    ),
    "completion": Entry("kubekata.commands.completion:completion", "Print completion for bash, zsh or fish."),
}
