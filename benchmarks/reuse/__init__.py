"""Which names a session uses again: learns the weights by which a checkpoint chooses its names."""
