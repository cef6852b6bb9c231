"""A member in another program: it finds its peers by their names, says a word to each of them twice a second, and tells
its harness in lines. Some do harm, as the test asks: it is named so."""

import json
import os
import signal
import socket
import sys
import threading
import time


def tell(**fact: object) -> None:
    say(json.dumps({"t": time.monotonic_ns() // 1000, **fact}))


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def listen(port: int) -> None:
    server = socket.create_server(("127.0.0.1", port))

    def serve() -> None:
        while True:
            peer, _ = server.accept()
            threading.Thread(target=swallow, args=(peer,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()


def swallow(peer: socket.socket) -> None:
    while peer.recv(1 << 16):
        peer.sendall(b"heard")


def talk(address: str, hosts: str) -> None:
    name, _, port = address.rpartition(":")
    while True:
        try:
            with open(hosts, encoding="utf-8") as file:  # noqa: PTH123 - only what is in Python
                host = {line.split()[1]: line.split()[0] for line in file}[name]
            with socket.create_connection((host, int(port))) as peer:
                while True:
                    peer.sendall(b"a word")
                    time.sleep(0.5)
        except (OSError, KeyError):
            time.sleep(0.1)


def main(hosts: str, does: str) -> None:
    if does == "ends at once":
        sys.exit("there is no room for me")
    for line in sys.stdin:
        order = json.loads(line)
        match order["do"]:
            case "run" if does == "cannot run":
                tell(kind="cannot-run", reason="my port is not to my liking")
            case "run":
                listen(order["port"])
                for address in order["others"]:
                    threading.Thread(target=talk, args=(address, hosts), daemon=True).start()
                tell(kind="running")
            case "leave" if does == "never leaves":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                tell(kind="leaving")
                while True:
                    signal.pause()
            case "leave":
                tell(kind="left")
                os._exit(0)
            case "ping":
                tell(kind="pong", number=order["number"])
            case "misbehave" if does == "garbage":
                say("Exception in thread main")
            case "misbehave" if does == "much garbage":
                say("garbage " * 10_000)
            case "misbehave" if does == "dies":
                sys.stderr.write("Terminating due to java.lang.OutOfMemoryError: Java heap space\n")
                sys.stderr.flush()
                os._exit(3)
            case "misbehave" if does == "odd":
                tell(kind="odd")
            case "misbehave":
                os.close(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
