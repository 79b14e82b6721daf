"""How the estimate of tokens compares with real encodings, on recalled blocks; needs the extra `tokens`."""
