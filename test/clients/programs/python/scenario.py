"""The scenario in Python. `send` is the HTTP client: it takes a request and returns (status, headers, document)."""
import base64
import hashlib
import hmac
import json
import os
import re
import time
from urllib.parse import quote

API, KEY, CLIENT, NUMBERS = (os.environ[name] for name in ("API", "KEY", "CLIENT", "NUMBERS"))
APP_KEY, APP_SECRET = os.environ["APP_KEY"], os.environ["APP_SECRET"]
JSON_API = "application/vnd.api+json"


def say(step, *words):
    texts = (str(word).lower() if isinstance(word, bool) else str(word) for word in words)
    print(f"{step}: {' '.join(texts)}")


def platform(send):
    def call(method, path, query=None, document=None, form=None, key=KEY):
        headers = {"Api-Key": key, "Accept": JSON_API}
        body = None
        if document is not None:
            headers["Content-Type"] = JSON_API
            body = json.dumps({"data": document})
        url = path if path.startswith("http") else f"{API}/v3{path}"
        status, _, answer = send(method, url, query=query, headers=headers, body=body, form=form)
        return status, answer

    def get(path, query=None):
        return call("GET", path, query)[1]

    countries = get("/countries", {"filter[iso]": "GB"})
    country = countries["data"][0]
    attributes = country["attributes"]
    say("country", attributes["name"], attributes["prefix"], countries["meta"]["total_records"])

    cities = get("/cities", {
        "filter[name]": "Frankfurt am Main",
        "include": "country",
        "fields[cities]": "name,country",
        "fields[countries]": "iso",
    })
    city = cities["data"][0]["attributes"]
    say("city", city["name"], cities["included"][0]["attributes"]["iso"], ",".join(city))

    page = get("/cities", {"filter[country.id]": country["id"], "page[size]": 20})
    read = len(page["data"])
    while "next" in page["links"]:
        page = get(page["links"]["next"])
        read += len(page["data"])
    say("pages", read == page["meta"]["total_records"], read > 60)

    name = f"Zürich + Söhne {CLIENT}"
    sip = {"username": "{DID}", "host": "sip.example.com", "codec_ids": [9, 10]}
    configuration = {"type": "sip_configurations", "attributes": sip}
    trunk = {"type": "voice_in_trunks", "attributes": {"name": name, "configuration": configuration}}
    status, created = call("POST", "/voice_in_trunks", document=trunk)
    trunk_id = created["data"]["id"]
    say("trunk", status, created["data"]["attributes"]["name"] == name)
    found = get("/voice_in_trunks", {"filter[name]": name})["data"]
    say("search", len(found), found[0]["id"] == trunk_id)

    groups = get("/did_groups", {
        "filter[country.id]": country["id"],
        "filter[needs_registration]": "false",
        "filter[is_available]": "true",
        "include": "stock_keeping_units",
        "page[size]": 1,
    })
    sku = next(unit for unit in groups["included"] if unit["attributes"]["channels_included_count"] > 0)
    items = [{"type": "did_order_items", "attributes": {"sku_id": sku["id"], "qty": 1}}]
    status, order = call("POST", "/orders", document={"type": "orders", "attributes": {"items": items}})
    order = order["data"]
    while order["attributes"]["status"] != "completed":
        time.sleep(0.05)
        order = get(f"/orders/{order['id']}")["data"]
    did = get("/dids", {"filter[order.id]": order["id"]})["data"][0]
    is_british = re.fullmatch(r"44\d+", did["attributes"]["number"]) is not None
    say("order", status, order["attributes"]["status"], is_british)

    def update(**members):
        return call("PATCH", f"/dids/{did['id']}", {"include": "voice_in_trunk"},
                    {"type": "dids", "id": did["id"], **members})

    link = {"voice_in_trunk": {"data": {"type": "voice_in_trunks", "id": trunk_id}}}
    status, patched = update(attributes={"description": "a+b & ü", "capacity_limit": None}, relationships=link)
    attributes = patched["data"]["attributes"]
    is_linked = patched["included"][0]["id"] == trunk_id
    say("patch", status, attributes["description"], attributes["capacity_limit"] is None, is_linked)

    status, upload = call("POST", "/encrypted_files", form={
        "encrypted_files[encryption_fingerprint]": os.environ["FINGERPRINT"],
        "encrypted_files[description]": f"Paß {CLIENT}",
        "encrypted_files[file]": os.environ["ENCRYPTED_FILE"],
    })
    file = get(f"/encrypted_files/{upload['data']['id']}")["data"]
    say("upload", status, file["attributes"]["description"] == f"Paß {CLIENT}")

    status, held = call("DELETE", f"/voice_in_trunks/{trunk_id}")
    say("held", status, held["errors"][0]["code"])
    update(relationships={"voice_in_trunk": {"data": None}})
    status, _ = call("DELETE", f"/voice_in_trunks/{trunk_id}")
    gone, error = call("GET", f"/voice_in_trunks/{trunk_id}")
    say("delete", status, gone, error["errors"][0]["title"])

    trunk["attributes"]["name"] = ""
    status, refused = call("POST", "/voice_in_trunks", document=trunk)
    error = refused["errors"][0]
    say("refused", status, error["source"]["pointer"], error["detail"])
    status, stranger = call("GET", "/balance", key="nobody")
    say("stranger", status, stranger["errors"][0]["detail"])


def signed(method, path, body):
    timestamp = str(int(time.time()))
    md5 = base64.b64encode(hashlib.md5(body.encode()).digest()).decode() if body else ""
    content_type = "application/json" if body else ""
    text = "\n".join([method, md5, content_type, f"x-timestamp:{timestamp}", path])
    key = base64.urlsafe_b64decode(APP_SECRET + "=" * (-len(APP_SECRET) % 4))
    signature = base64.b64encode(hmac.new(key, text.encode(), hashlib.sha256).digest()).decode()
    return {"Authorization": f"Application {APP_KEY}:{signature}", "x-timestamp": timestamp}


def basic(*_):
    return {"Authorization": "Basic " + base64.b64encode(f"{APP_KEY}:{APP_SECRET}".encode()).decode()}


def public(*_):
    return {"Authorization": f"Application {APP_KEY}"}


def forged(*_):
    return {"Authorization": f"Application {APP_KEY}:forged", "x-timestamp": "1"}


def verification(send):
    def call(mode, method, below="", data=None):
        path = f"/api/v1/verifications{below}"
        body = None if data is None else json.dumps({"data": data})
        headers = {"Accept": "application/json", **mode(method, path, body)}
        if body is not None:
            headers["Content-Type"] = "application/json"
        return send(method, API + path, headers=headers, body=body)

    def start(mode, number, **more):
        status, headers, answer = call(mode, "POST", "", {"destination": number, "delivery_method": "sms", **more})
        return status, headers, answer

    def report(mode, method, below, number):
        query = {"destination": number[1:], "wait": 30}
        inbox = send("GET", f"{API}/sandbox/v1/messages", query=query, headers={"Api-Key": KEY})[2]
        data = {"delivery_method": "sms", "code": inbox["messages"][0]["code"]}
        return call(mode, method, below, data)[2]["data"]["status"]

    first, second, third = (f"{NUMBERS}{digit}" for digit in "123")
    status, _, started = start(basic, first, sms={"languages": ["de-DE"]})
    verified = report(basic, "PATCH", f"/by_number/{quote(first)}", first)
    say("basic", status, started["data"]["status"], started["data"]["sms"]["language"], verified)

    status, _, started = start(signed, second)
    below = f"/{started['data']['id']}"
    pending = call(signed, "GET", below)[2]["data"]["status"]
    say("application", status, pending, report(signed, "PATCH", below, second))

    status, _, started = start(public, third)
    say("public", status, started["data"]["status"], report(public, "PUT", f"/{started['data']['id']}", third))

    status, headers, soon = start(basic, first)
    say("cooldown", status, soon["errors"][0]["code"], 0 < int(headers["Retry-After"]) <= 30)
    status, _, wrong = start(basic, "12")
    say("invalid", status, wrong["errors"][0]["detail"])
    status, _, unknown = call(basic, "GET", "/8f14e45f-ceea-467f-ab3f-9f2d1c6c0000")
    refused, _, stranger = call(forged, "GET", below)
    say("unknown", status, unknown["errors"][0]["code"], refused, stranger["errors"][0]["code"])


def run(send):
    platform(send)
    verification(send)
