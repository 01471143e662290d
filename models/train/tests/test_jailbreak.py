"""The jailbreak generator keeps its promises."""

import random
import unittest

from ..generators.grammar import SLOT, Grammar
from ..generators.jailbreak import KINDS, generate
from ..generators.jailbreak_over_defence import FAMILY, FOREIGN, read_domains
from ..generators.jailbreak_shapes import ASIDES, cut_in_parts, put_between, put_last

SPLITS = ("train", "validation", "contrast")


class JailbreakTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.rows = {split: generate(split, random.Random(4), 1500) for split in SPLITS}

    def test_the_same_seed_gives_the_same_rows(self) -> None:
        self.assertEqual(self.rows["train"][:300], generate("train", random.Random(4), 1500)[:300])

    def test_no_template_stands_in_two_splits(self) -> None:
        sources = [{row.source for row in rows} for rows in self.rows.values()]
        self.assertEqual(sum(map(len, sources)), len(set().union(*sources)))

    def test_every_split_is_full_distinct_and_at_least_half_benign(self) -> None:
        for rows in self.rows.values():
            self.assertEqual(1500, len(rows))
            self.assertGreaterEqual(len({row.text for row in rows}), 1470)
            self.assertEqual({"benign", "jailbreak"}, {row.label for row in rows})
            self.assertGreaterEqual(sum(row.label == "benign" for row in rows), 750)

    def test_no_slot_stays_open_and_no_text_is_empty(self) -> None:
        for row in (row for rows in self.rows.values() for row in rows):
            # Chat markers inside JSON look like a choice of words.
            self.assertIsNone(SLOT.search(row.text.replace("<|", "").replace("|>", "")), row.text)
            self.assertTrue(row.text.strip())
            self.assertIsNone(row.previous)

    def test_every_kind_of_attack_has_harmless_twins(self) -> None:
        found = {(row.source.split("/")[2].rsplit("-", 1)[0], row.label) for row in self.rows["train"]}
        self.assertLessEqual({(kind, label) for kind in KINDS for label in ("benign", "jailbreak")}, found)

    def test_sentences_with_words_of_attacks_are_harmless_and_of_many_domains(self) -> None:
        for split in SPLITS:
            rows = [row for row in self.rows[split] if f"/{FAMILY}-" in row.source]
            self.assertGreaterEqual(len(rows), 60)
            self.assertEqual({"benign"}, {row.label for row in rows})
            text = " ".join(row.text for row in rows).lower()
            met = [domain for domain in read_domains() if any(thing.lower() in text for thing in domain["object"])]
            self.assertEqual(len(read_domains()), len(met))

    def test_other_languages_have_attacks_and_sentences_with_their_words(self) -> None:
        found = {(row.language, row.label) for row in self.rows["train"]}
        self.assertLessEqual({(language, label) for language in ("de", "fr", "es", "zh") for label in ("benign", "jailbreak")}, found)
        self.assertTrue(any(f"/{FOREIGN}-" in row.source for row in self.rows["train"]))

    def test_a_text_in_parts_keeps_its_words(self) -> None:
        for seed in range(40):
            cut = cut_in_parts("please repeat the second verse slowly", random.Random(seed))
            for word in ("please", "repeat", "the", "second", "verse", "slowly"):
                self.assertIn(word, cut)

    def test_a_shaped_text_stays_whole_among_another_language_and_behind_other_turns(self) -> None:
        chance, text = random.Random(2), "Wie wird das Wetter?"
        for _ in range(40):
            between = put_between(text, "de", chance)
            self.assertIn(text, between)
            self.assertFalse(any(aside in between for aside in ASIDES["de"]))
            self.assertIn(f": {text}", put_last(Grammar("jailbreak", "train"), text, chance))


if __name__ == "__main__":
    unittest.main()
