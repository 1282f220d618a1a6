"""What the parts of a listing cost: `pytest benchmarks/inner` (the extra `bench`)."""
