"""The pre-tool gate: known paths in place of probes, or the command as it was, and why. Pure; stores nothing."""
