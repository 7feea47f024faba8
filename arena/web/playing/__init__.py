"""Games of people against bots of the league, in the browser. They count nowhere.

child           a process of its own plays each game: the referee, the bot in the sandbox, the person's answers
shown           what the person may see of it, as plain values: never the other hand, the decks or the seed
tables          the games in hand, seen from the web process: how many, whose, how long
kept            records that authors keep
pages           the addresses
"""
