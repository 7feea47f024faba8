"""Opens sockets of all kinds: to this machine, to others, to programs by files and by names, raw, to the kernel."""

import asyncio
import socket

KINDS = {
    "TCP": (socket.AF_INET, socket.SOCK_STREAM),
    "UDP": (socket.AF_INET, socket.SOCK_DGRAM),
    "TCP over IPv6": (socket.AF_INET6, socket.SOCK_STREAM),
    "Unix": (socket.AF_UNIX, socket.SOCK_STREAM),
    "raw": (socket.AF_INET, socket.SOCK_RAW),
    "ping": (socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP),
    "packets": (socket.AF_PACKET, socket.SOCK_RAW),
    "netlink": (socket.AF_NETLINK, socket.SOCK_RAW),
    "virtual machine": (socket.AF_VSOCK, socket.SOCK_STREAM),
    "Bluetooth": (31, socket.SOCK_RAW),
    "kernel cryptography": (38, socket.SOCK_SEQPACKET),
}


class OpensSockets:
    def __init__(self, port: int = 9, far: bool = True):
        self.worked = [
            f"a socket for {name}" for name, kind in KINDS.items() if works(lambda kind=kind: socket.socket(*kind))
        ]
        hosts = ("127.0.0.1", "localhost", "::1", *(("169.254.169.254", "1.1.1.1") if far else ()))
        for address in [(host, port) for host in hosts]:
            if works(lambda address=address: socket.create_connection(address, 0.2)):
                self.worked.append(f"a connection to {address[0]}")
        if works(lambda: socket.create_server(("0.0.0.0", 0))):
            self.worked.append("a server")
        if far and works(lambda: socket.getaddrinfo("example.org", 80)):
            self.worked.append("a look-up of a name")
        if works(lambda: asyncio.run(asyncio.open_unix_connection("\0arena"))):
            self.worked.append("a connection by a name")

    def act(self, view, moves):
        if self.worked:
            raise AssertionError(f"not stopped: {', '.join(self.worked)}")
        return moves[0]


def works(attempt):
    try:
        attempt()
    except OSError:
        return False
    return True
