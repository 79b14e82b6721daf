"""The rows of the design documents, each as a test of its own name."""
