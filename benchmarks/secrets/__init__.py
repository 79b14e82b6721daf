"""What the redaction of secrets catches and what it takes by mistake, on real samples: `python -m benchmarks.secrets`."""
