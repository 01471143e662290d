"""Heads that are fitted over vectors."""

import unittest

import numpy as np

from ..signals.regression import regression

CENTRES = np.array([[3.0, 0.0], [0.0, 3.0], [-3.0, -3.0]])


class Regression(unittest.TestCase):
    def test_rows_are_told_apart(self):
        for count in (2, 3):
            labels = np.arange(60) % count
            vectors = CENTRES[labels] + np.random.default_rng(1).normal(size=(60, 2))
            weight, bias = regression(vectors, labels, count)
            self.assertEqual((weight.shape, bias.shape), ((count, 2), (count,)))
            self.assertEqual((CENTRES[:count] @ weight.T + bias).argmax(1).tolist(), list(range(count)))

    def test_a_label_without_rows_is_refused(self):
        with self.assertRaisesRegex(ValueError, "Cannot fit a head of 3 labels: the rows have 2"):
            regression(CENTRES, np.array([0, 1, 1]), 3)
