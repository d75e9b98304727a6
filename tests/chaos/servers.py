"""An HTTP server on loopback: /ac/ and /cas/ of a remote, /up/ for archives, with ranges. With `faults` it answers some requests
wrongly."""
import hashlib
import random
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

GET_FAULTS = ("500", "403", "404", "cut", "cut", "cut", "wrong", "stall", "empty")
RANGE_FAULTS = ("500", "cut", "wrong", "empty", "wrong start of range", "short range", "other ETag of range")
PUT_FAULTS = ("500", "403", "stall", "lost", "wrong")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def _file(self):
        name = self.path.lstrip("/")
        return None if ".." in name else self.server.root / name

    def _answer(self, status, body=b"", headers=(), is_cut=False):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if is_cut else body)
        if is_cut:
            self.close_connection = True

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
        fault = self.server.next_fault(RANGE_FAULTS if "Range" in self.headers else GET_FAULTS)
        if self._refused(fault):
            return
        file = self._file()
        if file is None or not file.is_file():
            self._answer(404)
            return
        body = file.read_bytes()
        etag = f'"{hashlib.sha256(body).hexdigest()}"'
        start = self._start_of_range(etag, len(body))
        if fault == "wrong" and body:
            body = flipped(body, (len(body) + start) // 2)
        if start:
            self._answer_range(body, start, etag, fault)
        else:
            self._answer(200, b"" if fault == "empty" else body, [("ETag", etag)], is_cut=fault == "cut")

    def _start_of_range(self, etag, size):
        """0: the whole file, since no rest of it was asked for, or of another version."""
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(asked[1]) if asked and self.headers.get("If-Range", etag) == etag else 0
        return start if start < size else 0

    def _answer_range(self, body, start, etag, fault):
        end = len(body)
        if fault == "wrong start of range":
            start -= 1
        elif fault == "short range":
            end -= (end - start) // 2
        elif fault == "other ETag of range":
            body, etag = flipped(body, start), '"other"'
        self.server.note_resumed()
        headers = [("ETag", etag), ("Content-Range", f"bytes {start}-{end - 1}/{len(body)}")]
        self._answer(206, b"" if fault == "empty" else body[start:end], headers, is_cut=fault == "cut")

    do_HEAD = do_GET

    def do_PUT(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) != length:
            self.close_connection = True
            return
        self.server.note_upload(self.path, body)
        fault = self.server.next_fault(PUT_FAULTS)
        if self._refused(fault):
            return
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
        self.resumed = 0  # downloads that asked for the rest of a file and got one
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

    def note_resumed(self):
        with self.guard:
            self.resumed += 1

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
