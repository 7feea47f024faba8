"""Python bots in processes of their own."""
