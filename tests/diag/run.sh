#!/bin/bash
# The suite of run.py.
exec python3 "$(dirname "$0")/run.py"
