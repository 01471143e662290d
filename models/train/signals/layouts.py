"""How more than a text becomes what a head reads; the package and the router lay out the same."""

from .examples import Example, Span

# The answer that a turn is about stands behind it, so that cutting a long row cuts the answer first.
WITH_PREVIOUS = "{text}\n\nassistant: {previous}"
PREVIOUS_CHARACTERS = 600
# What stands in front of an answer that is checked; `grounded_prompt` of the package.
GROUNDED_PROMPT = "{context}\n{question}"
# The kind of the spans that a grounded answer has.
UNSUPPORTED = "UNSUPPORTED"


def feedback_example(text: str, previous: str | None, source: str, label: str) -> Example:
    """A user's turn, with the answer before it where there is one."""
    text = text.strip()
    if not previous:
        return Example(text, source, label, parts={"text": text})
    read = WITH_PREVIOUS.format(text=text, previous=previous.strip()[:PREVIOUS_CHARACTERS])
    return Example(read, source, label, parts={"text": text, "previous": previous})


def grounded_example(
    context: str, question: str | None, answer: str, source: str, spans: tuple[Span, ...], label: str | None = None
) -> Example:
    """An answer behind its context and question."""
    question = (question or "").strip()
    first = GROUNDED_PROMPT.format(context=context.strip(), question=question).strip()
    return Example(answer, source, label, spans, first, parts={"context": context, "question": question})
