"""The steps that make and check the packages: `python -m train <step>`, run in the folder above this one."""

import argparse
import sys
from pathlib import Path

from .domain_head import train_domain_head
from .pack import copy_static, pack_all
from .packages import MINILM
from .quantize import write_minilm
from .selection.artefact import seal
from .selection.step import FOLDER, train_selection
from .similarity import measure_similarity
from .verify import verify_all


def main() -> int:
    arguments = read_arguments()
    match arguments.step:
        case "static":
            copy_static(arguments.weights)
        case "quantize":
            write_minilm(arguments.weights, arguments.data, MINILM.folder)
        case "head":
            train_domain_head(arguments.data)
        case "similarity":
            measure_similarity(arguments.data)
        case "selection":
            train_selection(arguments.data, arguments.package)
        case "pack":
            pack_all()
            seal(FOLDER)
        case "verify":
            problems = verify_all()
            print("\n".join(problems) or "verify: both packages are whole")
            return 1 if problems else 0
    return 0


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m train", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    weights = {"type": Path, "required": True, "metavar": "DIR", "help": "folder of the published model"}
    data = {"type": Path, "required": True, "metavar": "DIR", "help": "data folder, one sub-folder per task"}
    steps.add_parser("static", help="take the static model").add_argument("--weights", **weights)
    quantize = steps.add_parser("quantize", help="store all-MiniLM-L6-v2 small")
    quantize.add_argument("--weights", **weights)
    quantize.add_argument("--data", **data)
    steps.add_parser("head", help="train and measure the domain head").add_argument("--data", **data)
    steps.add_parser("similarity", help="measure both sentence vectors").add_argument("--data", **data)
    selection = steps.add_parser("selection", help="train and measure the predictor of answer quality")
    selection.add_argument("--data", **data)
    selection.add_argument("--package", default=MINILM.name, metavar="NAME", help="package that makes the vectors")
    steps.add_parser("pack", help="write rtrun.json, golden.json and manifest.json")
    steps.add_parser("verify", help="check hashes and golden answers")
    return parser.parse_args()


sys.exit(main())
