"""requests, with one session and its pool of connections."""
import requests

from scenario import run

session = requests.Session()


def send(method, url, query=None, headers=None, body=None, form=None):
    fields, files = split(form)
    response = session.request(method, url, params=query, headers=headers, data=body or fields, files=files)
    return response.status_code, response.headers, response.json() if response.content else None


def split(form):
    if form is None:
        return None, None
    fields = {name: value for name, value in form.items() if not name.endswith("[file]")}
    files = {name: open(path, "rb") for name, path in form.items() if name.endswith("[file]")}
    return fields, files


run(send)
