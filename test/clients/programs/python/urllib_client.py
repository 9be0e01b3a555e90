"""urllib of the standard library; forms are written by hand, as it has none."""
import json
import os
import uuid
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from scenario import run


def send(method, url, query=None, headers=None, body=None, form=None):
    headers = dict(headers or {})
    data = body.encode() if body is not None else None
    if form is not None:
        data, headers["Content-Type"] = multipart(form)
    target = f"{url}?{urlencode(query)}" if query else url
    try:
        response = urlopen(Request(target, data, headers, method=method))
    except HTTPError as error:
        response = error
    text = response.read()
    return response.status, response.headers, json.loads(text) if text else None


def multipart(form):
    boundary = uuid.uuid4().hex
    lines = []
    for name, value in form.items():
        is_file = name.endswith("[file]")
        more = f'; filename="{os.path.basename(value)}"' if is_file else ""
        content = open(value, "rb").read() if is_file else value.encode()
        lines += [f"--{boundary}", f'Content-Disposition: form-data; name="{name}"{more}', "", content]
    lines += [f"--{boundary}--", ""]
    text = b"\r\n".join(line if isinstance(line, bytes) else line.encode() for line in lines)
    return text, f"multipart/form-data; boundary={boundary}"


run(send)
