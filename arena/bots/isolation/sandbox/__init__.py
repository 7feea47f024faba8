"""The sandbox: bubblewrap around a bot's command, and a system call filter."""
