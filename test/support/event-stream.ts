/** A client of `/panel/v1/events`, as a browser reads it. */
import { expect } from 'vitest';

interface StreamedEvent {
  event: string;
  id: string;
  data: Record<string, string>;
}

export class EventStream {
  readonly events: StreamedEvent[] = [];
  readonly response: Response;
  readonly #stop: AbortController;
  isEnded = false;

  private constructor(response: Response, stop: AbortController) {
    this.response = response;
    this.#stop = stop;
  }

  static async open(url: string, cookie: string, headers: Record<string, string> = {}): Promise<EventStream> {
    const stop = new AbortController();
    const response = await fetch(`${url}/panel/v1/events`, {
      headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers },
      signal: stop.signal,
    });
    const stream = new EventStream(response, stop);
    if (response.ok) void stream.#read().catch(() => undefined);
    return stream;
  }

  get lastId(): string {
    return this.events.at(-1)?.id ?? '';
  }

  changes = (): string[] => this.events.filter(({ event }) => event === 'change').map(({ data }) => data.topic ?? '');

  /** Until the first event has come, with which a client knows that it misses nothing from here on. */
  opened = () => expect.poll(() => this.events.length).toBeGreaterThan(0);

  cut(): void {
    this.#stop.abort();
  }

  async #read(): Promise<void> {
    let text = '';
    try {
      for await (const chunk of this.response.body ?? []) {
        text += Buffer.from(chunk).toString('utf8');
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          this.#take(text.slice(0, end));
          text = text.slice(end + 2);
        }
      }
    } finally {
      this.isEnded = true;
    }
  }

  #take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => [line.split(':')[0], line.slice(line.indexOf(':') + 2)]));
    const event = fields.get('event');
    if (event !== undefined) {
      this.events.push({ event, id: fields.get('id') ?? '', data: JSON.parse(fields.get('data') ?? '{}') });
    }
  }
}
