"""Tries everything on all open descriptors beyond the pipes to its runner, and whatever else lies open."""

import fcntl
import os
import stat


class PeeksDescriptors:
    def act(self, view, moves):
        found = [f"{number} is {what}" for number in range(1024) if (what := self.what(number))]
        if found:
            raise AssertionError(f"not stopped: descriptor {', '.join(found)}")
        return moves[0]

    def what(self, number):
        """What is there that should not be: any file, any folder, any pipe but the two to the runner and the log."""
        try:
            mode = os.fstat(number).st_mode
        except OSError:
            return ""
        if os.path.samestat(os.fstat(number), os.stat(os.devnull)) or self.sealed(number):
            return ""
        try:
            path = os.readlink(f"/proc/self/fd/{number}")
        except OSError:  # in the sandbox there is no such folder
            path = "?"
        if stat.S_ISFIFO(mode):
            pipes = {os.fstat(one).st_ino for one in (1, 2, *self.own())}
            return "" if os.fstat(number).st_ino in pipes and self.seeks(number) is False else f"the pipe {path}"
        return f"{path} (it can be sought in: {self.seeks(number)})"

    def sealed(self, number):
        """Is it the memory of one fixed size in which a bot's process notes how far it is, for its runner to read?"""
        fixed = fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK
        try:
            return fcntl.fcntl(number, fcntl.F_GET_SEALS) & fixed == fixed
        except OSError:
            return False

    def own(self):
        """The pipes that this process itself reads from and writes to: the first to be read, and the first to write."""
        for way in (os.O_RDONLY, os.O_WRONLY):
            for number in range(3, 16):
                try:
                    if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == way:
                        yield number
                        break
                except OSError:
                    continue

    def seeks(self, number):
        try:
            os.lseek(number, 0, os.SEEK_CUR)
        except OSError:
            return False
        return True
