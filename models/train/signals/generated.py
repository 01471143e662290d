"""The rows of the generators, as examples."""

import random
from importlib import import_module

from .examples import Example, Span
from .layouts import feedback_example, grounded_example

SEED = 11


def generated(task: str, split: str, count: int) -> list[Example]:
    """Rows of `generators/<task>.py`; the same for every training seed, since they stand for data."""
    rows = import_module(f"train.generators.{task}").generate(split, random.Random(f"{SEED}/{task}/{split}"), count)
    examples = []
    for row in rows:
        spans = tuple(Span(span.start, span.end, span.label) for span in row.spans)
        if task.startswith("feedback"):
            examples.append(feedback_example(row.text, row.previous, row.source, row.label))
        elif row.context:
            examples.append(grounded_example(row.context, row.question, row.text, row.source, spans, row.label))
        else:
            examples.append(Example(row.text, row.source, row.label, spans))
    return examples
