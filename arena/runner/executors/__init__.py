"""Where chunks are played: local worker processes or a Dask cluster."""
