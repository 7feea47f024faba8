/* A bot in C without libraries: the first legal move, by its place in the list.
 *     cc -O2 -o lazy examples/wire/lazy.c      and then      cmd:./lazy
 * bots/wire/c/greedy.c reads the game, too.
 */
#include <stdio.h>
#include <string.h>

static char line[1 << 16];

int main(void)
{
    while (fgets(line, sizeof line, stdin)) {
        char type[16];
        long id;
        /* the runner writes "type" and "id" first, in this order */
        if (sscanf(line, "{\"type\":\"%15[a-z]\",\"id\":%ld", type, &id) != 2)
            continue; /* bye */
        if (strcmp(type, "hello") == 0)
            printf("{\"id\":%ld,\"protocol\":3,\"name\":\"lazy\"}\n", id);
        else if (strcmp(type, "act") == 0)
            printf("{\"id\":%ld,\"move\":0}\n", id);
        else
            printf("{\"id\":%ld}\n", id);
        fflush(stdout);
    }
    return 0;
}
