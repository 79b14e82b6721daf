"""Makes the static embedding that ships with the package from the weights of a sentence transformer."""
