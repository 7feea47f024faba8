"""Tests of the check that authors run."""
