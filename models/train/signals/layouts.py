"""How more than a text becomes what a head reads; the package and the router lay out the same."""

# The answer that a turn is about stands behind it, so that cutting a long row cuts the answer first.
WITH_PREVIOUS = "{text}\n\nassistant: {previous}"
PREVIOUS_CHARACTERS = 600
# What stands in front of an answer that is checked; `grounded_prompt` of the package.
GROUNDED_PROMPT = "{context}\n{question}"
# The kind of the spans that a grounded answer has.
UNSUPPORTED = "UNSUPPORTED"


def layout(text: str, previous: str | None) -> str:
    """What the feedback head reads of a user's turn and the answer before it."""
    text = text.strip()
    return WITH_PREVIOUS.format(text=text, previous=previous.strip()[:PREVIOUS_CHARACTERS]) if previous else text


def grounds(context: str, question: str | None) -> str:
    """What the hallucination head reads in front of the answer."""
    return GROUNDED_PROMPT.format(context=context.strip(), question=(question or "").strip()).strip()
