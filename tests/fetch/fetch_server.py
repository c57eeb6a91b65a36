"""A server on this machine that can misbehave, for tests/fetch/fetch.py.

An address is /MODE/NAME.  Files are in Server.files; what was asked for is in Server.log.
"""
import email.utils
import http.server
import ssl
import threading
import time

MODIFIED = 1500000000


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def head(self, status, headers, length):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def fail(self, status, **headers):
        body = b"<html>no</html>"
        self.head(status, {"Content-Type": "text/html", **headers}, len(body))
        self.wfile.write(body)

    def start_of(self, data):
        """Where the answer begins: 0 where it may not be a part."""
        asked, unless = self.headers.get("Range"), self.headers.get("If-Range")
        if not asked or self.mode == "norange":
            return 0
        if unless and unless != email.utils.formatdate(self.server.modified, usegmt=True):
            return 0
        start = int(asked.split("=")[1].rstrip("-"))
        return start if start < len(data) else -1

    def send_data(self, data, drip=None, stop=None, length=True, kind="application/octet-stream"):
        start = self.start_of(data)
        if start < 0:
            return self.fail(416)
        headers = {"Content-Type": kind,
                   "Last-Modified": email.utils.formatdate(self.server.modified, usegmt=True)}
        if start:
            told = start + 1 if self.mode == "shifted" else start
            headers["Content-Range"] = "bytes %d-%d/%d" % (told, len(data) - 1, len(data))
        told = (1 << 63) - 500 if self.mode == "huge" else len(data) - start
        self.head(206 if start else 200, headers, told if length else None)
        rest = data[start:] if stop is None else data[start:start + stop]
        try:
            if not drip:
                self.wfile.write(rest)
            for at in range(0, len(rest) if drip else 0, drip or 1):
                self.wfile.write(rest[at:at + drip])
                time.sleep(0.05)
        except OSError:
            pass                        # the other side went

    def do_GET(self):
        self.mode, _, name = self.path[1:].partition("/")
        mode, server = self.mode, self.server
        server.log.append((mode, name, self.headers.get("Range")))
        seen = sum(entry[:2] == (mode, name) for entry in server.log)
        data = server.files.get(name)
        if data is None:
            return self.fail(404)
        if mode == "hang":
            return time.sleep(3)
        if mode == "close":
            self.close_connection = True
            return None
        if mode.isdigit():
            return self.fail(int(mode))
        if mode == "twice503" and seen < 3:
            return self.fail(503, **{"Retry-After": "0"})
        if mode == "loop":
            return self.fail(302, Location="/loop/" + name)
        if mode == "moved":
            return self.fail(302, Location="/ok/" + name)
        if mode == "elsewhere":
            return self.fail(302, Location=server.elsewhere + name)
        if mode == "tofile":
            return self.fail(302, Location="file:///etc/passwd")
        if mode == "toftp":
            return self.fail(302, Location="ftp://127.0.0.1/" + name)
        if mode == "badlength":
            return self.head(200, {"Content-Length": "1e3\u00b2".encode().decode("latin-1")}, None)
        if mode == "words":             # a status line with codes of the terminal
            self.close_connection = True
            return self.wfile.write(b"HTTP/1.1 404 \x1b[31mrun this\r\nContent-Length: 0\r\n\r\n")
        if mode == "nonsense":
            self.close_connection = True
            return self.wfile.write(b"\x1b[31m gopher\r\n\r\n")
        if mode == "slowhead":          # a header that never ends
            self.close_connection = True
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
            for _ in range(200):
                self.wfile.write(b"x")
                time.sleep(0.05)
            return None
        if mode == "page":
            return self.send_data(b"<html>hello</html>", kind="text/html; charset=utf-8")
        if mode == "hiddenpage":
            return self.send_data(b"\n <!DOCTYPE html><p>hello", length=False)
        if mode == "empty":
            return self.head(204 if seen > 1 else 200, {}, 0)
        if mode == "longer":
            return self.send_data(data + b"x")
        if mode == "endless":
            return self.send_data(data + b"x" * 100000, length=False)
        if mode == "wrong":
            return self.send_data(data[:-1] + bytes([data[-1] ^ 1]))
        if mode == "pieces":
            return self.send_data(data, stop=100000)
        if mode in ("broken", "norange"):
            return self.send_data(data, stop=None if mode == "norange" else len(data) // 2)
        if mode == "nolength":
            return self.send_data(data, length=False)
        if mode == "chunk":             # and then nothing, not even the chunk that ends it
            self.head(200, {"Transfer-Encoding": "chunked"}, None)
            return self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        if mode == "short":
            return self.send_data(data[:len(data) // 2], length=False)
        if mode == "stall":
            self.send_data(data, stop=len(data) // 2)
            return time.sleep(3)
        if mode == "drip":
            return self.send_data(data, drip=max(len(data) // 60, 1))
        return self.send_data(data)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, files, certificate=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.log, self.modified = files, [], MODIFIED
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.url = "%s://127.0.0.1:%d/" % ("https" if certificate else "http", self.server_port)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request, client_address):
        pass                            # a client that does not trust us, or went away
