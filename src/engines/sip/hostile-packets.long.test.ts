/**
 * A user agent on real sockets against hostile packets: the torture messages by section of RFC 4475 over UDP and TCP,
 * and mutated packets from a printed seed. Each has a sensible response or none, and nothing is left behind.
 */
import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineIds } from './ids.ts';
import { mutate } from './message/mutate.fixture.ts';
import { invite, inviteWith, wire } from './message/samples.fixture.ts';
import { invalidMessages } from './message/torture.fixture.ts';
import { SeededRandom, testSeed } from './simulation/seeded-random.fixture.ts';
import { machineTimers } from './timers.ts';
import { timersFor } from './transaction/timer-values.ts';
import { openStreamWire } from './transport/stream-wire.ts';
import { openUdpWire } from './transport/udp-wire.ts';
import { UserAgent } from './user-agent.ts';

const host = '127.0.0.1';
let agent: UserAgent;
const ports = { udp: 0, tcp: 0 };

beforeAll(async () => {
  agent = new UserAgent(
    // Short timers, so that the end of every transaction can be waited for; responses never leave this machine.
    {
      ...{ timers: machineTimers, ids: machineIds, random: Math.random, values: timersFor(20) },
      transport: { alwaysToSource: true },
    },
    { call: (call) => call.reject(486), request: (transaction) => transaction.reply(405) },
  );
  const { received } = agent.transport;
  const udp = await openUdpWire({ host, port: 0 }, received);
  const tcp = await openStreamWire({ host, port: 0 }, received);
  for (const each of [udp, tcp]) agent.transport.attach(each, { host });
  Object.assign(ports, { udp: udp.port, tcp: tcp.port });
});
afterAll(() => agent.close());

let asked = 0;

/** A request whose response shows that everything before it was worked on. */
function question(transport: string): { bytes: Buffer; callId: string } {
  asked += 1;
  const callId = `question-${asked}`;
  const bytes = wire(`
OPTIONS sip:${host} SIP/2.0
Via: SIP/2.0/${transport} ${host}:9;branch=z9hG4bKquestion${asked};rport
From: <sip:test@x>;tag=1
To: <sip:test@x>
Call-ID: ${callId}
CSeq: 1 OPTIONS`);
  return { bytes, callId };
}

const statusesOf = (text: string): number[] =>
  [...text.matchAll(/^SIP\/2\.0 (\d{3}) /gm)].map(([, code]) => Number(code));
const isAnswered = (text: string, callId: string): boolean => text.includes(`Call-ID: ${callId}\r\n`);

class DatagramPeer {
  readonly #socket: Datagrams = createSocket('udp4');
  #heard = '';

  async open(): Promise<this> {
    this.#socket.on('message', (bytes) => {
      this.#heard += bytes.toString('latin1');
    });
    this.#socket.bind(0, host);
    await once(this.#socket, 'listening');
    this.#socket.setRecvBufferSize(4_194_304);
    return this;
  }

  send(bytes: Buffer): void {
    this.#socket.send(bytes, ports.udp, host);
  }

  /** Waits until all that was sent is worked on; returns what came back for it. */
  async settle(): Promise<string> {
    const { bytes, callId } = question('UDP');
    this.send(bytes);
    while (!isAnswered(this.#heard, callId)) await once(this.#socket, 'message');
    const heard = this.#heard.slice(0, this.#heard.lastIndexOf('SIP/2.0 200'));
    this.#heard = '';
    return heard;
  }

  close(): void {
    this.#socket.close();
  }
}

/**
 * Sends bytes over a connection of their own, then the question if the connection still stands; returns what came back.
 */
async function overStream(bytes: Buffer): Promise<string> {
  const socket: Socket = connect(ports.tcp, host);
  let heard = '';
  const { bytes: asking, callId } = question('TCP');
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      if (isAnswered(heard, callId)) resolve();
    });
  });
  await once(socket, 'connect');
  socket.write(bytes);
  socket.end(asking);
  await closed;
  socket.destroy();
  return isAnswered(heard, callId) ? heard.slice(0, heard.lastIndexOf('SIP/2.0 200')) : heard;
}

describe('torture messages (RFC 4475)', () => {
  /** The response needs a Via that can be read and says where it goes. */
  const unanswerable = /^(3\.1\.2\.1 a Via|3\.3\.1 no |too many Via|a control character in a branch)/;

  test('invalid ones over UDP: the documented refusal, or silence where there is nobody to answer', async () => {
    const peer = await new DatagramPeer().open();
    for (const [section, bytes, verdict] of invalidMessages) {
      if (bytes.length > 60_000 || bytes.length === 0) continue;
      peer.send(bytes);
      const statuses = statusesOf(await peer.settle());
      const expected = verdict === 'unreadable' || unanswerable.test(section) ? [] : [verdict];
      expect([section, statuses]).toEqual([section, expected]);
    }
    peer.close();
  });

  test('invalid ones over TCP: the same refusals, or the connection is closed where it cannot be read on', async () => {
    for (const [section, bytes, verdict] of invalidMessages) {
      // In a stream what follows is the next message, or belongs to this one.
      if (section === 'a message beyond the limit' || section === 'zeros') continue;
      const statuses = statusesOf(await overStream(bytes));
      expect([section, statuses.filter((status) => status !== verdict)]).toEqual([section, []]);
      if (verdict === 'unreadable') expect([section, statuses]).toEqual([section, []]);
    }
  });

  const via = 'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK';
  const valid: [section: string, bytes: Buffer, status: number][] = [
    [
      '3.1.1.1 folded lines, compact names, mixed capitals',
      wire(`
OPTIONS sip:desk@office.example;flag SIP/2.0
T :
  <sip:desk@office.example>
fRoM  :  "Back \\\\ slash \\" quote"
\t<sip:front@office.example>
  ; tag = local-3
max-FORWARDS: 0000070
i: spread-out@192.0.2.40
CsEq: 0042
   OPTIONS
v  :  SIP /  2.0
  /  UDP
  gate.office.example  :  5080  ; branch = z9hG4bKfolded ; rport
k: 100rel
 , timer`),
      200,
    ],
    [
      '3.1.1.2 every character of a method',
      wire(`
!odd-Method0_*+\`.%indeed'~ sip:desk@office.example SIP/2.0
${via}chars;rport
From: <sip:a@x>;tag=1
To: <sip:b@x>
Call-ID: odd.chars!%*_+\`'~()<>:\\"/[]?{}@192.0.2.1
CSeq: 1 !odd-Method0_*+\`.%indeed'~`),
      405,
    ],
    ['3.1.1.3 an escaped separator', inviteWith({ start: 'INVITE sip:a%40b@office.example SIP/2.0' }), 486],
    ['3.1.1.6 no space before the bracket', inviteWith({ From: 'From: Front desk<sip:a@x>;tag=6' }), 486],
    ['3.1.1.7 long values', inviteWith({ From: `From: "${'x'.repeat(2_000)}" <sip:a@x>;tag=7` }), 486],
    ['3.1.1.9 semicolons in the user', inviteWith({ start: 'INVITE sip:user;par=u%40x@office.example SIP/2.0' }), 486],
    ['3.1.1.10 Via of unknown transports', inviteWith({}, ['Via: SIP/2.0/UNKNOWN 192.0.2.7;branch=z9hG4bKx']), 486],
    [
      '3.1.1.11 a body of several parts',
      inviteWith({ 'Content-Type': 'Content-Type: multipart/mixed;boundary=v' }),
      486,
    ],
    ['3.2.1 no branch at all', inviteWith({ Via: 'Via: SIP/2.0/UDP 192.0.2.1:5060;rport' }), 486],
    ['3.3.3 unknown schemes in From and To', inviteWith({ To: 'To: isbn:2983792873' }), 486],
    ['3.3.6 an unknown requirement', inviteWith({}, ['Require: nothingSupportsThis']), 420],
    ['3.3.12 Max-Forwards of 0', inviteWith({ 'Max-Forwards': 'Max-Forwards: 0' }), 486],
    [
      '3.3.13 a BYE of no dialog',
      wire(`
BYE sip:desk@office.example SIP/2.0
${via}bye;rport
From: <sip:a@x>;tag=1
To: <sip:b@x>;tag=2
Call-ID: nobody
CSeq: 1 BYE`),
      481,
    ],
  ];

  test.each(valid)('%s, over UDP and TCP', async (section, bytes, status) => {
    // Else one would be taken for the repetition of another.
    const unique = (transport: string): Buffer => {
      const mark = `${transport}${section.replaceAll(/\W/g, '')}`;
      const text = bytes.toString('latin1');
      return Buffer.from(
        text.replace(/^(Call-ID|i) *: */im, (name) => `${name}${mark}`).replaceAll('z9hG4bK', `z9hG4bK${mark}`),
        'latin1',
      );
    };
    const peer = await new DatagramPeer().open();
    peer.send(unique('u'));
    expect(statusesOf(await peer.settle()).at(0)).toBe(status);
    peer.close();
    expect(statusesOf(await overStream(unique('t'))).at(0)).toBe(status);
  });
});

describe('mutated packets', () => {
  const datagrams = 30_000;
  const streams = 2_000;
  const sources = [
    invite,
    question('UDP').bytes,
    inviteWith({}, ['Route: "a" <sip:b;lr>, <sip:c;lr>', 'Authorization: Digest a="b", c=d', 'Supported: a,b']),
    inviteWith({ start: 'CANCEL sip:b@x SIP/2.0', CSeq: 'CSeq: 1 CANCEL' }),
    inviteWith({ start: 'REGISTER sip:x SIP/2.0', CSeq: 'CSeq: 1 REGISTER' }),
    inviteWith({ start: 'BYE sip:b@x SIP/2.0', CSeq: 'CSeq: 1 BYE', To: 'To: <sip:b@x>;tag=9' }),
  ];
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const heapMebibytes = () => {
    collect();
    return process.memoryUsage().heapUsed / 1_048_576;
  };
  /** No packet repeats the transaction of another, so each is worked on in full. */
  const fresh = (source: Buffer, count: number): Buffer =>
    Buffer.from(source.toString('latin1').replace('z9hG4bK', `z9hG4bK${count}-`), 'latin1');

  test(`${datagrams} by UDP and ${streams} by TCP: served to the end, and nothing is left behind`, async () => {
    const seed = testSeed();
    console.log(`hostile packets: SIP_SEED=${seed}`);
    const random = new SeededRandom(seed);
    const next = (count: number) => mutate(random, fresh(random.pick(sources), count));
    const peer = await new DatagramPeer().open();
    const seen = new Set<number>();
    let before = 0;
    for (let count = 1; count <= datagrams; count++) {
      peer.send(next(count));
      if (count % 100 !== 0) continue;
      for (const status of statusesOf(await peer.settle())) seen.add(status);
      if (count === 10_000) before = heapMebibytes();
    }
    for (let count = 0; count < streams; count += 10) {
      const packets = Array.from({ length: 10 }, (_, index) => next(datagrams + count + index));
      for (const status of statusesOf(await overStream(Buffer.concat(packets)))) seen.add(status);
    }
    peer.close();
    await expect.poll(() => [agent.dialogs, agent.transactions.size]).toEqual([0, 0]);
    expect(heapMebibytes() - before).toBeLessThan(20);
    const sensible = [100, 200, 400, 403, 405, 414, 416, 420, 422, 481, 482, 486, 505];
    expect([...seen].filter((status) => !sensible.includes(status))).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining([200, 400, 405, 481, 486]));
  }, 240_000);
});
