"""Gibberish that trains is gibberish, and differs from what users paste."""

import random
import unittest

from ..generators.jailbreak_suffixes import MARKS, pasted, searched_suffix

WORDS = "the garden is lovely in june and we met on the stairs".split()


class JailbreakSuffixesTest(unittest.TestCase):
    def test_a_suffix_mixes_words_and_marks(self) -> None:
        suffixes = [searched_suffix(WORDS, random.Random(seed)) for seed in range(100)]
        self.assertEqual(100, len(set(suffixes)))
        with_marks = sum(any(mark in suffix for mark in MARKS) for suffix in suffixes)
        self.assertGreaterEqual(with_marks, 95)
        self.assertTrue(all(any(letter.isalpha() for letter in suffix) for suffix in suffixes))

    def test_the_same_seed_pastes_the_same_line(self) -> None:
        self.assertEqual(pasted(random.Random(3)), pasted(random.Random(3)))

    def test_pasted_lines_are_of_many_forms(self) -> None:
        self.assertGreaterEqual(len({pasted(random.Random(seed))[:3] for seed in range(200)}), 40)


if __name__ == "__main__":
    unittest.main()
