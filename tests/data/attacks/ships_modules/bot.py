"""Lies in a folder full of modules with well-known names, and looks which of them were loaded."""

import builtins
import importlib
import json
import os
import random
import struct
import sys

import arena

SEEN = [arena, json, os, random, struct, importlib.import_module("encodings")]


class ShipsModules:
    def act(self, view, moves):
        folder = os.path.dirname(os.path.abspath(__file__))
        own = [module.__name__ for module in [*SEEN, *sys.modules.values()] if lies_in(module, folder)]
        own += getattr(builtins, "planted_by_attack", [])
        if own:
            raise AssertionError(f"not stopped: loaded {', '.join(map(str, own))}")
        return moves[0]


def lies_in(module, folder):
    path = getattr(module, "__file__", None) or ""
    return path.startswith(folder) and not path.endswith("bot.py")
