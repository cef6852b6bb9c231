"""What a user did wrong, or what their machine lacks: one sentence that says what is wrong and what to do.

The console command prints it and exits with 2; nothing else is ever shown without a traceback."""


class UserError(Exception):
    """One sentence for the user; the command ends with exit code 2."""


class ScriptError(UserError):
    """A mistake in a chaos script, in one sentence. The file and line are those that the error came through, unless
    another `place` is known."""

    def __init__(self, sentence: str, place: str | None = None) -> None:
        super().__init__(sentence)
        self.place = place
