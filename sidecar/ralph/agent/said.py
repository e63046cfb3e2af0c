"""The few things an agent's output can say, whatever harness printed it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Words of the agent's own, to its user: a message, or a piece of one that goes on with the next."""

    text: str
    is_piece: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole of the agent's last word, told once more with its result."""

    text: str


@dataclass(frozen=True, slots=True)
class Worked:
    """The agent used a tool: what it said before was not its last word. `what` is for people who look on."""

    what: str


@dataclass(frozen=True, slots=True)
class Counted:
    """Tokens and cost; what is null was not told. With `adds` they come on top of what was told before."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    adds: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """The provider's id of the conversation."""

    session_id: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The agent says that it failed, and why; a result that is well takes it back."""

    message: str


@dataclass(frozen=True, slots=True)
class Limited:
    """The agent may do no more until a moment, where it is told."""

    resets_at_ms: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The agent has given its result: nothing more is to come."""

    well: bool


Said = Text | Answer | Worked | Counted | Session | Failed | Limited | Finished
