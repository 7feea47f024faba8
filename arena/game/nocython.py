"""Stand-in for the ``cython`` module where Cython is not installed and the engine runs as plain Python."""

compiled = False
