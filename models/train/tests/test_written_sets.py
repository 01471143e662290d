"""Texts that only measure: ordinary prompts, trigger words, other languages; and the prompts that two people labelled."""

import gzip
import json
import random
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from ..decide.asked import read_operators, read_scales
from ..generators.decisions import generate
from ..natural import agreement, place_of, read_natural, read_unlabelled, read_written, trains
from ..ordinary import FILES, KEPT, mark, read_ordinary
from ..signals.examples import Example, Span, identity
from ..signals.written import written
from ..triggers import NAMES as TRIGGERS
from ..triggers import count_trigger_words, read_triggers
from ..written_sets import LABELS, MARKED, NAMES, read_attacks, read_free_text, read_languages, unmark

# How many are harmless, and how many are attacks.
COUNTS = {
    "short_turns": (217, 110), "agents": (180, 180), "wishes": (100, 100), "harness": (99, 60), "steering": (139, 61), "prompts": (346, 0),
    "mixed": (171, 89),
}  # fmt: skip


def write_lines(file: Path, rows: list[dict]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    file.write_bytes(gzip.compress(lines.encode()) if file.suffix == ".gz" else lines.encode())


class OrdinaryTest(unittest.TestCase):
    def test_only_texts_that_were_kept_are_read_each_once(self) -> None:
        kept = {"source": "s", "text": "What's the best way to learn a new language?"}
        self.assertIn(mark(Example(kept["text"], "s")), KEPT.read_text(encoding="utf-8").split())
        with tempfile.TemporaryDirectory() as folder:
            for name in FILES:
                write_lines(Path(folder) / "ordinary" / f"{name}.jsonl.gz", [kept, {"source": "s", "text": "I am Ann Example, 42."}])
            self.assertEqual([Example(kept["text"], "ordinary/s", "benign")], read_ordinary(Path(folder), "benign"))


class TriggersTest(unittest.TestCase):
    def test_every_sentence_has_as_many_words_as_its_set_says(self) -> None:
        sets = read_triggers()
        self.assertEqual([302, 300, 300, 184], [len(sets[name]) for name in TRIGGERS.values()])
        for words, name in TRIGGERS.items():
            for example in sets[name]:
                self.assertEqual(words, min(count_trigger_words(example.text), 4), example.text)
                self.assertEqual("benign", example.label)

    def test_no_sentence_comes_twice(self) -> None:
        texts = [example.text.casefold() for examples in read_triggers().values() for example in examples]
        self.assertEqual(len(texts), len(set(texts)))

    def test_forms_of_a_word_count_once_and_other_words_do_not(self) -> None:
        self.assertEqual(1, count_trigger_words("Ignore it, he ignored it, ignoring is ignorance"))
        self.assertEqual(0, count_trigger_words("The systemic recommandation of a ruler"))


class LanguagesTest(unittest.TestCase):
    def test_marks_become_spans(self) -> None:
        text, spans = unmark("Ich bin [[PERSON:Jörg Müller]], [[AGE:42]].")
        self.assertEqual("Ich bin Jörg Müller, 42.", text)
        self.assertEqual((Span(8, 19, "PERSON"), Span(21, 23, "AGE")), spans)

    def test_files_are_sets_by_language(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            write_lines(Path(folder) / "jailbreak_de.jsonl", [{"text": "Hallo", "label": 0, "kind": "chat"}, {"text": "Vergiss", "label": 1}])
            write_lines(Path(folder) / "pii_zh.jsonl", [{"text": "我叫[[PERSON:王伟]]"}])
            attacks = read_languages("jailbreak", Path(folder))
            self.assertEqual({"german": ["benign", "jailbreak"]}, {name: [one.label for one in rows] for name, rows in attacks.items()})
            expected = Example("我叫王伟", "languages/pii_zh", spans=(Span(2, 4, "PERSON"),))
            self.assertEqual({"chinese": [expected]}, read_languages("pii", Path(folder)))

    def test_free_text_marks_what_its_page_says(self) -> None:
        texts = read_free_text()
        self.assertEqual((165, 60), (len(texts), sum(not one.spans for one in texts)))
        self.assertEqual(set(), {span.label for one in texts for span in one.spans} - MARKED)
        self.assertFalse(any("[[" in one.text for one in texts))

    def test_nothing_that_measures_guards_trains(self) -> None:
        sets = read_attacks()
        counts = {name: tuple(sum(one.label == label for one in rows) for label in LABELS) for name, rows in sets.items()}
        self.assertEqual(COUNTS, counts)
        self.assertEqual(set(), {identity(one) for rows in sets.values() for one in rows} & {identity(one) for one in written("jailbreak")})

    def test_what_is_there_can_be_read(self) -> None:
        for head in ("jailbreak", "pii"):
            for name, examples in read_languages(head).items():
                self.assertIn(name, NAMES.values())
                self.assertGreaterEqual(len(examples), 150, name)
                self.assertTrue(all(one.label in LABELS if head == "jailbreak" else "[[" not in one.text for one in examples), name)


class ScalesTest(unittest.TestCase):
    def test_answers_are_levels_each_about_as_often_and_the_scales_are_of_no_generator(self) -> None:
        questions = read_scales()
        answers = Counter((one.task, one.answer) for one in questions)
        self.assertEqual((120, 19), (len(questions), len(answers)))
        self.assertLessEqual({0, 1, 2}, {answer for _, answer in answers})
        self.assertTrue(all(6 <= count <= 8 for count in answers.values()))
        self.assertTrue(all(0 <= one.answer < len(one.options) for one in questions))
        asked = {one.instructions for one in questions}
        trained = generate("train", random.Random("scales"), 1500)
        self.assertFalse(asked & {one.instructions for one in trained})


class OperatorsTest(unittest.TestCase):
    def test_each_answer_is_an_option_and_neither_answer_of_a_kind_of_yes_or_no_question_is_commoner(self) -> None:
        questions = read_operators()
        self.assertTrue(all(one.answer in range(len(one.options)) and one.state.strip() for one in questions))
        said = Counter((one.task, one.answer) for one in questions if one.type == "noul")
        self.assertEqual(12, len(said))
        self.assertTrue(all(48 <= count <= 52 for count in said.values()), said)
        self.assertEqual([], [key for key, times in Counter((one.state, one.instructions) for one in questions).items() if times > 1])


class NaturalTest(unittest.TestCase):
    rows = [
        {"text": f"text {number} {style}", "style": style, "labels": {"modality": "AR", "fact_check": number % 2}}
        for style in ("terse", "rambling", "student", "lawyer", "gamer")
        for number in range(4)
    ]

    def write(self, folder: Path) -> None:
        write_lines(folder / "writer-a.jsonl", self.rows)
        second = [{"n": number + 1, "labels": {"modality": "AR", "fact_check": 0}} for number in range(len(self.rows))]
        write_lines(folder / "second_writer-b.jsonl", second)

    def test_whole_styles_train_or_measure_and_only_texts_on_which_both_agree(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            self.write(Path(name))
            train, measured = read_natural("fact_check", Path(name))
            self.assertEqual(10, len(train) + len(measured))
            self.assertEqual({"no_fact_check"}, {one.label for one in train + measured})
            self.assertTrue(all(trains(one.source.split("/")[1]) for one in train))
            self.assertFalse(any(trains(one.source.split("/")[1]) for one in measured))
            self.assertEqual([], read_natural("feedback", Path(name))[0])

    def test_agreement_is_beyond_chance(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            self.write(Path(name))
            labelled = read_written(Path(name))
            self.assertEqual({"texts": 20, "same": 0.5, "kappa": 0.0}, agreement(labelled, "fact_check"))
            self.assertEqual({"texts": 20, "same": 1.0, "kappa": 1.0}, agreement(labelled, "modality"))
            self.assertEqual({"texts": 0}, agreement(labelled, "feedback"))

    def test_prompts_of_users_are_found_by_file_and_line(self) -> None:
        self.assertEqual(("arena_hard_v01", 12), place_of("arena_hard_v01:12"))
        self.assertEqual(("arena_hard_v01", 12), place_of("arena_hard_v01.jsonl.gz#12"))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_lines(folder / "unlabelled" / "seeds.jsonl.gz", [{"text": "first", "source": "s"}, {"text": "second", "source": "s"}])
            write_lines(folder / "labels_writer-a.jsonl", [{"id": "seeds:1", "labels": {"modality": "AR"}}, {"id": "seeds:2", "labels": {"modality": "BOTH"}}])
            write_lines(folder / "labels_writer-b.jsonl", [{"id": "seeds:2", "labels": {"modality": "BOTH"}}])
            found = read_unlabelled(folder, folder)
            self.assertEqual(["first", "second"], [one.row["text"] for one in found])
            self.assertEqual([None, {"modality": "BOTH"}], [one.second for one in found])


if __name__ == "__main__":
    unittest.main()
