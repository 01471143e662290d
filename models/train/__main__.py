"""The steps that make and check the packages: `python -m train <step>`, run in the folder above this one."""

import argparse
import sys
from importlib import import_module
from pathlib import Path

from .evaluation_sets import write_evaluation_sets
from .pack import copy_static
from .packages import DECIDE, GUARD, SIGNALS
from .scored import write_scores
from .selection.step import train_selection
from .similarity import measure_similarity
from .verify import verify_all

TRAINED = {package.name: package for package in (SIGNALS, GUARD, DECIDE)}

# PyTorch takes seconds to load and is not needed to check packages, so the steps that train bring it themselves.


def main() -> int:
    arguments = read_arguments()
    match arguments.step:
        case "static":
            copy_static(arguments.weights)
        case "signals" | "guard" | "decide":
            train(arguments)
        case "evaluate":
            steps = training_steps(arguments.package)
            steps.measure_stored(arguments.run, arguments.data, arguments.weights)
        case "refit":
            from .signals.refit import refit

            refit(arguments.heads.split(","), arguments.weights, arguments.data, SIGNALS.folder)
        case "average":
            from .guard.steps import average

            average(arguments.run, arguments.runs, arguments.data, arguments.weights)
        case "compare":
            from .signals.steps import compare_worker

            compare_worker(arguments.run, arguments.weights, arguments.data, arguments.worker)
        case "words":
            from .fired_words import print_fired_words

            print_fired_words(arguments.data, arguments.worker, arguments.package, arguments.count)
        case "similarity":
            measure_similarity(arguments.data)
        case "selection":
            train_selection(arguments.data, arguments.package)
        case "sets":
            write_evaluation_sets(arguments.data)
        case "pack":
            training_steps(arguments.package).pack(arguments.run, arguments.weights, TRAINED[arguments.package].folder)
        case "abstention":
            from .decide.abstention import write_abstention

            write_abstention(arguments.data, DECIDE.folder)
        case "scores":
            write_scores(TRAINED[arguments.package])
        case "verify":
            problems = verify_all()
            print("\n".join(problems) or "verify: all packages are whole")
            return 1 if problems else 0
    return 0


def train(arguments: argparse.Namespace) -> None:
    import torch

    device = torch.device(arguments.device)
    if arguments.step == "signals":
        from .signals.fit import Recipe, Run
        from .signals.steps import train as train_signals

        recipe = Recipe() if arguments.steps is None else Recipe(steps=arguments.steps)
        train_signals(Run(arguments.run, arguments.seed, recipe), arguments.data, arguments.weights, device)
    elif arguments.step == "guard":
        from .guard.fit import Recipe as GuardRecipe
        from .guard.fit import Run as GuardRun
        from .guard.steps import train as train_guard

        given = {name: value for name in ("steps", "within") if (value := getattr(arguments, name)) is not None}
        recipe = GuardRecipe(**given)
        if arguments.later and not arguments.teachers:
            raise SystemExit("Cannot use --later without --teachers: it names the sources that these do not know")
        run = GuardRun(arguments.run, arguments.seed, recipe, arguments.start, tuple(arguments.teachers), tuple(arguments.later))
        train_guard(run, arguments.data, arguments.weights, arguments.layers, device)
    else:
        from .decide.fit import Recipe as DecideRecipe
        from .decide.steps import train as train_decide

        recipe = DecideRecipe() if arguments.steps is None else DecideRecipe(steps=arguments.steps)
        train_decide(arguments.run, arguments.seed, recipe, arguments.data, arguments.weights, device)


def training_steps(package: str):  # noqa: ANN201 - a module
    return import_module(f".{package}.steps", __package__)


def share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is no share: give a number from 0 to 1")
    return value


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m train", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    weights = {"type": Path, "required": True, "metavar": "DIR", "help": "folder of the published model"}
    data = {"type": Path, "required": True, "metavar": "DIR", "help": "data folder, one sub-folder per task"}
    run = {"type": Path, "required": True, "metavar": "DIR", "help": "folder of the training run"}
    steps.add_parser("static", help="take the static model").add_argument("--weights", **weights)
    for name in TRAINED:
        step = steps.add_parser(name, help=f"train the package {name}; goes on where a stopped run ended")
        step.add_argument("--steps", type=int, metavar="N", help="fewer steps than the recipe's, to try things")
        step.add_argument("--device", default="cpu", help="cpu or cuda")
        for option, settings in (("--weights", weights), ("--data", data), ("--run", run)):
            step.add_argument(option, **settings)
        step.add_argument("--seed", type=int, default=1, metavar="N")
        if name == GUARD.name:
            beginning = step.add_mutually_exclusive_group()
            beginning.add_argument("--start", type=Path, metavar="DIR", help="folder of a run to begin with instead of the published model")
            beginning.add_argument("--layers", type=int, metavar="N", help="only so many layers of the published model, from the first on")
            step.add_argument("--teachers", type=Path, nargs="+", default=(), metavar="DIR", help="folders of runs whose answers it learns beside the labels")
            step.add_argument("--within", type=share, metavar="SHARE", help="share of the short texts that train once more within others, from 0 to 1")
            step.add_argument("--later", nargs="+", default=(), metavar="SOURCE", help="beginnings of sources that teachers do not know, such as written/turns/")
    evaluate = steps.add_parser("evaluate", help="what storing the weights small costs")
    packing = steps.add_parser("pack", help="write the package of a run; its card has to stand there")
    for step in (evaluate, packing):
        step.add_argument("package", choices=sorted(TRAINED))
        step.add_argument("--run", **run)
        step.add_argument("--weights", **weights)
    evaluate.add_argument("--data", **data)
    refitting = steps.add_parser("refit", help="fit heads of the package signals anew over its layers")
    refitting.add_argument("--heads", required=True, metavar="A,B", help="heads of whole texts, such as domain")
    for option, settings in (("--weights", weights), ("--data", data)):
        refitting.add_argument(option, **settings)
    abstaining = steps.add_parser("abstention", help="fit which answers of the package decide should not be used, after it was packed")
    abstaining.add_argument("--data", **data)
    scoring = steps.add_parser("scores", help="write into a package what the accuracy bench found")
    scoring.add_argument("package", choices=sorted(TRAINED))
    averaging = steps.add_parser("average", help="make one run of the guard of the means of several")
    averaging.add_argument("--runs", type=Path, nargs="+", required=True, metavar="DIR", help="folders of trained runs")
    for option, settings in (("--run", run), ("--weights", weights), ("--data", data)):
        averaging.add_argument(option, **settings)
    comparing = steps.add_parser("compare", help="compare a worker that serves signals with the network of a run")
    comparing.add_argument("--worker", required=True, metavar="URL", help="such as http://127.0.0.1:8100")
    for option, settings in (("--run", run), ("--weights", weights), ("--data", data)):
        comparing.add_argument(option, **settings)
    words = steps.add_parser("words", help="print the words of attacks that a served guard fires on, alone and in harmless sentences")
    words.add_argument("package", choices=(SIGNALS.name, GUARD.name))
    words.add_argument("--worker", required=True, metavar="URL", help="such as http://127.0.0.1:8100")
    words.add_argument("--count", type=int, default=200, metavar="N", help="so many words, and as many pairs of words")
    words.add_argument("--data", **data)
    steps.add_parser("similarity", help="measure the sentence vectors").add_argument("--data", **data)
    selection = steps.add_parser("selection", help="train and measure the predictor of answer quality")
    selection.add_argument("--data", **data)
    selection.add_argument("--package", default=SIGNALS.name, metavar="NAME", help="package that makes the vectors")
    steps.add_parser("sets", help="write the sets that measure the packages").add_argument("--data", **data)
    steps.add_parser("verify", help="check hashes and golden answers")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
