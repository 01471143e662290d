"""The sets that measure the packages."""

import gzip
import json
import random
import tempfile
import unittest
from pathlib import Path

from ..evaluation_sets import CHARACTERS, ROWS, sample, signal_sets, to_asked_row, to_row, write_set
from ..generators.decisions import Decision
from ..signals.examples import Example, Span, TaskData
from ..signals.generated import generated
from ..signals.layouts import GROUNDED_PROMPT, feedback_example, grounded_example


class RowsTest(unittest.TestCase):
    def test_a_text_with_a_label(self) -> None:
        self.assertEqual({"source": "s", "text": "Hi", "label": "SAT"}, to_row(Example("Hi", "s", "SAT")))

    def test_a_turn_and_the_answer_before_it_stay_apart(self) -> None:
        row = next(to_row(example) for example in generated("feedback", "validation", 50) if "previous" in example.parts)
        self.assertNotIn("assistant:", row["text"])
        self.assertEqual({"source", "text", "previous", "label"}, set(row))

    def test_what_the_head_learned_from_is_put_together_from_the_parts(self) -> None:
        for example in generated("feedback", "validation", 50):
            again = feedback_example(example.parts["text"], example.parts.get("previous"), example.source, example.label)
            self.assertEqual(example.text, again.text)
        for example in generated("hallucination", "validation", 50):
            self.assertEqual(example.first, GROUNDED_PROMPT.format(**example.parts).strip())

    def test_an_answer_has_its_context_and_its_question(self) -> None:
        example = grounded_example("It is red.", None, "It is blue.", "s", (Span(6, 10, "UNSUPPORTED"),))
        self.assertEqual(
            {
                "source": "s", "context": "It is red.", "question": "", "answer": "It is blue.",
                "spans": [{"start": 6, "end": 10, "label": "UNSUPPORTED"}],
            },
            to_row(example),
        )  # fmt: skip

    def test_kinds_that_a_source_marks_are_named(self) -> None:
        row = to_row(Example("Ann", "s", spans=(Span(0, 3, "PERSON"),), known=frozenset({"PERSON", "ORG"})))
        self.assertEqual(["ORG", "PERSON"], row["known"])
        self.assertNotIn("known", to_row(Example("Ann", "s")))

    def test_options_of_a_question_keep_their_descriptions_and_levels_have_none(self) -> None:
        choice = Decision("s", "choice", "i", (("a", "b"), ("c", None)), "a", "t", "src")
        self.assertEqual([["a", "b"], ["c", None]], to_asked_row(choice)["options"])
        score = Decision("s", "score", "i", (("low", None), ("high", None)), 1, "t", "src")
        self.assertEqual((["low", "high"], 1), (to_asked_row(score)["options"], to_asked_row(score)["answer"]))


class SetsTest(unittest.TestCase):
    def test_a_sample_is_the_same_every_time_and_leaves_long_texts_out(self) -> None:
        texts = [str(number) for number in range(ROWS + 5)] + ["x" * (CHARACTERS + 1)]
        drawn = sample(texts, random.Random("a"), len)
        self.assertEqual(drawn, sample(texts, random.Random("a"), len))
        self.assertEqual(ROWS, len(set(drawn)))
        self.assertEqual(["ab"], sample(["ab", "x" * (CHARACTERS + 1)], random.Random("a"), len))

    def test_every_set_of_a_head_is_written_with_the_answers_of_its_baseline(self) -> None:
        train = [Example("draw a cat", "s", "DIFFUSION"), Example("explain a law", "s", "AR")] * 5
        unseen = [Example("draw a dog", "u", "DIFFUSION")]
        sets = signal_sets("modality", TaskData(train, train[:1], {"of others-here": unseen}))
        self.assertEqual(["tuning", "of_others_here"], list(sets))
        (row,), of = sets["of_others_here"]
        self.assertEqual(("draw a dog", "DIFFUSION", "DIFFUSION", 1), (row["text"], row["label"], row["bag_of_words"]["label"], of))

    def test_a_text_that_trains_does_not_measure(self) -> None:
        train = [Example("Draw  a cat", "s", "DIFFUSION"), Example("explain a law", "s", "AR")] * 5
        unseen = [Example("draw a Cat", "u", "DIFFUSION"), Example("draw a dog", "u", "DIFFUSION")]
        rows, of = signal_sets("modality", TaskData(train, train[:1], {"u": unseen}))["u"]
        self.assertEqual((["draw a dog"], 1), ([row["text"] for row in rows], of))

    def test_equal_rows_are_equal_bytes_and_the_name_tells_the_kind(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder, rows = Path(name), [{"text": "grün"}, {"text": "b"}]
            entry = write_set(folder, "contrast", rows, 9)
            self.assertEqual({"kind": "adversarial", "rows": 2, "of": 9}, entry)
            first = (folder / "contrast.jsonl.gz").read_bytes()
            write_set(folder, "contrast", rows, 9)
            self.assertEqual(first, (folder / "contrast.jsonl.gz").read_bytes())
            with gzip.open(folder / "contrast.jsonl.gz", "rt", encoding="utf-8") as lines:
                self.assertEqual(rows, [json.loads(line) for line in lines])


if __name__ == "__main__":
    unittest.main()
