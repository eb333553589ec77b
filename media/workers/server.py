"""Worker of a load-balanced endpoint: an HTTP server of the standard library."""

import json
import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT = int(os.environ.get("PORT", "80"))
HEALTH_CHECK_PATH = os.environ.get("HEALTH_CHECK_PATH", "/ping")
GREETING = os.environ.get("GREETING", "Hello")


class Worker(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == HEALTH_CHECK_PATH:
            self.send_json(200, {"status": "ready"})
        else:
            self.not_found()

    def do_POST(self):
        if self.path == "/greet":
            self.greet()
        else:
            self.not_found()

    def greet(self):
        """Responds to {"name": "world"} with {"greeting": "Hello, world!"}."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            name = json.loads(body or "{}").get("name", "world")
        except (AttributeError, ValueError):
            self.send_json(400, {"error": "the body must be a JSON object"})
            return
        print(f"greeting {name}")
        self.send_json(200, {"greeting": f"{GREETING}, {name}!"})

    def not_found(self):
        self.send_json(404, {"error": f"no route matches {self.command} {self.path}"})

    def send_json(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code="-", size="-"):
        """Prints nothing, because health checks would fill the log."""


# Slow initialization, such as loading a model, belongs before this line. Requests wait until the
# health check responds with 200.
# The server listens on all interfaces, because the load balancer is outside of the container.
server = ThreadingHTTPServer(("0.0.0.0", PORT), Worker)
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
print(f"listening on port {PORT}")
server.serve_forever()
