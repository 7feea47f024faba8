"""A Git repository in the working directory, for tests."""

import os
import subprocess
from pathlib import Path


class Repository:
    """A repository in the working directory."""

    def __init__(self) -> None:
        self.git("init", "-q", "-b", "main")

    def git(self, *args: str) -> str:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        env = {**kept, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        argv = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *args]
        return subprocess.run(argv, env=env, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, subject: str, **files: str) -> str:
        """Write files, with `__` for a slash and the ending .py unless they have one, and commit them."""
        for name, text in files.items():
            path = Path(name.replace("__", "/"))
            path = path if path.suffix else path.with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")
