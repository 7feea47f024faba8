"""Loops for ever and swallows whatever is raised into it."""


def act(view, moves):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
