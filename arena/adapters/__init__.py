"""The game for other libraries' agents; `kaggle` also turns agents written for Kaggle into bots.

`pettingzoo_env`, `gymnasium_env` and `openspiel_game` each need their library, which is an extra of the package.
"""
