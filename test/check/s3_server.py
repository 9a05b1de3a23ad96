"""An S3 server for test/check/remote_s3.sh: PUT and GET of objects in one bucket, which checks each request's signature
(AWS Signature Version 4) by the standard library alone. s3_server.py FOLDER REGION KEY SECRET [TOKEN]: writes its port."""

import hashlib
import hmac
import http.server
import pathlib
import sys
import urllib.parse

folder, region, access, secret = sys.argv[1:5]
token = sys.argv[5] if len(sys.argv) > 5 else None
folder = pathlib.Path(folder)


def sign(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signature(handler, headers, scope, date):
    """Of a request, as AWS's documentation computes it."""
    url = urllib.parse.urlsplit(handler.path)
    canonical = "\n".join([
        handler.command, url.path, url.query,
        *(f"{name}:{' '.join(handler.headers[name].split())}" for name in headers), "", ";".join(headers), handler.headers["x-amz-content-sha256"]])
    text = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + secret).encode()
    for part in scope.split("/"):
        key = sign(key, part)
    return sign(key, text).hex()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refused(self):
        """Why it is not let in, or None."""
        kind, _, rest = self.headers.get("Authorization", "").partition(" ")
        fields = dict(part.strip().partition("=")[::2] for part in rest.split(","))
        who, _, scope = fields.get("Credential", "").partition("/")
        names = fields.get("SignedHeaders", "").split(";")
        if kind != "AWS4-HMAC-SHA256" or who != access or scope.split("/")[1:] != [region, "s3", "aws4_request"]:
            return f"credential {who}/{scope}"
        if not {"host", "x-amz-content-sha256", "x-amz-date"} <= set(names) or names != sorted(names):
            return f"headers {names}"
        if self.headers["x-amz-content-sha256"] != "UNSIGNED-PAYLOAD":
            return "the hash of the body"
        if token and (self.headers.get("x-amz-security-token") != token or "x-amz-security-token" not in names):
            return "token"
        if not hmac.compare_digest(signature(self, names, scope, self.headers["x-amz-date"]), fields.get("Signature", "")):
            return "signature"
        return None

    def do_GET(self):
        path, why = folder / self.path.lstrip("/").replace("/", "_"), self.refused()
        if why:
            (folder / "refused").write_text(why)
            return self.answer(403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>")
        return self.answer(200, path.read_bytes()) if path.exists() else self.answer(404)

    def do_PUT(self):
        body, why = self.rfile.read(int(self.headers["Content-Length"])), self.refused()
        if why:
            (folder / "refused").write_text(why)
            return self.answer(403)
        (folder / self.path.lstrip("/").replace("/", "_")).write_bytes(body)
        return self.answer(200)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
(folder / "port.new").write_text(str(server.server_port))
(folder / "port.new").rename(folder / "port")
server.serve_forever()
