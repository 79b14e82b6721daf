"""What was learnt from labelled sentences: each head is a file of weights and the few lines that apply them."""
