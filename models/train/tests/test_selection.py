"""The quality predictor, its curves and its artefact keep their promises."""

import json
import tempfile
import unittest
from pathlib import Path

import numpy as np

from ..pack import hash_files
from ..packages import MODELS, SIGNALS
from ..selection.artefact import Vectors, load, read_probe, seal, store
from ..selection.choice import SEEDS, best_of_kinds, predict_unseen, random_folds
from ..selection.curve import WEIGHTS_OF_COST, choose, follow, mean_quality, mix, quality_at
from ..selection.data import BARE_CHARACTERS, Model, Outcomes, count_completion_tokens, find_unsound, price_calls
from ..selection.measure import draw_counts, measure_pool
from ..selection.predictor import Linear, Recipe, Training
from ..selection.prices import CHAT, Price, read_price
from ..selection.vectors import digest_package

ROWS, DIMENSION = 600, 16
PROBE = {"text": "What is it?", "first": [0.5, -0.25]}
KINDS = (Recipe("average"), Recipe("table", 1), Recipe("knn", 20), Recipe("linear", 1e-3))
MODELS_OF_TEST = (
    Model("small", Price(0.1, 0.1, "test"), 100.0),
    Model("middle", Price(0.5, 0.5, "test"), 100.0),
    Model("large", Price(2.0, 4.0, "test"), 150.0),
)
EVERY_MODEL = np.arange(len(MODELS_OF_TEST))


def make_outcomes(seed: int) -> tuple[np.ndarray, Outcomes]:
    """Vectors that tell how hard a prompt is, four domains, and models of which the dear one is right more often."""
    chance = np.random.default_rng(seed)
    vectors = chance.normal(size=(ROWS, DIMENSION))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ease = 6 * vectors[:, :1] + np.array([-0.5, 0.3, 1.2])
    right = (chance.random((ROWS, len(MODELS_OF_TEST))) < 1 / (1 + np.exp(-ease))).astype(float)
    texts = tuple("x" * int(length) for length in chance.integers(20, 600, ROWS))
    domains = chance.integers(0, 4, ROWS).astype(str)
    sources = np.char.add(domains, chance.integers(0, 5, ROWS).astype(str))
    costs = price_calls(MODELS_OF_TEST, texts)
    return vectors, Outcomes(MODELS_OF_TEST, texts, domains, sources, right, costs)


class CurveTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.vectors, cls.outcomes = make_outcomes(3)
        everything = Training(cls.vectors, cls.outcomes.right, cls.outcomes.domains)
        cls.predicted = {recipe.kind: recipe.fit(everything)(cls.vectors) for recipe in KINDS}

    def test_more_weight_on_cost_never_costs_more_and_never_promises_more(self) -> None:
        rows = np.arange(ROWS)
        for kind, quality in self.predicted.items():
            chosen = [choose(quality, self.outcomes.costs, weight) for weight in WEIGHTS_OF_COST]
            costs = [self.outcomes.costs[rows, choice].sum() for choice in chosen]
            promised = [quality[rows, choice].sum() for choice in chosen]
            self.assertTrue((np.diff(costs) <= 1e-9).all(), kind)
            self.assertTrue((np.diff(promised) <= 1e-9).all(), kind)
            self.assertGreater(costs[0], costs[-1], kind)

    def test_the_ends_of_the_curve_are_the_best_and_the_cheapest_model(self) -> None:
        costs, quality = follow(self.predicted["average"], self.outcomes, EVERY_MODEL).curve()
        self.assertAlmostEqual(self.outcomes.costs[:, 0].mean(), costs[0])
        self.assertAlmostEqual(self.outcomes.right[:, 2].mean(), quality[-1])

    def test_the_cheaper_of_two_equal_models_is_chosen(self) -> None:
        quality = np.full((1, 3), 0.5)
        self.assertEqual([1], choose(quality, np.array([[3.0, 1.0, 2.0]]), 0.0).tolist())

    def test_no_policy_gets_more_for_its_money_than_the_oracle(self) -> None:
        oracle = follow(self.outcomes.right, self.outcomes, EVERY_MODEL)
        worth = (oracle.right - WEIGHTS_OF_COST * oracle.costs).mean(axis=0)
        for kind, quality in self.predicted.items():
            policy = follow(quality, self.outcomes, EVERY_MODEL)
            self.assertTrue(((policy.right - WEIGHTS_OF_COST * policy.costs).mean(axis=0) <= worth + 1e-9).all(), kind)
        figures = measure_pool(self.predicted, self.outcomes, EVERY_MODEL)["policies"]
        self.assertEqual("oracle", max(figures, key=lambda kind: figures[kind]["area"]))

    def test_a_predictor_that_reads_the_prompt_beats_the_mixture_that_does_not(self) -> None:
        linear = measure_pool(self.predicted, self.outcomes, EVERY_MODEL)["policies"]["linear"]
        self.assertGreater(linear["gain_interval"][0], 0)

    def test_the_mixture_is_made_of_the_models_that_no_other_mixture_beats(self) -> None:
        right = np.array([[0.2, 0.3, 0.8, 0.7]])
        costs = np.array([[1.0, 2.0, 3.0, 4.0]])
        outcomes = Outcomes((), ("x",), np.array(["a"]), np.array(["a"]), right, costs)
        np.testing.assert_array_equal([[1.0, 3.0]], mix(outcomes, np.arange(4)).costs)
        np.testing.assert_array_equal([[2.0]], mix(outcomes, np.array([1])).costs)

    def test_between_two_points_calls_are_mixed(self) -> None:
        curve = (np.array([1.0, 3.0]), np.array([0.2, 0.6]))
        self.assertAlmostEqual(0.4, quality_at(curve, 2.0))
        self.assertEqual(0.6, quality_at(curve, 9.0))
        self.assertAlmostEqual(0.4, mean_quality(curve, 1.0, 3.0))

    def test_the_bootstrap_draws_whole_sources_within_domains(self) -> None:
        counts = draw_counts(self.outcomes)
        for source in np.unique(self.outcomes.sources):
            inside = counts[:, self.outcomes.sources == source]
            self.assertTrue((inside == inside[:, :1]).all())
        self.assertGreater(counts.std(), 0)


class PredictorTest(unittest.TestCase):
    def test_the_same_seed_gives_the_same_chances(self) -> None:
        for recipe in KINDS:
            first, again = (self.predict(recipe, 3) for _ in range(2))
            np.testing.assert_array_equal(first, again, recipe.kind)
            self.assertFalse(np.array_equal(first, self.predict(recipe, 4)), recipe.kind)
        np.testing.assert_array_equal(random_folds(50), random_folds(50))
        self.assertGreaterEqual(len(set(SEEDS)), 3)

    def test_rows_of_a_fold_do_not_change_what_is_predicted_for_them(self) -> None:
        vectors, outcomes = make_outcomes(3)
        folds = np.unique(outcomes.domains, return_inverse=True)[1]
        turned = outcomes.where(np.arange(ROWS))
        turned.right[folds == 0] = 1 - turned.right[folds == 0]
        for recipe in KINDS:
            before, after = (predict_unseen(recipe, vectors, rows, folds)[folds == 0] for rows in (outcomes, turned))
            np.testing.assert_array_equal(before, after, recipe.kind)

    def test_the_linear_predictor_is_where_its_loss_is_least(self) -> None:
        vectors, outcomes = make_outcomes(3)
        penalty = 1e-3
        found = Recipe("linear", penalty).fit(Training(vectors, outcomes.right, outcomes.domains))
        excess = (found(vectors) - outcomes.right) / ROWS
        slope = excess.T @ vectors + 2 * penalty * found.weight
        self.assertLess(np.abs(slope).max(), 1e-3)
        self.assertLess(np.abs(excess.sum(axis=0)).max(), 1e-3)

    def test_the_recipe_with_the_largest_area_stands_for_its_kind(self) -> None:
        tried = {Recipe("average"): 0.4, Recipe("linear", 1e-3): 0.6, Recipe("linear", 3e-3): 0.5}
        best = best_of_kinds({recipe: {"area": area} for recipe, area in tried.items()})
        self.assertEqual({"average": Recipe("average"), "linear": Recipe("linear", 1e-3)}, best)

    def predict(self, recipe: Recipe, seed: int) -> np.ndarray:
        vectors, outcomes = make_outcomes(seed)
        return predict_unseen(recipe, vectors, outcomes, random_folds(ROWS))


class DataTest(unittest.TestCase):
    def test_models_with_gaps_or_bare_answers_are_left_out_with_a_reason(self) -> None:
        right = np.ones((100, 3))
        right[:5, 0] = np.nan
        characters = np.full((100, 3), 200.0)
        characters[:60, 1] = 18
        reasons = find_unsound(["gaps", "bare", "sound"], right, characters)
        self.assertEqual(["gaps", "bare"], list(reasons))
        self.assertIn("5.0%", reasons["gaps"])
        self.assertIn("60.0%", reasons["bare"])

    def test_bare_answers_do_not_make_a_model_look_cheap(self) -> None:
        self.assertEqual(100.0, count_completion_tokens(np.array([BARE_CHARACTERS - 1.0, 400.0, np.nan])))

    def test_a_call_costs_its_prompt_and_the_mean_completion(self) -> None:
        costs = price_calls(MODELS_OF_TEST, ("x" * 400,))
        np.testing.assert_allclose([[0.02, 0.1, 0.8]], costs)

    def test_a_model_without_a_price_is_named(self) -> None:
        with self.assertRaisesRegex(KeyError, "unheard-of"):
            read_price("unheard-of", {})


class ArtefactTest(unittest.TestCase):
    def test_what_is_read_back_answers_as_the_predictor_in_memory(self) -> None:
        vectors, outcomes = make_outcomes(3)
        linear = Recipe("linear", 1e-3).fit(Training(vectors, outcomes.right, outcomes.domains))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            kind = Vectors("minilm", "0" * 64, DIMENSION, PROBE)
            stored = store(folder, linear, outcomes.models, kind, {"error": 0.1})
            seal(folder)
            loaded, settings = load(folder)
        np.testing.assert_array_equal(stored(vectors), loaded(vectors))
        np.testing.assert_allclose(linear(vectors), loaded(vectors), atol=2e-3)
        self.assertEqual(["small", "middle", "large"], [model["name"] for model in settings["models"]])

    def test_weights_that_do_not_fit_the_settings_are_refused(self) -> None:
        linear = Linear(np.zeros((2, DIMENSION)), np.zeros(2))
        with tempfile.TemporaryDirectory() as name, self.assertRaisesRegex(ValueError, r"\(2, 16\).*\(3, 16\)"):
            store(Path(name), linear, MODELS_OF_TEST, Vectors("minilm", "0" * 64, DIMENSION, PROBE), {})

    def test_the_manifest_is_that_of_the_shipped_files(self) -> None:
        recorded = json.loads((MODELS / "selection" / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual({"schema": 1, "files": hash_files(MODELS / "selection")}, recorded)

    def test_the_shipped_artefact_fits_the_package_that_makes_its_vectors(self) -> None:
        linear, settings = load(MODELS / "selection")
        self.assertEqual(digest_package(MODELS / settings["vectors"]["package"]), settings["vectors"]["model_sha256"])
        self.assertEqual(read_probe(MODELS / settings["vectors"]["package"]), settings["vectors"]["probe"])
        chat = {model["name"] for model in settings["models"] if model["chat"]}
        self.assertEqual(CHAT, chat)
        self.assertEqual(len({model["name"] for model in settings["models"]}), len(linear.bias))
        self.assertEqual(settings["vectors"]["package"], SIGNALS.name)


if __name__ == "__main__":
    unittest.main()
