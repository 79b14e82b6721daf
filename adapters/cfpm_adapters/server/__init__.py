"""The reference server of the webhook provider: a memory behind HTTP, for one namespace. `cfpm serve` starts it."""
