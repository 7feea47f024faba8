"""A league on the web: its pages, uploads by its authors, and the processes that work on what was uploaded.

The web process reads and queues; it plays nothing. A league's folder holds all of it: `league.sqlite` is that of the
commands, so both can be used at once, and `web.sqlite` holds what only the web knows.

    store accounts      who may sign in: tokens and sessions
    uploads queue       a file, an archive or a text as a submission; submissions received, and what became of them
    public              the pages that everybody may see
    members admin api   what authors, organisers and programs may do; openapi describes the latter
    client site         asking a server from elsewhere; the public pages as files
    desk reader         the threads and processes that ask the databases
    app guard state     addresses; what each request has to pass; what handlers share
    connection          what of a request is read before that, and for how long
    render              templates
    playing             games of people against bots, each in a process of its own
    work serve          the processes that check and place submissions; everything together
"""
