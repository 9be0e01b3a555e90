/** What customers do meanwhile, what they were told, and what they should never have been told. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkedFetch } from '../support/checked-fetch.ts';
import { didItem, headersWith, orderDocument } from '../support/requests.ts';
import { apiKey, type Site, type Target } from './site.ts';

/** A request that hangs for longer is one that failed. */
const patienceMs = 20_000;
/** What has not come back then will not. */
const givenUpMs = 90_000;

export class Load {
  readonly #site: Site;
  readonly #stopping = new AbortController();
  readonly #clients: Promise<void>[] = [];
  #destinations = 0;
  /** Ids of orders that were acknowledged, one for each that a customer wanted. */
  readonly orders: string[] = [];
  /** Verifications that were acknowledged. */
  readonly codes: string[] = [];
  /** Responses that say that something is broken, rather than that it is away. */
  readonly offences: string[] = [];
  /** By outcome, such as `nothing_changed`. */
  readonly refused = new Map<string, number>();

  constructor(site: Site) {
    this.#site = site;
  }

  start(): void {
    for (const target of this.#site.targets) {
      this.#clients.push(
        this.#repeat(() => this.order(target)),
        this.#repeat(() => this.#verify(target)),
        this.#repeat(() => this.#readBalance(target)),
      );
    }
  }

  /** Orders that have been begun are repeated until they are acknowledged. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#clients);
  }

  /** The first responses of everything from now on: how long until all of it works in every process, in seconds. */
  async secondsUntilBack(since: number): Promise<number> {
    for (const target of this.#site.targets) {
      await this.order(target);
      await untilTrue(() => this.#verify(target));
      await untilTrue(() => this.#readBalance(target));
    }
    return (performance.now() - since) / 1000;
  }

  /** As a careful client does: repeated with the same key until somebody says what became of it. */
  async order({ url }: Target): Promise<void> {
    const key = randomUUID();
    const body = JSON.stringify(orderDocument([didItem({ sku_id: this.#site.goods.skus.london, qty: 1 })]));
    const headers = { ...headersWith(apiKey), 'idempotency-key': key };
    for (const deadline = performance.now() + givenUpMs; ; ) {
      if (performance.now() > deadline) throw new Error(`nobody says what became of the order with the key ${key}`);
      const response = await this.#send(`${url}/v3/orders`, { method: 'POST', headers, body });
      if (response?.status === 201) {
        const { data } = JSON.parse(response.text) as { data: { id: string } };
        this.orders.push(data.id);
        return;
      }
      await sleep(50);
    }
  }

  async #verify({ codes }: Target): Promise<boolean> {
    // Never the same: a long drill would meet a number of its own in its cooldown.
    this.#destinations += 1;
    const destination = `49151${String(this.#destinations).padStart(8, '0')}`;
    const started = codes.start({ destination, delivery_method: 'sms' });
    const response = await Promise.race([started, sleep(patienceMs)]).catch(() => null);
    if (!response) return false;
    const { data } = response.body;
    if (data?.status === 'pending') this.codes.push(data.id);
    else this.#judge('start', response.status, response.headers, JSON.stringify(response.body));
    return data?.status === 'pending';
  }

  async #readBalance({ url }: Target): Promise<boolean> {
    return (await this.#send(`${url}/v3/balance`, { headers: headersWith(apiKey) }))?.status === 200;
  }

  async #send(url: string, init: RequestInit): Promise<{ status: number; text: string } | null> {
    try {
      const response = await checkedFetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
      const text = await response.text();
      this.#judge(`${init.method ?? 'GET'} ${url}`, response.status, response.headers, text);
      return { status: response.status, text };
    } catch (error) {
      // Nobody has died but a database, so every request has a response.
      this.offences.push(`${url}: ${error}`);
      return null;
    }
  }

  #judge(what: string, status: number, headers: Headers, text: string): void {
    if (status < 300) return;
    if (status !== 503 || headers.get('retry-after') === null) this.offences.push(`${what}: ${status} ${text}`);
    const outcome = headers.get('x-outcome') ?? /"outcome":"(\w+)"/.exec(text)?.[1] ?? 'no outcome';
    this.refused.set(outcome, (this.refused.get(outcome) ?? 0) + 1);
  }

  async #repeat(act: () => Promise<unknown>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await act().catch((error) => this.offences.push(String(error)));
      await sleep(20);
    }
  }
}

async function untilTrue(attempt: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + givenUpMs;
  while (!(await attempt())) {
    if (performance.now() > deadline) throw new Error('it does not come back');
    await sleep(50);
  }
}
