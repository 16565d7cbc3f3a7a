"""`python -m radeval_core.cli`."""

import sys

from radeval_core.cli.app import main

sys.exit(main())
