#!/usr/bin/env python3
"""http-endpoint - a model's endpoint on loopback, for tests of assess and search

http-endpoint FOLDER [PORT]

Serves POST /v1/chat/completions and /v1/embeddings on that or a free port of 127.0.0.1,
written to FOLDER/port once it listens.  FOLDER/mode says how it answers, read anew for
each request; FOLDER/requests gets a JSON line for each.  Ends with its input.
"""
import http.server
import json
import os
import sys
import threading
import time

FOLDER = sys.argv[1]
LOCK = threading.Lock()
LEFT = {}


def mode():
    with open(os.path.join(FOLDER, "mode")) as f:
        return f.read().split()


def record(what):
    with LOCK, open(os.path.join(FOLDER, "requests"), "a") as f:
        f.write(json.dumps(what) + "\n")


def good(name, given):
    """What a model that understands the question says."""
    if name == "act":
        return {"act": "request", "confidence": 0.9}
    if name == "wording":
        return {"summary": "Reworded: " + given["summary"],
                "resolution": given["resolution"] and "Reworded: " + given["resolution"]}
    if name == "summary":
        return {"micro": "Reworded: " + given["micro"], "meso": "Reworded: " + (given["meso"] or "none")}
    return {"related": True, "confidence": 0.92,
            "reasoning": "Both ask about the weather.", "key_signals": ["weather"]}


def text(how, name, given):
    right = good(name, given)
    return {
        "prose": "I think these are quite related.",
        "cut": json.dumps(right)[:-3],
        "array": json.dumps([right]),
        "missing": json.dumps(dict(list(right.items())[1:])),
        "extra": json.dumps({**right, "mood": "fine"}),
        "type": json.dumps({**right, **{k: str(v) for k, v in right.items() if not isinstance(v, str)},
                            "resolution": 7} if name == "wording" else
                           {k: [v] for k, v in right.items()}),
        "range": json.dumps({**right, "confidence": 1.7}),
        "fenced": "<think>hm, {\"act\":1}</think>\n```json\n" + json.dumps(right) + "\n```\n",
    }.get(how, json.dumps(right))


def vector(words):
    """32 numbers: words of one matter point the same way, in eight of them."""
    out = [0.01] * 32
    for word in words.lower().split():
        for at, matter in enumerate((("education", "schooling", "studies"), ("garden", "plants"))):
            for i in range(8 * at, 8 * at + 8):
                out[i] += word.strip(".,?!") in matter
        for i in range(4):
            out[16 + 4 * (len(word) % 4) + i] += 0.2
    return out


class Endpoint(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = json.loads(body)
        how, *rest = mode()
        if self.path.endswith("/embeddings"):
            record({"path": self.path, "key": self.headers.get("Authorization"), "model": asked["model"],
                    "texts": len(asked["input"])})
            if how == "few":  # so many, and then none
                LEFT.setdefault("n", int(rest[0]))
                LEFT["n"] -= 1
                how = "500" if LEFT["n"] < 0 else how
            if how.isdigit():
                return self.reply(int(how), b'{"error":{"message":"no"}}')
            data = [{"object": "embedding", "index": i, "embedding": vector(t)} for i, t in enumerate(asked["input"])]
            return self.reply(200, json.dumps({"object": "list", "model": asked["model"], "data": data[::-1]}).encode())
        form = asked["response_format"]["json_schema"]
        given = json.loads(asked["messages"][1]["content"])
        record({"path": self.path, "key": self.headers.get("Authorization"), "mode": how,
                "at": time.time(), "name": form["name"], "given": given, "asked": asked})
        if how.isdigit():
            headers = [("Retry-After", rest[0])] if rest else []
            return self.reply(int(how), b'{"error":{"message":"no"}}', headers)
        if how == "slow":
            time.sleep(float(rest[0]))
        elif how == "mute":
            time.sleep(600)
        elif how == "hangup":
            self.close_connection = True
            return None
        elif how == "moved":
            return self.reply(307, b"", [("Location", "http://127.0.0.1:1/")])
        elif how == "garbage":
            return self.reply(200, b"<html>hello</html>")
        elif how == "empty":
            return self.reply(200, b'{"choices":[]}')
        elif how == "huge":
            return self.reply(200, b'{"x":"' + b"y" * 3000000 + b'"}')
        return self.reply(200, json.dumps({
            "id": "c1", "object": "chat.completion", "model": "tester-1",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {
                "role": "assistant", "content": text(how, form["name"], given)}}],
            "usage": {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100},
        }).encode())


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that hangs up is part of the tests


server = Server(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Endpoint)
threading.Thread(target=server.serve_forever, daemon=True).start()
with open(os.path.join(FOLDER, "port.new"), "w") as f:
    f.write(str(server.server_address[1]))
os.rename(os.path.join(FOLDER, "port.new"), os.path.join(FOLDER, "port"))
sys.stdin.read()
