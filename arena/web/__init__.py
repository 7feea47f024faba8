"""A league on the web: its pages, uploads by its authors, and games between visitors and its bots.

The web process reads and queues; other processes check, place and play. A league's folder holds everything: the
commands and the web share `league.sqlite`, so both can be used at once, and `web.sqlite` holds what only the web needs.

    app                  addresses, checks on every request, errors
    backend              the databases and the pages made from them, for handlers; the signed-in account
    public               the pages open to everybody, on a server and as files
    members              what authors and organisers do, in browsers and by programs
    accounts             accounts, tokens and sessions
    play_pages           games against bots: the pages, ...
    web_games            ... the games being played, and ...
    play_child           ... the process of one game
    serve                the server and its workers
    client               requests to a server from elsewhere
"""
