"""Pytest fixtures for Trunkline: a server for the session, and a world of its own for every test.

Only the standard library is used. `trunkline` is the server, `world` a fresh sandbox. With TRUNKLINE_URL and
TRUNKLINE_API_KEY set, nothing is started: a container or another process serves.
"""

import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

try:
    import pytest
except ImportError:  # The classes can be used without pytest.
    pytest = None


class TrunklineError(Exception):
    """A request to `/sandbox/v1` was refused."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status = status


class Control:
    """Requests to `/sandbox/v1` of a server or a world."""

    def __init__(self, url, api_key):
        self.url = url.rstrip("/")
        self.api_key = api_key

    def send(self, method, path, body=None, **query):
        given = {name: value for name, value in query.items() if value is not None}
        suffix = f"?{urllib.parse.urlencode(given)}" if given else ""
        content = None if body is None else json.dumps(body).encode()
        headers = {"api-key": self.api_key}
        if content is not None:
            headers["content-type"] = "application/json"
        request = urllib.request.Request(
            f"{self.url}/sandbox/v1{path}{suffix}", data=content, method=method, headers=headers
        )
        try:
            with urllib.request.urlopen(request, timeout=300) as response:
                text = response.read()
        except urllib.error.HTTPError as refused:
            text = refused.read().decode(errors="replace")
            try:
                reason = json.loads(text)["error"]
            except (ValueError, KeyError, TypeError):
                reason = text
            raise TrunklineError(refused.code, reason) from None
        return json.loads(text) if text else None


class World(Control):
    """One world, with everything that a test does in it."""

    def __init__(self, server, start="demo", name=None, sip=False):
        wanted = {"from": start, **({} if name is None else {"name": name}), **({"sip": True} if sip else {})}
        made = server.send("POST", "/worlds", wanted)
        super().__init__(made["url"], made["api_key"])
        self._server = server
        self.id = made["id"]
        self.otp = made["otp_application"]
        self.sip = made.get("sip")

    def now(self):
        return self.send("GET", "/clock")["now"]

    def advance(self, seconds):
        return self.send("POST", "/clock", {"advance_seconds": seconds})["now"]

    def run_to(self, moment):
        return self.send("POST", "/clock", {"to": moment})["now"]

    def until_idle(self, within_seconds=3600):
        return self.send("POST", "/clock", {"until": "idle", "within_seconds": within_seconds})["now"]

    def set_factor(self, factor):
        """From now on this many seconds pass in a second; 1 is real time."""
        return self.send("POST", "/clock", {"factor": factor})["now"]

    def wait_for_message(self, destination, wait=10):
        messages = self.send("GET", "/messages", destination=destination.lstrip("+"), wait=wait)["messages"]
        if not messages:
            raise AssertionError(f"No message to {destination} arrived in {wait} seconds.")
        return messages[0]

    def call(self, did_number, src_number, script=None):
        body = {"did_number": did_number, "src_number": src_number}
        return self.send("POST", "/calls", body if script is None else {**body, "script": script})

    def deliveries(self, **query):
        return self.send("GET", "/deliveries", **query)["deliveries"]

    def requests(self, **query):
        return self.send("GET", "/requests", **query)["requests"]

    def timeline(self, **query):
        return self.send("GET", "/timeline", **query)

    def fault(self, do, match=None, times=1):
        body = {"do": do, "times": times, **({} if match is None else {"match": match})}
        return self.send("POST", "/faults", body)

    def clear_faults(self):
        self.send("DELETE", "/faults")

    def seed(self, records):
        return self.send("POST", "/seed", records)

    def review(self, kind, id, decision):
        return self.send("POST", f"/{kind}/{id}/decision", decision)

    def snapshot(self, name):
        return self._server.send("POST", "/snapshots", {"name": name, "world": self.id})

    def reset(self):
        self._server.send("POST", f"/worlds/{self.id}/reset", {})

    def end(self):
        self._server.send("DELETE", f"/worlds/{self.id}")


class Server(Control):
    """A server that this process has started, or one that runs already."""

    def __init__(self, url, api_key, process=None, folder=None):
        super().__init__(url, api_key)
        self._process = process
        self._folder = folder

    def world(self, start="demo", name=None, sip=False):
        return World(self, start, name, sip)

    def close(self):
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(timeout=60)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def start_server(command=("trunkline",), variables=None, timeout=600):
    """Starts a server, or uses the one of TRUNKLINE_URL and TRUNKLINE_API_KEY."""
    url, api_key = os.environ.get("TRUNKLINE_URL"), os.environ.get("TRUNKLINE_API_KEY")
    if url and api_key:
        return Server(url, api_key)
    folder = tempfile.mkdtemp(prefix="trunkline-test-")
    api_key = secrets.token_urlsafe(24)
    account = {"name": "Tests", "balance": "1000.00", "api_keys": [{"name": "tests", "key": api_key}]}
    bootstrap, ready = os.path.join(folder, "bootstrap.json"), os.path.join(folder, "ready.json")
    with open(bootstrap, "w", encoding="utf-8") as file:
        json.dump({"sandbox": {"accounts": [account]}}, file)
    settings = {
        "TRUNKLINE_PORT": "off",
        "TRUNKLINE_SANDBOX_PORT": "0",
        "TRUNKLINE_SANDBOX_SIP_PORT": "0",
        "TRUNKLINE_DATA": os.path.join(folder, "data"),
        "TRUNKLINE_LOG_LEVEL": "warn",
        **(variables or {}),
        "TRUNKLINE_BOOTSTRAP": bootstrap,
        "TRUNKLINE_READY_FILE": ready,
    }
    process = subprocess.Popen(
        [*command, "serve"], cwd=folder, env={**os.environ, **settings}, stdout=subprocess.DEVNULL
    )
    server = Server("", api_key, process, folder)
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline and process.poll() is None:
        if os.path.exists(ready):
            with open(ready, encoding="utf-8") as file:
                server.url = json.load(file)["environments"]["sandbox"]["url"]
            return server
        time.sleep(0.05)
    reason = "it was not ready in time" if process.poll() is None else f"it ended with {process.returncode}"
    server.close()
    raise RuntimeError(f"Trunkline did not start: {reason}")


if pytest is not None:

    @pytest.fixture(scope="session")
    def trunkline():
        server = start_server()
        yield server
        server.close()

    @pytest.fixture
    def world(trunkline):
        made = trunkline.world()
        yield made
        made.end()
