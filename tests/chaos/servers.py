"""An HTTP server on loopback: /ac/ and /cas/ of a remote, /up/ for archives. With `faults` it answers some requests wrongly."""
import hashlib
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

GET_FAULTS = ("500", "403", "404", "cut", "wrong", "stall", "empty")
PUT_FAULTS = ("500", "403", "stall", "lost", "wrong")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def _file(self):
        name = self.path.lstrip("/")
        return None if ".." in name else self.server.root / name

    def _answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _refused(self, fault):
        if fault == "stall":
            self.server.released.wait(5)
            self.close_connection = True
        elif fault in ("500", "403", "404"):
            self._answer(int(fault))
        else:
            return False
        return True

    def do_GET(self):
        fault = self.server.next_fault(GET_FAULTS)
        if self._refused(fault):
            return
        file = self._file()
        if file is None or not file.is_file():
            self._answer(404)
            return
        body = file.read_bytes()
        if fault == "cut" and body:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return
        if fault == "wrong" and body:
            body = flipped(body, len(body) // 2)
        self._answer(200, b"" if fault == "empty" else body)

    do_HEAD = do_GET

    def do_PUT(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) != length:
            self.close_connection = True
            return
        fault = self.server.next_fault(PUT_FAULTS)
        if self._refused(fault):
            return
        self.server.note_upload(self.path, body)
        file = self._file()
        if fault != "lost" and file is not None:
            self.server.keep(file, flipped(body, 0) if fault == "wrong" and body else body)
        self._answer(201)


def flipped(body, at):
    return body[:at] + bytes([body[at] ^ 1]) + body[at + 1:]


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, root, seed):
        super().__init__(("127.0.0.1", 0), Handler)
        self.root = Path(root)
        self.random = random.Random(seed)
        self.guard = threading.Lock()
        self.released = threading.Event()
        self.share = 0.0  # of the requests that are answered wrongly
        self.faults = {}
        self.wrong_uploads = []
        for folder in ("ac", "cas", "up"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_):
        pass  # a client that was killed

    def next_fault(self, kinds):
        with self.guard:
            if self.random.random() >= self.share:
                return ""
            fault = self.random.choice(kinds)
            self.faults[fault] = self.faults.get(fault, 0) + 1
            return fault

    def misbehave(self, share):
        self.released.clear()
        self.share = share

    def behave(self):
        self.share = 0.0
        self.released.set()

    def note_upload(self, path, body):
        name = path.rsplit("/", 1)[-1]
        if path.startswith("/cas/") and hashlib.sha256(body).hexdigest() != name:
            self.wrong_uploads.append(name)

    def keep(self, file, body):
        with self.guard:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)

    def stop(self):
        self.behave()
        self.shutdown()
        self.server_close()
