"""Run a program in a new process, with a limit of time: a child that is stuck fails its test."""

import json
import os
import subprocess
import sys

#: what a program may take before it counts as stuck, in seconds
PATIENCE = 240


def in_a_new_process(folder, program, *arguments):
    """Run a Python program, with torch's usual number of threads, and return the JSON that it prints last."""
    path = folder / "program.py"
    path.write_text(program)
    environment = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, str(path), *arguments], capture_output=True, text=True, timeout=PATIENCE, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])
