#!/usr/bin/env python3
"""An MCP server for tests: JSON-RPC over stdin and stdout, with bad manners by argument.

With `--http` it listens on a free loopback port, prints it, and speaks streamable HTTP.
"""
import json
import os
import signal
import subprocess
import sys
import time

MODE = next((word for word in sys.argv[1:] if not word.startswith("--")), "good")
TOOLS = [
    ("echo", "Says what it was given.", {"text": {"type": "string"}}),
    ("fail", "Fails, and says why.", {"text": {"type": "string"}}),
    ("refuse", "Answers with an error of the protocol.", {}),
    ("picture", "Hands back a picture and a resource.", {}),
    ("structured", "Hands back structured content alone.", {}),
    ("arguments", "Says what it was called with, as JSON.", {}),
    ("variable", "Says what a variable is.", {"name": {"type": "string"}}),
    ("pid", "Says its number.", {}),
    ("child", "Starts a process that stays, and says its number.", {}),
    ("die", "Dies with code 3.", {}),
    ("hang", "Never answers.", {}),
    ("freeze", "Never does anything again.", {}),
    ("big", "Says a lot.", {"count": {"type": "integer"}}),
    ("ask", "Asks the user for a name.", {}),
    ("open", "Asks the user to open an address.", {}),
    ("grow", "Has one more tool from now on.", {}),
    ("flood", "Sends notices without end.", {}),
    ("shout", "Prints a line without end.", {}),
    ("pester", "Asks questions without end.", {}),
]
RETURNS = {"next": 1000}


def say(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def listed():
    for name, description, properties in TOOLS:
        yield {
            "name": name,
            "description": description,
            "inputSchema": {"type": "object", "properties": properties},
        }


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def elicit(asked):
    """Asks the user, and waits for the answer. Whatever else comes meanwhile is answered."""
    number = RETURNS["next"] = RETURNS["next"] + 1
    say({"id": number, "method": "elicitation/create", "params": asked})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == number and "method" not in message:
            return json.dumps(message.get("result", message.get("error")), sort_keys=True)
        handle(message)
    sys.exit(0)


def flood(line):
    while True:
        sys.stdout.write(line)


def call(name, arguments):
    if name == "echo":
        return text(arguments.get("text", ""))
    if name == "fail":
        return text(arguments.get("text", "it failed"), isError=True)
    if name == "picture":
        resource = {"uri": "file:///notes", "mimeType": "text/plain", "text": "some notes"}
        return {"content": [
            {"type": "text", "text": "look:"},
            {"type": "image", "data": "AAAA" * 100, "mimeType": "image/png"},
            {"type": "resource", "resource": resource},
        ]}
    if name == "structured":
        return {"content": [], "structuredContent": {"temperature": 21}}
    if name == "arguments":
        return text(json.dumps(arguments, sort_keys=True))
    if name == "variable":
        return text(os.environ.get(arguments["name"], "(unset)"))
    if name == "pid":
        return text(str(os.getpid()))
    if name == "child":
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        return text(str(child.pid))
    if name == "die":
        sys.stderr.write("something terrible happened\n")
        sys.stderr.flush()
        os._exit(3)
    if name == "hang":
        return None
    if name == "freeze":
        time.sleep(600)
    if name == "big":
        return text("x" * arguments["count"])
    if name == "ask":
        schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
        return text(elicit({"message": "Who are you?", "requestedSchema": schema}))
    if name == "open":
        asked = {"mode": "url", "message": "Sign in.", "url": "https://example.org/in", "elicitationId": "e1"}
        return text(elicit(asked))
    if name == "grow":
        TOOLS.append(("grown", "Was not there before.", {}))
        say({"method": "notifications/tools/list_changed"})
        return text("grown")
    if name == "grown":
        return text("at your service")
    if name == "flood":
        flood(json.dumps({"jsonrpc": "2.0", "method": "notifications/message",
                          "params": {"level": "info", "data": "x" * 200}}) + "\n")
    if name == "shout":
        flood("x" * 65536)
    if name == "pester":
        number = 5000
        while True:
            number += 1
            say({"id": number, "method": "elicitation/create",
                 "params": {"message": "?", "requestedSchema": {"type": "object", "properties": {}}}})
    return text("no such tool: " + name, isError=True)


def answer(message):
    """The result or the error of a request; nothing where it is never answered."""
    method = message["method"]
    if method == "initialize":
        return {"result": {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "test", "version": "1"},
        }}
    if method == "ping":
        return {"result": {}}
    if method == "tools/list":
        if MODE == "no-list":
            return {"error": {"code": -32603, "message": "there is no list today"}}
        return {"result": {"tools": list(listed())}}
    if method == "tools/call":
        params = message["params"]
        if params["name"] == "refuse":
            return {"error": {"code": -32602, "message": "not with me"}}
        result = call(params["name"], params.get("arguments") or {})
        return None if result is None else {"result": result}
    return {"error": {"code": -32601, "message": "no such method: " + method}}


def handle(message):
    if "method" in message and "id" in message:
        answered = answer(message)
        if answered is not None:
            say({"id": message["id"], **answered})


def misbehave():
    if MODE == "silent":
        time.sleep(600)
    if MODE == "dies":
        sys.stderr.write("no configuration found\n")
        sys.exit(7)
    if MODE == "floods-stdout":
        flood("this is no message\n")
    if MODE == "shouts":
        flood("x" * 65536)
    if MODE == "floods-stderr":
        if os.fork() == 0:
            while True:
                os.write(2, b"y" * 65536)
    if MODE == "chatty":
        print("Welcome to the server!\n\n{not json}\n[1, 2, 3]\n\"text\"", flush=True)
    if MODE == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def serve():
    misbehave()
    for line in sys.stdin:
        handle(json.loads(line))
    if MODE == "stubborn":
        time.sleep(600)


def serve_http():
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def send(self, status, kind, body, **headers):
            self.send_response(status)
            if kind:
                self.send_header("Content-Type", kind)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.send(405, None, b"")

        def do_DELETE(self):
            print("deleted " + self.headers.get("Mcp-Session-Id", ""), flush=True)
            self.send(200, None, b"")

        def do_POST(self):
            message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if MODE == "locked":
                return self.send(401, None, b"", WWW_Authenticate='Bearer realm="x"')
            if MODE == "redirects":
                return self.send(307, None, b"", Location="http://127.0.0.1:1/elsewhere")
            if MODE == "broken":
                return self.send(500, "text/plain", b"out of order")
            if "id" not in message or "method" not in message:
                return self.send(202, None, b"")
            tool = message.get("params", {}).get("name")
            if tool == "hang":
                time.sleep(600)
            if tool == "shout":
                return self.endless("application/json", b"x" * 65536)
            if tool == "flood":
                return self.endless("text/event-stream", b"data: " + b"x" * 65536)
            if tool == "headers":
                answered = {"result": text(self.headers.get("X-Token", "(none)"))}
            else:
                answered = answer(message)
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], **answered}).encode()
            more = {"Mcp_Session_Id": "s1"} if message["method"] == "initialize" else {}
            if MODE == "streams":
                notice = json.dumps({"jsonrpc": "2.0", "method": "notifications/message",
                                     "params": {"level": "info", "data": "first"}}).encode()
                body = b"event: message\ndata: " + notice + b"\n\nevent: message\ndata: " + body + b"\n\n"
                return self.send(200, "text/event-stream", body, **more)
            self.send(200, "application/json", body, **more)

        def endless(self, kind, chunk):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Connection", "close")
            self.end_headers()
            try:
                while True:
                    self.wfile.write(chunk)
            except OSError:
                self.close_connection = True

    TOOLS.append(("headers", "Says what a header was.", {}))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    try:
        serve_http() if "--http" in sys.argv else serve()
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(0)
