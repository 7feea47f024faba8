"""The game for other libraries' agents, and other libraries' agents as bots here.

`pettingzoo_env`, `gymnasium_env` and `openspiel_game` each need their library, an extra of the
package; `kaggle` needs none.
"""
