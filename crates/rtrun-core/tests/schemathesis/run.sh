#!/usr/bin/env bash
# Runs run.py with its own Python environment, which is made once in the user's cache; arguments are those of run.py.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"

environment="${XDG_CACHE_HOME:-$HOME/.cache}/rtr-schemathesis/$(sha256sum "$here/requirements.txt" | cut -c 1-12)"
if [ ! -e "$environment/.installed" ]; then
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --requirement "$here/requirements.txt"
  touch "$environment/.installed"
fi
exec "$environment/bin/python" "$here/run.py" "$@"
