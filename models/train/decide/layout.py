"""How a question and its state become one row: `CLS instructions SEP (MASK option)* SEP state SEP`. Behind the options of a
choice stands one more, which says that none of them fits.

The budgets are those of the worker, which reads a question in the same way.
"""

from dataclasses import dataclass

from tokenizers import Tokenizer

from ..generators.decisions import Decision
from .abstain import ABSTAIN

# In the order of the type embedding.
TYPES = ("choice", "noul", "score", "set", "span")
ROW = 256
QUESTION = 192
OPTION = 48
# Numbers of options that share a temperature, as the worker has them.
BANDS = ((2, "2"), (5, "3-5"), (10, "6-10"), (255, "11+"))
NO, YES = "no, the statement does not hold", "yes, the statement holds"


@dataclass(frozen=True)
class AskedRow:
    """`type_tokens` stand in front of the words of the instructions; `markers` are the places of the options' masks, `abstain`
    that of "none of them" of a choice; the state's tokens begin at `state`; `words` are the places of the first tokens of its words, with their code points `[start, end)` in it."""

    ids: list[int]
    type_tokens: int
    markers: list[int]
    abstain: int | None
    state: int
    words: list[tuple[int, int, int]]

    @property
    def words_asked(self) -> tuple[int, int]:
        """Where the words of the instructions begin and end, behind the type of the question."""
        return 1 + self.type_tokens, self.places[0] - 1

    @property
    def options(self) -> list[tuple[int, int]]:
        """Where the tokens of each option begin and end, those of "none of them" last."""
        return [(place + 1, end) for place, end in zip(self.places, [*self.places[1:], self.state - 1], strict=True)]

    @property
    def places(self) -> list[int]:
        """All markers, that of "none of them" last."""
        return self.markers if self.abstain is None else [*self.markers, self.abstain]


def band(options: int) -> str:
    return next(name for most, name in BANDS if options <= most)


def temperature_for(decision: Decision, temperatures: dict[str, float]) -> float:
    """What the logits of a question are divided by."""
    return temperatures.get(f"{decision.type}:{band(len(decision.options))}", temperatures.get(decision.type, 1.0))


def place_of_answer(decision: Decision) -> int:
    """The number of the right option, of a choice, noul or score; behind the last one if none is right."""
    if decision.answer is None:
        return len(decision.options)
    if decision.type == "choice":
        return [key for key, _ in decision.options].index(decision.answer)
    return int(decision.answer)


def option_texts(decision: Decision) -> list[str]:
    if decision.type == "noul":
        said = dict(decision.options)
        return [f"false: {said.get('false') or NO}", f"true: {said.get('true') or YES}"]
    if decision.type == "score":
        return [f"level {level}: {text}" for level, (text, _) in enumerate(decision.options)]
    return [f"{key}: {text}" if text else key for key, text in decision.options]


def question_ids(decision: Decision, tokenizer: Tokenizer) -> tuple[list[int], list[list[int]], bool]:
    """Instructions and options, cut as the worker cuts them, and whether the last option is "none of them". Who names it
    as an option, in words that the model reads alike, has it as one."""
    ids = lambda text: tokenizer.encode(text, add_special_tokens=False).ids  # noqa: E731
    options = [ids(" " + text)[:OPTION] for text in option_texts(decision)]
    none = ids(" " + ABSTAIN)
    abstains = decision.type == "choice" and none not in options
    if abstains:
        options.append(none)
    taken = sum(len(option) + 1 for option in options)
    if QUESTION - taken < 16:
        each = max((QUESTION - 16) // len(options), 4)
        options = [option[: each - 1] for option in options]
        taken = sum(len(option) + 1 for option in options)
    instructions = ids(f"{type_prefix(decision)} {decision.instructions}")[: max(QUESTION - taken, 8)]
    if abstains and options[-1] in options[:-1]:
        return instructions, options[:-1], False
    return instructions, options, abstains


def type_prefix(decision: Decision) -> str:
    """What stands in front of the instructions."""
    return f"{decision.type} question:"


def row_of(decision: Decision, tokenizer: Tokenizer) -> AskedRow:
    """The row; a state that does not fit is cut at its end."""
    mark = tokenizer.token_to_id
    instructions, options, abstains = question_ids(decision, tokenizer)
    before, markers = [mark("[CLS]"), *instructions, mark("[SEP]")], []
    for option in options:
        markers.append(len(before))
        before += [mark("[MASK]"), *option]
    before.append(mark("[SEP]"))
    abstain = markers.pop() if abstains else None
    state = tokenizer.encode(decision.state, add_special_tokens=False)
    room = max(ROW - len(before) - 1, 0)
    words: list[tuple[int, int, int]] = []
    last = None
    for place, (word, (start, end)) in enumerate(zip(state.word_ids[:room], state.offsets[:room], strict=True)):
        if words and word == last:
            words[-1] = (words[-1][0], words[-1][1], end)
        else:
            words.append((len(before) + place, start, end))
        last = word
    type_tokens = len(tokenizer.encode(type_prefix(decision), add_special_tokens=False).ids)
    return AskedRow([*before, *state.ids[:room], mark("[SEP]")], type_tokens, markers, abstain, len(before), words)
