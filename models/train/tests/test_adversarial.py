"""Texts that were written to be hard, and how they are disguised."""

import base64
import random
import unittest

from ..adversarial import between_marks, disguise, exchange, mistype, read_adversarial, read_adversarial_questions
from ..signals.heads import HEADS

PADDING = ["Rain fell.", "Bread rose.", "Birds sang.", "Boats left."]
SENTENCE = "Please summarise the quarterly report about our warehouses for the management."


class DisguiseTest(unittest.TestCase):
    def test_a_text_in_base64_is_whole(self) -> None:
        changed = disguise({"kind": "base64", "text": SENTENCE, "label": "AR"}, PADDING, random.Random(1))
        self.assertEqual(SENTENCE, base64.b64decode(changed["text"]).decode())

    def test_padding_stands_around_the_text_and_of_an_answer_around_the_context(self) -> None:
        text = disguise({"kind": "padding", "text": "Hi", "label": "AR"}, PADDING, random.Random(1))["text"]
        self.assertEqual((5, "Hi"), (len(text.split("\n\n")), text.split("\n\n")[2]))
        row = {"kind": "padding", "context": "It is red.", "question": "Which?", "answer": "⟦Blue⟧."}
        changed = disguise(row, PADDING, random.Random(1))
        self.assertEqual(("It is red.", "⟦Blue⟧."), (changed["context"].split("\n\n")[2], changed["answer"]))

    def test_a_kind_that_nobody_knows(self) -> None:
        with self.assertRaisesRegex(ValueError, '"rot13".*paraphrase, language, typos'):
            disguise({"kind": "rot13", "text": "Hi"}, PADDING, random.Random(1))

    def test_marks_stay_and_both_sides_of_them_change(self) -> None:
        self.assertEqual("AB ⟦PERSON:CD⟧ EF ⟦GH⟧", between_marks("ab ⟦PERSON:cd⟧ ef ⟦gh⟧", str.upper))

    def test_typing_errors_are_few_and_the_same_every_time(self) -> None:
        changed = mistype(SENTENCE, random.Random(3))
        self.assertEqual(changed, mistype(SENTENCE, random.Random(3)))
        self.assertNotEqual(SENTENCE, changed)
        self.assertLess(abs(len(SENTENCE) - len(changed)), 6)

    def test_look_alikes_keep_the_length_and_most_letters(self) -> None:
        changed = exchange(SENTENCE, random.Random(3))
        differing = sum(one != other for one, other in zip(SENTENCE, changed, strict=True))
        self.assertTrue(3 < differing < len(SENTENCE) / 3)


class WrittenTest(unittest.TestCase):
    def test_every_head_has_two_hundred_texts_with_labels_that_it_knows(self) -> None:
        for head in HEADS:
            kinds = read_adversarial(head.name)
            examples = [example for examples in kinds.values() for example in examples]
            self.assertEqual(200, len(examples), head.name)
            known = set(head.labels)
            for example in examples:
                said = {example.label} if example.label else {span.label for span in example.spans}
                self.assertLessEqual(said, known, head.name)

    def test_two_hundred_questions_whose_answers_are_among_their_options(self) -> None:
        questions = [question for asked in read_adversarial_questions().values() for question in asked]
        self.assertEqual((200, {"choice", "noul", "score"}), (len(questions), {question.type for question in questions}))
        for question in questions:
            keys = [key for key, _ in question.options]
            right = {"choice": keys, "noul": (False, True), "score": range(len(keys))}[question.type]
            self.assertIn(question.answer, right, question)


if __name__ == "__main__":
    unittest.main()
