set -eo pipefail
.venv/bin/mypy --strict dwarfgpu | tail -3
.venv/bin/ruff check . || exit 1; .venv/bin/ruff format . | tail -1
.venv/bin/python -m pytest -q -n 0 tests/test_vocabulary.py tests/test_architecture.py tests/test_docs.py "$@" 2>&1 | tail -8
