"""Worker of a load-balanced endpoint: an HTTP server of the standard library."""

import json
import os
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PORT = int(os.environ.get("PORT", "80"))
HEALTH_CHECK_PATH = os.environ.get("HEALTH_CHECK_PATH", "/ping")
GREETING = os.environ.get("GREETING", "Hello")
LOAD_SECONDS = float(os.environ.get("LOAD_SECONDS", "0"))

# Set once the worker has loaded. The health path answers 204 before that and 200 afterward. Requests wait for a 200.
ready = threading.Event()


class Worker(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == HEALTH_CHECK_PATH:
            self.send_response(200 if ready.is_set() else 204)
            self.end_headers()
        elif url.path == "/count":
            self.count(int(parse_qs(url.query).get("to", ["5"])[0]))
        else:
            self.not_found()

    def do_POST(self):
        if self.path == "/greet":
            self.greet()
        else:
            self.not_found()

    def greet(self):
        """Answers {"name": "world"} with {"greeting": "Hello, world!"}."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            name = json.loads(body or "{}").get("name", "world")
        except json.JSONDecodeError as error:
            self.send_json(400, {"error": "invalid JSON", "detail": str(error)})
            return
        print(f"greeting {name}")
        self.send_json(200, {"greeting": f"{GREETING}, {name}!"})

    def count(self, to):
        """Counts to `to`, one line per second. Stops when the client disconnects."""
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        try:
            for number in range(1, to + 1):
                self.wfile.write(f"{number}\n".encode())
                print(f"counted {number} of {to}")
                if number < to:
                    time.sleep(1)
        except ConnectionError:
            print("the client disconnected")

    def not_found(self):
        self.send_json(404, {"error": "not found", "detail": f"no route matches {self.command} {self.path}"})

    def send_json(self, status, value):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def log_request(self, code="-", size="-"):
        """Prints nothing, because health checks would fill the log."""


def load():
    print(f"loading for {LOAD_SECONDS:g} s")
    time.sleep(LOAD_SECONDS)
    ready.set()


# Listens on all interfaces, because the load balancer is outside of the container.
server = ThreadingHTTPServer(("0.0.0.0", PORT), Worker)
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
threading.Thread(target=load, daemon=True).start()
print(f"listening on port {PORT}")
server.serve_forever()
