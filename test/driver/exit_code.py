"""Runs a command and checks its exit code: `python -m driver.exit_code CODE COMMAND...`"""

import subprocess
import sys

done = subprocess.run(sys.argv[2:], check=False)
sys.exit(0 if done.returncode == int(sys.argv[1]) else 1)
