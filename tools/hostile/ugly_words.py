"""Uses names and reasons that harm their readers: terminal escapes, right-to-left text, formulas, markup, megabytes."""

from when import Hostile

WORDS = "=cmd|'/c calc'!A0\x1b[2J\x1b]0;owned\x07\r\n\u202eevil\u2066 <script>alert(1)</script> | | `x` \ud800 "


class UglyWords(Hostile):
    def attack(self, view, moves):
        if self.decision == 4:
            kind = type("\x1b[31mEvil\u202e", (Exception,), {"__str__": lambda self: WORDS * 3000})
            raise kind()
