"""The rows of the generators, as examples."""

import random
from importlib import import_module

from .examples import Example, Span
from .layouts import grounds, layout

SEED = 11


def generated(task: str, split: str, count: int) -> list[Example]:
    """Rows of `generators/<task>.py`; the same for every training seed, since they stand for data."""
    rows = import_module(f"train.generators.{task}").generate(split, random.Random(f"{SEED}/{task}/{split}"), count)
    examples = []
    for row in rows:
        spans = tuple(Span(span.start, span.end, span.label) for span in row.spans)
        text = layout(row.text, row.previous) if task == "feedback" else row.text
        first = grounds(row.context, row.question) if row.context else None
        examples.append(Example(text, row.source, row.label, spans, first))
    return examples
