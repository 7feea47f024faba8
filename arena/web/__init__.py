"""A league on the web: its pages, uploads by its authors, and games of people against its bots.

The web process reads and queues; other processes check, place and play. A league's folder holds everything:
`league.sqlite` is that of the commands, so both can be used at once, and `web.sqlite` holds what only the web needs.

    app                  addresses, what every request has to pass, errors
    backend              the databases and the pages made from them, for handlers; who is signed in
    public               the pages that everybody may see, on a server and as files
    members              what authors and organisers do, in browsers and by programs
    accounts, uploads    accounts, tokens and sessions; uploads and what became of them
    play_pages           games against bots: the pages, ...
    play_tables          ... the games being played, and ...
    play_child           ... the process of one game
    serve                the server and its workers
    client               asking a server from elsewhere
"""
