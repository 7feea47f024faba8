"""Results as pages: one file of HTML that needs no server and no network."""
