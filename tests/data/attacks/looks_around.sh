#!/bin/sh
# A bot in another language that tries what its first argument says, by what a shell has built in: `reads`,
# `writes`, or `forks`, which ends a shell that cannot. What it has reached it plays as its move; if it has reached
# nothing, it plays the first of the legal ones.

found=
reads() {
    for path in /etc/passwd /etc/shadow /etc/hosts /etc/hostname ~root/.bashrc /root/.ssh/id_rsa ../secret.txt \
        /proc/1/root/etc/passwd /proc/1/cwd/etc/passwd /sys/kernel/notes /var/log/syslog; do
        { read -r first < "$path" && [ -n "$first" ] && found="$found read:$path"; } 2> /dev/null
    done
    for path in /home/* /root/* /root/.[a-z]* /var/lib/* /srv/* /mnt/* /run/*; do
        [ -e "$path" ] && found="$found saw:$path"
    done
    [ -n "$ARENA_TOKEN" ] && found="$found read:ARENA_TOKEN"
}
writes() {
    for path in . "${0%/*}" / /etc /usr /usr/bin /usr/local/bin /var/tmp /home /root /dev /proc /sys; do
        { true > "$path/planted_by_attack" && found="$found wrote:$path"; } 2> /dev/null
    done
}
forks() {
    found=" forked: $(echo yes)"
}

while read -r line; do
    case $line in *'"id"'*) ;; *) continue ;; esac
    id=${line#*\"id\":}
    id=${id%%[,\}]*}
    case $line in
        *'"type":"hello"'*) echo "{\"id\":$id,\"protocol\":3}" ;;
        *'"moves":'*)
            [ -z "$tried" ] && tried=yes && "$1"
            move=${line#*\"moves\":*\"}
            echo "{\"id\":$id,\"move\":\"${found:-${move%%\"*}}\"}"
            ;;
        *) echo "{\"id\":$id}" ;;
    esac
done
