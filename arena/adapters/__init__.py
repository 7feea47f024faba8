"""The game for other libraries' agents, and other libraries' agents as bots here.

`pettingzoo_env`, `gymnasium_env`, `openspiel_game` and `openspiel_bot` each need their library, an extra of the
package; `kaggle` needs none.
"""
