"""Generated prompts for the fact check head."""

import random
import unittest
from typing import get_args

from train.generators import fact_check
from train.generators.deal import Split


def rows_of(split: Split, count: int = 600):
    return fact_check.generate(split, random.Random(3), count)


class FactCheckRows(unittest.TestCase):
    def test_the_same_seed_gives_the_same_rows(self):
        self.assertEqual(rows_of("train", 200), rows_of("train", 200))

    def test_rows_differ_hold_no_open_slot_and_the_labels_are_balanced(self):
        for split in get_args(Split):
            rows = rows_of(split)
            self.assertEqual(len({row.text for row in rows}), 600)
            self.assertTrue(all("{" not in row.text for row in rows))
            self.assertEqual(sum(row.label == "fact_check" for row in rows), 300)

    def test_splits_share_no_frame(self):
        sources = [{row.source for row in rows_of(split)} for split in get_args(Split)]
        self.assertEqual(len(set.union(*sources)), sum(map(len, sources)))


if __name__ == "__main__":
    unittest.main()
