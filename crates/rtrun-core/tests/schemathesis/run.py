"""Starts a worker over fixture packages and lets schemathesis look for responses that openapi.yaml does not allow.

Run from anywhere with Node on the path and the addon built:

    pip install -r requirements.txt
    python run.py [--seconds 60] [--seed 1] [--package heads-int8 ...] [--only /v1/classify ...]

Without --package it takes one package after the other, each for its share of the time, until every endpoint has had a
model that serves it. Exits with 0 if nothing was found. Requests come from the contract document alone, so a new endpoint is tried without a
change here.
"""

import argparse
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
CORE = HERE.parents[1]
ROOT = CORE.parents[1]
CONTRACT = CORE / "openapi.yaml"
MAX_REQUEST_BYTES = 65536
READY_SECONDS = 60

# Packages and what is tried on each: together every endpoint has a model that serves it.
PACKAGES = {
    "heads-int8": ["/v1/classify", "/v1/embeddings", "/v1/bundle", "/v1/models", "/health", "/health/live", "/metrics"],
    "decisions/marker": ["/v1/decisions", "/v1/systemone"],
    "decisions/packed": ["/v1/decisions", "/v1/bundle"],
    "classifiers/rerank": ["/v1/rerank", "/v1/classify"],
}


def main():
    arguments = read_arguments()
    packages = arguments.package or list(PACKAGES)
    seconds = max(1, arguments.seconds // len(packages))
    status = 0
    for package in packages:
        only = arguments.only or ([] if arguments.package else PACKAGES[package])
        print(f"== {package}, {seconds} s", flush=True)
        status = try_package(package, only, seconds, arguments.seed) or status
    return status


def try_package(package, only, seconds, seed):
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, open(Path(folder, "worker.log"), "w+") as log:
        worker = start_worker(package, port, log)
        try:
            origin = f"http://127.0.0.1:{port}"
            wait_until_ready(origin, worker)
            status = run_schemathesis(only, seconds, seed, origin, folder)
            if worker.poll() is None:
                print_statuses(origin)
            else:
                print(f"The worker ended with {worker.returncode} while it was asked", file=sys.stderr)
                status = 1
        except Exception:
            log.seek(0)
            print(log.read(), file=sys.stderr)
            raise
        finally:
            worker.terminate()
            worker.wait(timeout=30)
    return status


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60, help="time for all requests together (60)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed sends the same requests (1)")
    parser.add_argument("--package", nargs="*", default=[], help="folders under tests/fixtures to serve, one at a time")
    parser.add_argument("--only", nargs="*", default=[], help="paths to try; all of the document when left out")
    return parser.parse_args()


def start_worker(package, port, log):
    """The command that users run, with a body limit that generated bodies can meet."""
    fixture = str(CORE / "tests/fixtures" / package)
    node = shutil.which("node") or sys.exit("Cannot start the worker: node is not on the path")
    limits = ["--threads", "1", "--max-request-bytes", str(MAX_REQUEST_BYTES)]
    command = [node, str(ROOT / "bin/rtrun.js"), "serve", fixture, "--port", str(port), *limits]
    return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT)


def wait_until_ready(origin, worker):
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if worker.poll() is not None:
            raise RuntimeError(f"The worker ended with {worker.returncode} before it was ready")
        try:
            with urllib.request.urlopen(f"{origin}/health") as response:
                print(json.load(response))
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    raise RuntimeError(f"The worker was not ready within {READY_SECONDS} s")


def write_narrowed(origin, folder):
    """The document with the names that this worker knows: with any string, nearly every request is answered with 404."""
    document = yaml.safe_load(CONTRACT.read_text())
    schemas = document["components"]["schemas"]
    with urllib.request.urlopen(f"{origin}/v1/models") as response:
        [card] = json.load(response)["data"]
    schemas["ModelName"] = {"const": card["id"]}
    if card["heads"]:
        schemas["ClassifyRequest"]["properties"]["head"] = {"enum": [head["name"] for head in card["heads"]]}
        schemas["ClassifyRequest"]["required"].append("head")
    if "embedding" in card:
        schemas["EmbeddingsRequest"]["properties"]["dimensions"] = {"enum": card["embedding"]["dimensions"]}
    path = Path(folder, "openapi.yaml")
    path.write_text(yaml.safe_dump(document))
    return path


def print_statuses(origin):
    """What was answered how often: a run that is refused everywhere has shown little."""
    with urllib.request.urlopen(f"{origin}/metrics") as response:
        lines = response.read().decode().splitlines()
    print("\n".join(sorted(line for line in lines if line.startswith("rtrun_requests_total"))))


def run_schemathesis(only, seconds, seed, origin, folder):
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        *["--config-file", str(HERE / "schemathesis.toml")],
        *["run", str(write_narrowed(origin, folder)), "--url", origin],
        *["--max-time", str(seconds), "--seed", str(seed)],
    ]
    for path in only:
        command += ["--include-path", path]
    # Its caches of found failures stay out of the repository.
    return subprocess.run(command, cwd=folder).returncode


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    sys.exit(main())
