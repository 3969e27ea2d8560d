"""A server on a socket that answers connections as a script says."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from types import TracebackType

Script = Callable[["Connection"], None]


class Connection:
    """One connection that a client opened."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.buffer = b""

    def request(self) -> tuple[str, dict[str, str], bytes] | None:
        """Read a request: its first line, headers in lower case, body."""
        while b"\r\n\r\n" not in self.buffer:
            if not self._more():
                return None
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", 0))
        while len(self.buffer) < length and self._more():
            pass
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return first, headers, body

    def _more(self) -> bool:
        piece = self.sock.recv(65536)
        self.buffer += piece
        return bool(piece)

    def answer(self, status: int, body: bytes = b"", *headers: str, length: int | None = None) -> None:
        """Write an answer; `length` announces another one than the body has."""
        lines = [
            f"HTTP/1.1 {status} X",
            f"Content-Length: {len(body) if length is None else length}",
            *headers,
        ]
        self.sock.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


class Server:
    """Answers each connection by the next script; the last one goes on for ever."""

    def __init__(self, *scripts: Script) -> None:
        self._scripts = list(scripts)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self.connections = 0
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/api/v1"

    def __enter__(self) -> Server:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in self._open:
            sock.close()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(sock)
            script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
            threading.Thread(target=self._serve, args=(sock, script), daemon=True).start()

    def _serve(self, sock: socket.socket, script: Script) -> None:
        with sock:
            try:
                script(Recording(sock, self))
            except OSError:
                pass


class Recording(Connection):
    """A connection whose requests the server remembers."""

    def __init__(self, sock: socket.socket, server: Server) -> None:
        super().__init__(sock)
        self._server = server

    def request(self) -> tuple[str, dict[str, str], bytes] | None:
        found = super().request()
        if found is not None:
            self._server.requests.append(found)
        return found


def answering(*answers: tuple[int, bytes] | tuple[int, bytes, str]) -> Script:
    """Answer the requests of a connection one by one, the last answer for ever."""
    left = list(answers)

    def script(connection: Connection) -> None:
        while connection.request() is not None:
            status, body, *headers = left.pop(0) if len(left) > 1 else left[0]
            connection.answer(status, body, *headers)

    return script
