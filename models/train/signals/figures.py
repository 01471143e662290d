"""Figures of a head on one set of examples."""

import numpy as np
from sklearn.metrics import roc_auc_score

from ..scores import calibration_error, f1_by_label, macro_f1, rounded
from ..reference import softmax
from .examples import Example, Span
from .heads import Head


def sequence_figures(logits: np.ndarray, examples: list[Example], head: Head, temperature: float) -> dict:
    """Macro F1 over the labels that occur, accuracy, calibration error; for two labels also what a threshold gives."""
    truth = np.array([head.labels.index(example.label) for example in examples])
    predicted, probabilities = logits.argmax(1), softmax(logits / temperature)
    figures = {
        "rows": len(truth),
        "macro_f1": rounded(macro_f1(truth, predicted, len(head.labels))),
        "accuracy": rounded((truth == predicted).mean()),
        "calibration_error": rounded(calibration_error(probabilities, truth)),
        "f1": {
            label: rounded(value)
            for number, (label, value) in enumerate(zip(head.labels, f1_by_label(truth, predicted, len(head.labels)), strict=True))
            if (truth == number).any()
        },
    }
    if len(head.labels) == 2:
        figures["false_positives"] = rounded((predicted[truth == 0] == 1).mean()) if (truth == 0).any() else None
        figures["recall"] = rounded((predicted[truth == 1] == 1).mean()) if (truth == 1).any() else None
        if len(set(truth)) == 2:
            figures |= ranking(probabilities[:, 1], truth)
    return figures


def ranking(scores: np.ndarray, truth: np.ndarray) -> dict:
    """The area under the curve, and the recall where one of a hundred negatives is taken for a positive."""
    limit = np.quantile(scores[truth == 0], 0.99)
    return {
        "auc": rounded(roc_auc_score(truth, scores)),
        "recall_at_1_percent": rounded((scores[truth == 1] > limit).mean()),
    }


def exact_spans(found: list[tuple[Example, list[Span]]]) -> dict:
    """Micro F1 of spans that are right in both ends and in kind, over the kinds that each source marks."""
    counts: dict[str, np.ndarray] = {}
    for example, spans in found:
        marked = {(span.start, span.end, span.label) for span in example.spans}
        said = {(span.start, span.end, span.label) for span in spans if example.known is None or span.label in example.known}
        for kind in {span[2] for span in marked | said}:
            of_kind = lambda places: {place for place in places if place[2] == kind}  # noqa: B023, E731
            right = len(of_kind(marked) & of_kind(said))
            counts[kind] = counts.get(kind, np.zeros(3)) + (right, len(of_kind(marked)), len(of_kind(said)))
    total = sum(counts.values(), np.zeros(3))
    return {
        "rows": len(found),
        "micro_f1": f1(total),
        "recall": {kind: rounded(right / max(marked, 1)) for kind, (right, marked, _) in sorted(counts.items())},
        "f1": {kind: f1(count) for kind, count in sorted(counts.items())},
    }


def character_spans(found: list[tuple[Example, list[Span]]]) -> dict:
    """F1 of characters, whatever their span."""
    total = np.zeros(3)
    for example, spans in found:
        marked = {place for span in example.spans for place in range(span.start, span.end)}
        said = {place for span in spans for place in range(span.start, span.end)}
        total += (len(marked & said), len(marked), len(said))
    return {"rows": len(found), "character_f1": f1(total)}


def f1(count: np.ndarray) -> float:
    right, marked, said = count
    return rounded(2 * right / max(marked + said, 1))
