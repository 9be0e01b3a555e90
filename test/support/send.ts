/** One request and its whole response. What a test sends by the thousand costs half of what `fetch` takes for it. */
import { request } from 'undici';

interface Sent {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

/** Follows no redirect, and accepts no compression. */
export async function send(url: string, { method, headers, body }: Sent): Promise<Received> {
  const response = await request(url, { method, headers, body: body ?? null });
  const received = new Headers();
  for (const [name, values = []] of Object.entries(response.headers)) {
    for (const value of [values].flat()) received.append(name, value);
  }
  return { status: response.statusCode, headers: received, text: await response.body.text() };
}
