"""Starts threads without end, with stacks as small as can be."""

import threading


def act(view, moves):
    threading.stack_size(1 << 15)
    while True:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
