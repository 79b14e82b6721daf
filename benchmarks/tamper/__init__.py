"""`python -m benchmarks.tamper`: is every change found that was made behind the memory's back; are kills survived."""
