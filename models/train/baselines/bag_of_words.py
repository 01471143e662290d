"""A linear classifier over the words of a text, trained on the same rows as a head."""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from ..signals.examples import Example

# More rows teach word counts hardly more, and take minutes.
MOST_ROWS = 20_000


def fit_words(examples: list[Example]) -> Pipeline:
    """TF-IDF of words and logistic regression."""
    step = len(examples) // MOST_ROWS + 1
    taught = examples[::step]
    words = TfidfVectorizer(sublinear_tf=True, min_df=2, max_features=60_000)
    pipeline = make_pipeline(words, LogisticRegression(C=8, max_iter=200))
    return pipeline.fit([example.text for example in taught], [example.label for example in taught])


def answer_by_words(pipeline: Pipeline, examples: list[Example]) -> list[dict]:
    """The likeliest label of each text, with its probability."""
    if not examples:
        return []
    probabilities = pipeline.predict_proba([example.text for example in examples])
    best = probabilities.argmax(1)
    return [
        {"label": str(pipeline.classes_[place]), "probability": round(float(row[place]), 4)}
        for row, place in zip(probabilities, best, strict=True)
    ]
