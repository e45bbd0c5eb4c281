"""`python -m afterburner.training …` is `afterburner-agent train …`, for `accelerate launch -m`."""

import sys

from afterburner.agent.cli.main import main

sys.argv.insert(1, "train")
sys.exit(main())
