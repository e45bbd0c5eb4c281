"""The loop for coding agents: a server of the Model Context Protocol (MCP)."""
