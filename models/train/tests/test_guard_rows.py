"""What a step of the guard sees of a text."""

import random
import unittest

from train.guard.rows import Row, company_of, draw_row, loses
from train.signals.examples import Example

LONG = list(range(1000, 1300))
CHANCE = random.Random(1)


class GuardRowsTest(unittest.TestCase):
    def test_a_long_attack_starts_where_it_starts(self):
        self.assertEqual(LONG[:98], draw_row(Row(LONG, 1), [], 100, 0.5, CHANCE).ids)

    def test_any_part_of_a_long_harmless_text_trains(self):
        starts = {draw_row(Row(LONG, 0), [], 100, 0.5, CHANCE).ids[0] for _ in range(50)}
        self.assertGreater(len(starts), 20)

    def test_an_attack_keeps_its_words_and_label_beside_a_harmless_text(self):
        attack, company = Row([1, 2, 3], 1), [Row([7, 8], 0)]
        drawn = {tuple(draw_row(attack, company, 100, 1.0, CHANCE).ids) for _ in range(30)}
        self.assertEqual({(7, 8, 1, 2, 3), (1, 2, 3, 7, 8)}, drawn)

    def test_a_planted_attack_that_would_be_cut_does_not_train(self):
        planted, direct = Example("a", "jailbreak/bipia/x"), Example("a", "jailbreak/jackhhao")
        self.assertTrue(loses(planted, Row(LONG, 1), 100))
        self.assertFalse(loses(direct, Row(LONG, 1), 100))
        self.assertFalse(loses(planted, Row(LONG[:50], 1), 100))

    def test_only_short_harmless_texts_keep_others_company(self):
        self.assertEqual([Row([1], 0)], company_of([Row([1], 0), Row([1], 1), Row(LONG, 0)]))


if __name__ == "__main__":
    unittest.main()
