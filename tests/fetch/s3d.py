"""s3d.py - a stub of S3, for the test of prof-fetch: it serves the files of a
folder as the objects of a bucket, and checks the signature of each request by
code of its own.

        s3d.py FOLDER LOG [PAGE]

Its port, on 127.0.0.1, is printed. A request and what became of it is a line of
LOG. Lists have PAGE keys (1000) a page. Credentials are those of the test. Some
buckets are special: "cut", "page" and "moved" give bad answers, "slow" takes a
second for each page of its list.
"""
import hashlib
import hmac
import os
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

KEY_ID, SECRET, TOKEN = "AKIDTEST", "s3cr3t/+key", "t0ken=="
folder, log = sys.argv[1:3]
page = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
lock = threading.Lock()


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def quote(text, safe=""):
    return urllib.parse.quote(text, safe="-_.~" + safe)


def canonical_query(query):
    pairs = [part.partition("=") for part in query.split("&") if part]
    return "&".join(sorted(quote(urllib.parse.unquote(k)) + "=" +
                           quote(urllib.parse.unquote(v)) for k, _, v in pairs))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def send(self, code, body, kind="application/xml", more=()):
        with lock, open(log, "a") as f:
            f.write("%s %s %d\n" % (self.command, self.path, code))
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in more:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, code, why):
        """With what AWS repeats of the request, which must not be shown."""
        self.send(code, ("<?xml version=\"1.0\"?>\n<Error><Code>%s</Code>"
                         "<Message>no</Message><AWSAccessKeyId>%s"
                         "</AWSAccessKeyId></Error>" % (why, KEY_ID)).encode())

    def wrong(self, path, query):
        """What is wrong with the signature, or None."""
        given = self.headers.get("Authorization", "")
        if not given.startswith("AWS4-HMAC-SHA256 "):
            return "AccessDenied"
        part = dict(p.strip().split("=", 1)
                    for p in given[len("AWS4-HMAC-SHA256 "):].split(","))
        scope = part["Credential"].split("/")
        if scope[0] != KEY_ID:
            return "InvalidAccessKeyId"
        if scope[3:] != ["s3", "aws4_request"]:
            return "AuthorizationHeaderMalformed"
        signed = part["SignedHeaders"].split(";")
        want = {"host", "x-amz-content-sha256", "x-amz-date"}
        if self.headers.get("x-amz-security-token"):
            want.add("x-amz-security-token")
            if self.headers["x-amz-security-token"] != TOKEN:
                return "InvalidToken"
        if set(signed) != want or signed != sorted(signed):
            return "AccessDenied"
        if (self.headers["x-amz-content-sha256"] !=
                hashlib.sha256(b"").hexdigest()):
            return "XAmzContentSHA256Mismatch"
        text = "\n".join(
            [self.command, quote(urllib.parse.unquote(path), "/"),
             canonical_query(query)] +
            ["%s:%s" % (h, " ".join(self.headers[h].split())) for h in signed] +
            ["", ";".join(signed), self.headers["x-amz-content-sha256"]])
        key = ("AWS4" + SECRET).encode()
        for word in scope[1:]:
            key = mac(key, word)
        text = "\n".join(["AWS4-HMAC-SHA256", self.headers["x-amz-date"],
                          "/".join(scope[1:]),
                          hashlib.sha256(text.encode()).hexdigest()])
        if not hmac.compare_digest(mac(key, text).hex(), part["Signature"]):
            return "SignatureDoesNotMatch"
        return None

    def list(self, bucket, query):
        want = dict(urllib.parse.parse_qsl(query))
        prefix, token = want.get("prefix", ""), want.get("continuation-token")
        keys = sorted(k for k in os.listdir(folder)
                      if k.startswith(prefix.replace("/", "|")))
        start = int(token.split("+")[1]) if token else 0
        more = start + page < len(keys)
        body = ("<?xml version=\"1.0\"?>\n<ListBucketResult xmlns=\"x\">"
                "<Prefix>%s</Prefix><IsTruncated>%s</IsTruncated>" %
                (escape(prefix), "true" if more else "false"))
        if more:
            body += ("<NextContinuationToken>a=&amp;+%d</NextContinuationToken>"
                     % (start + page))
        for k in keys[start:start + page]:
            body += ("<Contents><Key>%s</Key><Size>1</Size></Contents>" %
                     escape(k.replace("|", "/")))
        body += ("<Contents><Key>%sfolder/</Key></Contents></ListBucketResult>"
                 % escape(prefix))
        body = body.encode()
        self.send(200, body[:-30] if bucket == "cut" else body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        bucket, _, key = urllib.parse.unquote(path)[1:].partition("/")
        why = self.wrong(path, query)
        if bucket == "moved":
            self.send(301, b"", more=[("Location", "http://127.0.0.1:1/x")])
        elif bucket == "page":
            self.send(200, b"<html>a page</html>", "text/html")
        elif why:
            self.refuse(403, why)
        elif not key:
            time.sleep(bucket == "slow")
            self.list(bucket, query)
        else:
            try:
                with open(os.path.join(folder, key.replace("/", "|")),
                          "rb") as f:
                    self.send(200, f.read(), "application/octet-stream")
            except OSError:
                self.refuse(404, "NoSuchKey")


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
