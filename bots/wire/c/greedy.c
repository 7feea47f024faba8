/* A bot in C without any library: builds the best formations it can, and looks at nothing else.
 *
 *     cc -O2 -o bots/wire/c/greedy bots/wire/c/greedy.c
 *     arena match cmd:bots/wire/c/greedy random
 *
 * It reads one JSON object a line and answers with one line that has the same "id". docs/wire.md describes the lines.
 * For each move it asks: what is my side worth there with the card, and what was it worth without? The greatest gain
 * is played.
 */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON: as much of it as is needed to find a value. A value is a pointer to where it begins in the line. ---- */

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
    return at;
}

/* The place behind a text, which begins with a quote. */
static const char *skip_text(const char *at) {
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

/* The place behind any value. */
static const char *skip_value(const char *at) {
    int depth = 0;
    do {
        if (*at == '"') { at = skip_text(at); continue; }
        if (*at == '[' || *at == '{') depth++;
        if (*at == ']' || *at == '}') depth--;
        if (*at) at++;
    } while (*at && (depth > 0 || !strchr(",]} \t\r\n", *at)));
    return at;
}

/* The first value of a list (or the first key of an object), and the one behind a value; NULL at the end. */
static const char *first(const char *list) {
    const char *at;
    if (!list || (*list != '[' && *list != '{')) return NULL;
    at = skip_blanks(list + 1);
    return *at && *at != ']' && *at != '}' ? at : NULL;
}

static const char *next(const char *value) {
    const char *at = skip_blanks(skip_value(value));
    return *at == ',' ? skip_blanks(at + 1) : NULL;
}

static int is_text(const char *value, const char *text) {
    size_t length = strlen(text);
    return value && *value == '"' && !strncmp(value + 1, text, length) && value[length + 1] == '"';
}

/* The value of a key of an object, NULL if it has no such key. */
static const char *get(const char *object, const char *key) {
    const char *at = first(object);
    while (at) {
        const char *colon = skip_blanks(skip_text(at));
        if (*colon != ':') return NULL;
        if (is_text(at, key)) return skip_blanks(colon + 1);
        at = next(skip_blanks(colon + 1));
    }
    return NULL;
}

static void copy_text(const char *value, char *to, size_t size) {
    size_t quoted = *value == '"' ? (size_t)(skip_text(value) - value) : 0;
    size_t length = quoted > 2 ? quoted - 2 : 0;
    if (length >= size) length = size - 1;
    memcpy(to, value + 1, length);
    to[length] = 0;
}

/* ---- what a side is worth ---- */

typedef struct { char colour; int value; } Card; /* a wild card has the colour '*' */

/* "r7" is red 7; "*J" is wild, and "*J=r7" is a wild that was given a value. */
static Card read_card(const char *text) {
    const char *bound = strchr(text, '=');
    Card card;
    if (bound) text = bound + 1;
    card.colour = text[0];
    card.value = atoi(text + 1);
    return card;
}

/* 0 to about 1.3. Wild cards fit in everywhere. */
static double worth(const Card *cards, int count) {
    int known = 0, low = 99, high = 0, sum = 0, one_colour = 1, one_value = 1, different = 1, i, j;
    char colour = 0;
    double kind;
    for (i = 0; i < count; i++) {
        if (cards[i].colour == '*') continue;
        if (known++ == 0) colour = cards[i].colour;
        if (cards[i].colour != colour) one_colour = 0;
        if (cards[i].value < low) low = cards[i].value;
        if (cards[i].value > high) high = cards[i].value;
        sum += cards[i].value;
        for (j = 0; j < i; j++)
            if (cards[j].colour != '*' && cards[j].value == cards[i].value) different = 0;
    }
    if (known == 0) return 0.05 * count;
    one_value = low == high;
    if (one_colour && different && high - low < 3) kind = 1.0; /* colour run */
    else if (one_value) kind = 0.8;                            /* of a kind */
    else if (one_colour) kind = 0.55;                          /* colour */
    else if (different && high - low < 3) kind = 0.4;          /* run */
    else kind = 0.1;                                           /* sum */
    return kind * (count == 1 ? 0.25 : count == 2 ? 0.6 : 1.0) + sum / 300.0;
}

/* How much the side of a stone gains by a card. */
static double gain_of(const char *message, const char *card, int stone) {
    const char *at = first(get(message, "stones"));
    Card side[8];
    int count = 0;
    char text[16];
    double before;
    while (at && --stone > 0) at = next(at);
    for (at = at ? first(get(at, "mine")) : NULL; at && count < 7; at = next(at)) {
        copy_text(at, text, sizeof text);
        side[count++] = read_card(text);
    }
    before = worth(side, count);
    side[count] = read_card(card);
    return worth(side, count + 1) - before - (card[0] == '*' ? 0.35 : 0.0); /* a wild is too good for a hole */
}

/* How much a move is liked. All its forms: r7@3, *J=r7@3, fog@3, take r7@3, return r7, draw clan, claim 3, no claim,
 * discard, pass, and the names of ruses. */
static double liking(const char *message, char *move) {
    char *stone = strchr(move, '@');
    if (!strncmp(move, "take ", 5)) return move[5] == '*' ? 10.0 : atof(move + 6);    /* the highest card */
    if (!strncmp(move, "return ", 7)) return atoi(move + 8) ? -atof(move + 8) : 1.0; /* the lowest card */
    if (!strncmp(move, "claim ", 6)) return 1.0;
    if (!strncmp(move, "draw ", 5)) return strcmp(move, "draw clan") ? 0.0 : 1.0;
    if (stone && strncmp(move, "fog@", 4) && strncmp(move, "mud@", 4)) {
        *stone = 0;
        return gain_of(message, move, atoi(stone + 1));
    }
    return strcmp(move, "pass") ? -0.5 : -0.7;
}

static int choose(const char *message) {
    const char *at = first(get(message, "moves"));
    int best = 0, number;
    double most = -1e9;
    char move[32];
    for (number = 0; at; at = next(at), number++) {
        double value;
        copy_text(at, move, sizeof move);
        value = liking(message, move);
        if (value > most) { most = value; best = number; }
    }
    return best;
}

/* ---- the conversation ---- */

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        const char *message = skip_blanks(line), *id = get(message, "id"), *type = get(message, "type");
        if (!id) continue; /* what has no id wants no answer: "bye" */
        printf("{\"id\":%ld", strtol(id, NULL, 10));
        if (is_text(type, "hello")) printf(",\"protocol\":3,\"name\":\"greedy in C\"");
        if (is_text(type, "act")) printf(",\"move\":%d", choose(message));
        printf("}\n");
        fflush(stdout); /* or the answer stays in this process */
    }
    free(line);
    return 0;
}
