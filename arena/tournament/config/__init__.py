"""The settings of a tournament: TOML files, checked strictly into frozen values."""
