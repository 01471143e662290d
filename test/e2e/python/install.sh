#!/usr/bin/env bash
# Makes the Python environment of the client tests under target/, unless it is there, and prints its interpreter.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"

environment="$here/../../../target/python-clients/$(sha256sum "$here/requirements.txt" | cut -c 1-12)"
if [ ! -e "$environment/.installed" ]; then
  python3 -m venv "$environment" >&2
  # All packages are listed, and Python compiles what it imports by itself: this halves the time.
  "$environment/bin/pip" install --quiet --no-deps --no-compile --retries 1 --requirement "$here/requirements.txt" >&2
  touch "$environment/.installed"
fi
realpath "$environment/bin"
