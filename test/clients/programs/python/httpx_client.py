"""httpx with one client."""
import httpx

from scenario import run

client = httpx.Client(timeout=60)


def send(method, url, query=None, headers=None, body=None, form=None):
    more = {}
    if form is not None:
        more["data"] = {name: value for name, value in form.items() if not name.endswith("[file]")}
        more["files"] = {name: open(path, "rb") for name, path in form.items() if name.endswith("[file]")}
    if body is not None:
        more["content"] = body
    if query is not None:
        more["params"] = query
    response = client.request(method, url, headers=headers, **more)
    return response.status_code, response.headers, response.json() if response.content else None


run(send)
