"""The commands `afterburner-agent eval …`."""
