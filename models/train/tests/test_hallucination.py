"""Generated answers with unsupported parts."""

import random
import unittest
from typing import get_args

from train.generators import hallucination
from train.generators.deal import Split


def rows_of(split: Split, count: int = 1000):
    return hallucination.generate(split, random.Random(3), count)


class HallucinationRows(unittest.TestCase):
    def test_the_same_seed_gives_the_same_rows(self):
        self.assertEqual(rows_of("train", 200), rows_of("train", 200))

    def test_spans_lie_in_the_answer_and_go_with_the_label(self):
        for split in get_args(Split):
            for row in rows_of(split):
                self.assertEqual(row.label, "unsupported" if row.spans else "faithful")
                end = 0
                for span in row.spans:
                    cut = row.text[span.start : span.end]
                    self.assertTrue(end <= span.start < span.end <= len(row.text))
                    self.assertEqual(cut, cut.strip())
                    end = span.end
                self.assertNotRegex(row.text + row.context + row.question, r"[{}<>]")

    def test_nearly_half_is_faithful_and_rows_differ(self):
        for split in get_args(Split):
            rows = rows_of(split)
            self.assertTrue(0.38 < sum(row.label == "faithful" for row in rows) / len(rows) < 0.55)
            self.assertEqual(len({(row.context, row.text) for row in rows}), len(rows))

    def test_splits_share_no_topic(self):
        sources = [{row.source for row in rows_of(split)} for split in get_args(Split)]
        self.assertEqual(len(set.union(*sources)), sum(map(len, sources)))

    def test_any_answer_can_be_falsified(self):
        context = "The mill was built in 1871 by Karla Weiss. It is open to visitors every day, and Otto Lang runs it now."
        for seed in range(40):
            result = hallucination.corrupt(context, "Who built the mill?", "The mill was built by Karla Weiss in 1871 and is open every day.", random.Random(seed))
            self.assertIsNotNone(result)
            text, spans = result
            self.assertNotEqual(text, "The mill was built by Karla Weiss in 1871 and is open every day.")
            self.assertTrue(all(text[span.start : span.end] for span in spans))


if __name__ == "__main__":
    unittest.main()
