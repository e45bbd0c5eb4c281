"""The commands `afterburner-agent train …`."""
