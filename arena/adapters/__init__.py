"""The game for other libraries' agents; `kaggle` also makes bots here of agents written for Kaggle.

`pettingzoo_env`, `gymnasium_env` and `openspiel_game` each need their library, an extra of the package.
"""
