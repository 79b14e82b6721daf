"""The memory as a server of the Model Context Protocol: tools, prompts and resources. `cfpm mcp` starts it."""
