"""`python -m benchmarks.secrets --data DIR --json OUT`: what redaction catches, what it takes by mistake, how fast."""
