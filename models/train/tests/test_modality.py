"""The modality generator keeps its promises."""

import random
import unittest
from collections import Counter

from ..generators.grammar import SLOT
from ..generators.modality import generate

SPLITS = ("train", "validation", "contrast")


class ModalityTest(unittest.TestCase):
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
            self.assertGreaterEqual(len({row.text for row in rows}), 1470)
            self.assertEqual({"AR", "DIFFUSION", "BOTH"}, {row.label for row in rows})
            self.assertGreaterEqual(min(Counter(row.label for row in rows).values()), 350)

    def test_no_slot_stays_open_and_no_text_is_empty(self) -> None:
        for row in (row for rows in self.rows.values() for row in rows):
            self.assertIsNone(SLOT.search(row.text), row.text)
            self.assertTrue(row.text.strip())
            self.assertIsNone(row.previous)


if __name__ == "__main__":
    unittest.main()
