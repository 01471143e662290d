"""The rows of the generators, as examples."""

import random
from importlib import import_module

from .examples import Example, Span

SEED = 11


def generated(task: str, split: str, count: int) -> list[Example]:
    """Rows of `generators/<task>.py`; the same for every training seed, since they stand for data."""
    from .tasks.feedback import parts as feedback_parts
    from .tasks.feedback import layout
    from .tasks.hallucination import grounded

    rows = import_module(f"train.generators.{task}").generate(split, random.Random(f"{SEED}/{task}/{split}"), count)
    examples = []
    for row in rows:
        spans = tuple(Span(span.start, span.end, span.label) for span in row.spans)
        if task == "feedback":
            text, parts = layout(row.text, row.previous), feedback_parts(row.text, row.previous)
            examples.append(Example(text, row.source, row.label, spans, parts=parts))
        elif row.context:
            examples.append(grounded(row.context, row.question, row.text, row.source, spans, row.label))
        else:
            examples.append(Example(row.text, row.source, row.label, spans))
    return examples
