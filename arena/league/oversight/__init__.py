"""What keeps a league in order: beside `settings` and `store` it knows nothing of the rest.

audit       who did what, in a log that only grows
budget      what authors may use, and the room on the disk
pause       nothing is played until it ends
deaths      processes that were killed, and the bots that were at work then
processes   who works on the league, and what dead processes have left
"""
