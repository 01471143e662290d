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

    def test_an_attack_keeps_its_words_and_label_in_a_harmless_text(self):
        attack, company = Row([1, 2, 3], 1), [Row(list(range(10, 30)), 0)]
        drawn = [draw_row(attack, company, 20, 1.0, CHANCE) for _ in range(200)]
        self.assertEqual({1}, {row.label for row in drawn})
        places = [row.ids.index(1) for row in drawn]
        self.assertTrue(all(row.ids[place : place + 3] == [1, 2, 3] for row, place in zip(drawn, places, strict=True)))
        self.assertLessEqual(max(len(row.ids) for row in drawn), 18)
        self.assertTrue(0 in places and any(place > 10 for place in places))
        within = [row for row, place in zip(drawn, places, strict=True) if 0 < place < len(row.ids) - 3]
        self.assertGreater(len(within), 20)

    def test_a_planted_attack_that_would_be_cut_does_not_train(self):
        planted, direct = Example("a", "jailbreak/bipia/x"), Example("a", "jailbreak/jackhhao")
        self.assertTrue(loses(planted, Row(LONG, 1), 100))
        self.assertFalse(loses(direct, Row(LONG, 1), 100))
        self.assertFalse(loses(planted, Row(LONG[:50], 1), 100))

    def test_only_harmless_texts_have_others_in_them(self):
        company = [Row(LONG, 0), Row(LONG[:9], 0)]
        self.assertEqual(company, company_of([*company, Row([1], 0), Row(LONG, 1)]))


if __name__ == "__main__":
    unittest.main()
