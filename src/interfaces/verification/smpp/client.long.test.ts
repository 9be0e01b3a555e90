/** The SMPP client against an SMSC of another make. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openSmsc, type Smsc, type SmscOptions } from '../../../../test/support/smsc.ts';
import { messageParts } from '../delivery/message-parts.ts';
import { type ClientOptions, SmppClient } from './client.ts';
import { type Receipt, readIdentifier, readReceipt, sourceAddress, submitBody } from './messages.ts';
import { SmppConnectionError, SmppStatusError, SmppUnavailableError } from './session.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function smsc(options?: SmscOptions): Promise<Smsc> {
  const peer = await openSmsc(options);
  open.push(peer);
  return peer;
}

function client(port: number, options: Partial<ClientOptions> = {}) {
  const receipts: (Receipt | null)[] = [];
  const problems: (string | null)[] = [];
  const made = new SmppClient(
    {
      host: '127.0.0.1',
      port,
      tls: false,
      systemId: 'trunkline',
      password: 'secret',
      systemType: '',
      connectTimeoutMs: 10_000,
      responseTimeoutMs: 10_000,
      enquireLinkMs: 30_000,
      window: 10,
      throughput: 1000,
      reconnectMs: { first: 10, longest: 100 },
      busyMs: [1, 1, 1],
      ...options,
    },
    {
      delivery: async (delivery) => {
        receipts.push(readReceipt(delivery));
      },
      connection: (problem) => {
        problems.push(problem === null ? null : problem.message);
      },
    },
  );
  open.push(made);
  return { client: made, receipts, problems };
}

function submissions(text: string, sender = 'Acme'): Buffer[] {
  const { parts, dataCoding, concatenated } = messageParts(text, 7);
  return parts.map((message) =>
    submitBody({
      source: sourceAddress(sender),
      destination: '4915112345678',
      dataCoding,
      hasHeader: concatenated,
      message,
      validityMinutes: 5,
    }),
  );
}

async function until(what: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !what(); i++) await pause(10);
  expect(what()).toBe(true);
}

const sendAll = async (sender: SmppClient, text: string, from?: string) =>
  Promise.all(submissions(text, from).map(async (body) => readIdentifier(await sender.submit(body))));

describe('sending', () => {
  it('binds once and submits seven-bit text', async () => {
    const peer = await smsc();
    const { client: sender, problems } = client(peer.port);
    expect(await sendAll(sender, 'Your code is 0042 {ok}')).toEqual(['m1']);
    expect(peer.messages).toMatchObject([
      {
        source: 'Acme',
        sourceTon: 5,
        destination: '4915112345678',
        dataCoding: 0,
        text: 'Your code is 0042 {ok}',
        concatenation: null,
      },
    ]);
    expect(peer.binds).toBe(1);
    expect(problems).toEqual([null]);
  });

  it('submits other text as UCS-2, cut into parts that name each other', async () => {
    const peer = await smsc();
    const text = 'Ваш код 0042. '.repeat(8);
    expect(await sendAll(client(peer.port).client, text, '+4930123456')).toHaveLength(2);
    expect(peer.messages.map((message) => message.text).join('')).toBe(text);
    expect(peer.messages).toMatchObject([
      { source: '4930123456', sourceTon: 1, dataCoding: 8, concatenation: { reference: 7, total: 2, part: 1 } },
      { concatenation: { reference: 7, total: 2, part: 2 } },
    ]);
  });

  it('gives the status of a refusal', async () => {
    const peer = await smsc({ submitStatus: () => 0x0b });
    await expect(sendAll(client(peer.port).client, 'x')).rejects.toSatisfy(
      (error) => error instanceof SmppStatusError && error.status === 0x0b,
    );
  });

  it.each([
    ['throttled', 0x58],
    ['a full queue', 0x14],
  ])('waits and tries again when the response is %s', async (_name, status) => {
    const peer = await smsc({ submitStatus: (index) => (index < 2 ? status : 0) });
    expect(await sendAll(client(peer.port).client, 'x')).toEqual(['m3']);
    expect(peer.messages).toHaveLength(1);
  });

  it('takes an SMSC that stays busy for one that refuses', async () => {
    const peer = await smsc({ submitStatus: () => 0x58 });
    await expect(sendAll(client(peer.port).client, 'x')).rejects.toThrow(SmppStatusError);
  });

  it('begins when a session is bound and not before, once for all attempts', async () => {
    const peer = await smsc({ submitStatus: (index) => (index === 0 ? 0x58 : 0) });
    const { client: sender } = client(peer.port);
    const [body = Buffer.alloc(0)] = submissions('x');
    const seen: { binds: number; messages: number }[] = [];
    await sender.submit(body, async () => {
      seen.push({ binds: peer.binds, messages: peer.messages.length });
    });
    expect(seen).toEqual([{ binds: 1, messages: 0 }]);
    const refusal = new Error('no');
    await expect(sender.submit(body, () => Promise.reject(refusal))).rejects.toBe(refusal);
    expect(peer.messages).toHaveLength(1);
  });

  it('keeps the window and the throughput', async () => {
    const peer = await smsc({ delayMs: 20 });
    const { client: sender } = client(peer.port, { window: 3, throughput: 1000 });
    await Promise.all(Array.from({ length: 12 }, () => sendAll(sender, 'x')));
    expect(peer.messages).toHaveLength(12);
    expect(peer.mostUnanswered).toBe(3);

    const slow = client(peer.port, { window: 50, throughput: 50 }).client;
    await slow.ready();
    const began = performance.now();
    await Promise.all(Array.from({ length: 26 }, () => sendAll(slow, 'x')));
    // 26 messages at 50 a second: the first five or so are the allowance, the rest wait for their turn.
    expect(performance.now() - began).toBeGreaterThan(380);
  });
});

describe('a connection', () => {
  it('is refused with a wrong password', async () => {
    const peer = await smsc();
    await expect(sendAll(client(peer.port, { password: 'wrong' }).client, 'x')).rejects.toThrow(SmppUnavailableError);
  });

  it('says that the fate of an unanswered message is unknown', async () => {
    const peer = await smsc({ submitStatus: () => null });
    await expect(sendAll(client(peer.port, { responseTimeoutMs: 1000 }).client, 'x')).rejects.toThrow(
      SmppConnectionError,
    );
  });

  it('is kept alive by enquire_link', async () => {
    const peer = await smsc();
    const { client: sender } = client(peer.port, { enquireLinkMs: 20 });
    await sender.ready();
    await until(() => peer.enquiries >= 3);
    expect(peer.binds).toBe(1);
  });

  it('is opened again after it broke, with what was in flight failed', async () => {
    const peer = await smsc({ delayMs: 60_000 });
    const { client: sender, problems } = client(peer.port);
    const lost = sendAll(sender, 'x');
    await until(() => peer.messages.length === 1);
    peer.drop();
    await expect(lost).rejects.toThrow(SmppConnectionError);
    await until(() => peer.binds === 2);
    await until(() => problems.at(-1) === null);
  });

  it('is tried again, ever more slowly, until the SMSC is there', async () => {
    const first = await openSmsc();
    await first.close();
    const { client: sender, problems } = client(first.port);
    await expect(sendAll(sender, 'x')).rejects.toThrow(SmppUnavailableError);
    const second = await smsc({ port: first.port });
    await until(() => problems.at(-1) === null);
    expect(await sendAll(sender, 'x')).toEqual(['m1']);
    expect(second.binds).toBe(1);
  });
});

describe('closing', () => {
  const hangs: [string, SmscOptions, (sender: SmppClient) => Promise<unknown>][] = [
    ['the bind', { silentBind: true }, (sender) => sender.ready()],
    ['a message', { submitStatus: () => null, silentUnbind: true }, (sender) => sendAll(sender, 'x')],
  ];

  it.each(hangs)('does not wait for an SMSC that does not respond to %s', async (_what, options, work) => {
    const peer = await smsc(options);
    const { client: sender } = client(peer.port, { responseTimeoutMs: 600_000 });
    const hanging = expect(work(sender)).rejects.toThrow(/ended|let us in/);
    await until(() => peer.binds === 1 && (options.silentBind === true || peer.submits === 1));
    await sender.close();
    await hanging;
  });
});

describe('delivery receipts', () => {
  it.each([
    ['DELIVRD', 'delivered'],
    ['UNDELIV', 'failed'],
    ['EXPIRED', 'failed'],
    ['REJECTD', 'failed'],
    ['ACCEPTD', 'underway'],
  ])('%s means %s and is acknowledged', async (stat, state) => {
    const peer = await smsc();
    const { client: sender, receipts } = client(peer.port);
    await sender.ready();
    expect(await peer.receipt('m9', stat)).toBe(0);
    expect(receipts).toEqual([{ messageId: 'm9', state }]);
  });

  it('that cannot be read are refused for good, and the session goes on', async () => {
    const peer = await smsc();
    const { client: sender } = client(peer.port);
    await sender.ready();
    expect(await peer.garbage()).toBe(0x65);
    expect(await sendAll(sender, 'x')).toEqual(['m1']);
    expect(peer.binds).toBe(1);
  });
});
