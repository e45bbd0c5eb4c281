"""`python -m afterburner.agent` is `afterburner-agent`."""

import sys

from afterburner.agent.cli.main import main

sys.exit(main())
