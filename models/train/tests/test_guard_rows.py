"""What a step of the guard sees of a text."""

import random
import unittest

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from train.guard.rows import Row, draw_row, loses, read_rows, within_others
from train.signals.examples import Example
from train.signals.heads import HEAD_BY_NAME

LONG = list(range(1000, 1300))
CHANCE = random.Random(1)


class GuardRowsTest(unittest.TestCase):
    def test_a_long_attack_starts_where_it_starts(self):
        self.assertEqual(LONG[:98], draw_row(Row(LONG, 1), 100, CHANCE).ids)

    def test_any_part_of_a_long_harmless_text_trains(self):
        starts = {draw_row(Row(LONG, 0), 100, CHANCE).ids[0] for _ in range(50)}
        self.assertGreater(len(starts), 20)

    def test_an_attack_keeps_its_words_and_label_in_a_harmless_text(self):
        rows = [Row([1, 2, 3], 1)] * 200 + [Row(LONG, 0)]
        placed = within_others(rows, 30, 1.0, CHANCE)
        self.assertEqual({1}, {row.label for row in placed})
        places = [row.ids.index(1) for row in placed]
        self.assertTrue(all(row.ids[place : place + 3] == [1, 2, 3] for row, place in zip(placed, places, strict=True)))
        self.assertLessEqual(max(len(row.ids) for row in placed), 28)
        self.assertTrue(0 in places and max(places) > 10)
        within = [row for row, place in zip(placed, places, strict=True) if 0 < place < len(row.ids) - 3]
        self.assertGreater(len(within), 20)

    def test_so_many_of_the_short_texts_stand_in_others(self):
        rows = [Row(LONG[:20], 0)] * 300 + [Row(LONG, 1)] * 300
        self.assertAlmostEqual(75, len(within_others(rows, 100, 0.25, random.Random(2))), delta=20)

    def test_a_planted_attack_that_would_be_cut_does_not_train(self):
        planted, direct = Example("a", "jailbreak/bipia/x"), Example("a", "jailbreak/jackhhao")
        self.assertTrue(loses(planted, Row(LONG, 1), 100))
        self.assertFalse(loses(direct, Row(LONG, 1), 100))
        self.assertTrue(loses(Example("a", "addressed/attacked"), Row(LONG, 1), 100))
        self.assertFalse(loses(planted, Row(LONG[:50], 1), 100))

    def test_later_sources_have_to_be_there(self):
        with self.assertRaisesRegex(ValueError, "written/turms/"):
            read_rows([Example("a", "written/turns/turns", "benign")], HEAD_BY_NAME["jailbreak"], Tokenizer(WordLevel({"a": 0}, unk_token="a")), 100, ("written/turms/",))

    def test_what_was_written_for_the_teachers_mistakes_stays_so_wherever_it_stands(self):
        tokenizer = Tokenizer(WordLevel({"undo": 1, "it": 2, "[UNK]": 0}, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = Whitespace()
        examples = [Example("undo it", "written/turns/turns", "benign"), Example("it", "jailbreak/garak", "jailbreak")]
        rows = read_rows(examples, HEAD_BY_NAME["jailbreak"], tokenizer, 100, ("written/turns/",))
        self.assertEqual([Row([1, 2], 0, later=True), Row([2], 1)], rows)
        placed = within_others([rows[0], Row(LONG, 0)], 30, 1.0, CHANCE)
        self.assertTrue(placed[0].later and draw_row(rows[0], 3, CHANCE).later)

    def test_what_users_and_programs_order_is_harmless_alone_and_within_nothing(self):
        tokenizer = Tokenizer(WordLevel({"undo": 1, "[UNK]": 0}, unk_token="[UNK]"))
        examples = [Example("undo", "written/steering/x", "benign"), Example("undo", "written/steering/x", "jailbreak")]
        harmless, attack = read_rows(examples, HEAD_BY_NAME["jailbreak"], tokenizer, 100)
        self.assertTrue(harmless.alone and not attack.alone)
        placed = within_others([harmless, attack, Row(LONG, 0)], 30, 1.0, CHANCE)
        self.assertEqual([1], [row.label for row in placed])
        self.assertEqual({7}, {one for row in within_others([Row([7], 1), Row(LONG[:20], 0, alone=True), Row([7] * 20, 0)], 30, 1.0, CHANCE) if row.label for one in row.ids})


if __name__ == "__main__":
    unittest.main()
