"""The feedback generator keeps its promises."""

import random
import unittest
from collections import Counter

from ..generators.grammar import SLOT
from ..generators.feedback import generate
from ..generators.feedback_recommendations import generate as recommend

SPLITS = ("train", "validation", "contrast")


class FeedbackTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.rows = {split: generate(split, random.Random(4), 1500) for split in SPLITS}

    def test_the_same_seed_gives_the_same_rows(self) -> None:
        self.assertEqual(self.rows["train"][:300], generate("train", random.Random(4), 1500)[:300])

    def test_no_template_stands_in_two_splits(self) -> None:
        sources = [{row.source for row in rows} for rows in self.rows.values()]
        self.assertEqual(sum(map(len, sources)), len(set().union(*sources)))

    def test_every_split_is_full_distinct_and_has_all_labels_in_number(self) -> None:
        for rows in self.rows.values():
            self.assertEqual(1500, len(rows))
            self.assertGreaterEqual(len({(row.text, row.previous) for row in rows}), 1470)
            self.assertEqual({"SAT", "NEED_CLARIFICATION", "WRONG_ANSWER", "WANT_DIFFERENT", "NONE"}, {row.label for row in rows})
            self.assertGreaterEqual(min(Counter(row.label for row in rows).values()), 180)

    def test_no_slot_stays_open_and_no_text_is_empty(self) -> None:
        for row in (row for rows in self.rows.values() for row in rows):
            self.assertIsNone(SLOT.search(row.text), row.text)
            self.assertTrue(row.text.strip())
            self.assertIsNone(SLOT.search(row.previous or ""), row.previous)

    def test_about_sixty_per_cent_come_with_the_answer_before(self) -> None:
        for rows in self.rows.values():
            share = sum(row.previous is not None for row in rows) / len(rows)
            self.assertTrue(0.5 < share < 0.75, share)

    def test_recommendations_are_distinct_and_every_one_has_the_answer_before(self) -> None:
        rows = recommend("train", random.Random(4), 1500)
        self.assertEqual(rows[:300], recommend("train", random.Random(4), 1500)[:300])
        self.assertEqual(1500, len({(row.text, row.previous) for row in rows}))
        self.assertEqual({"SAT", "NEED_CLARIFICATION", "WRONG_ANSWER", "WANT_DIFFERENT", "NONE"}, {row.label for row in rows})
        for row in rows:
            self.assertIsNone(SLOT.search(row.text), row.text)
            self.assertTrue(row.text.strip())
            self.assertIsNone(SLOT.search(row.previous or "{}"), row.previous)


if __name__ == "__main__":
    unittest.main()
