"""The checkpoint of the strategy `cfpm`: what stands in it, from what it is chosen, and how it is written and read."""
