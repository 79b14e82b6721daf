"""What a hook costs through the resident MCP server, and whether many calls make it grow."""
