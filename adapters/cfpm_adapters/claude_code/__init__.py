"""Claude Code as a host: its hooks before and after tool calls, and the settings file that starts them."""
