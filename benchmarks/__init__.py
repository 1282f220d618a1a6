"""What sesls costs, alone and beside others: see docs/benchmarks.md."""
