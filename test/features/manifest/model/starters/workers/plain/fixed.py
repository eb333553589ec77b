from http.server import HTTPServer, SimpleHTTPRequestHandler

port = 9000
HTTPServer(("", port), SimpleHTTPRequestHandler).serve_forever()
