/** The built-in phone with real sockets: two of them talk to each other, one registers, and the command runs one. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { execute } from '../../../test/support/commands.ts';
import { type TestPhone, usePhones } from '../../../test/support/phones.ts';
import { secretHash } from '../sip/digest/hash.ts';
import { DigestServer } from '../sip/digest/server.ts';
import { machineIds } from '../sip/ids.ts';
import { MemoryBindings } from '../sip/registrar/memory-bindings.fixture.ts';
import { Registrar } from '../sip/registrar/registrar.ts';
import { machineTimers } from '../sip/timers.ts';
import { authority, serverCertificate, serverKey } from '../sip/transport/certificates.fixture.ts';
import { openStreamWire } from '../sip/transport/stream-wire.ts';
import { openUdpWire } from '../sip/transport/udp-wire.ts';
import { UserAgent } from '../sip/user-agent.ts';
import { toneFrames, toneOf } from '../speech/tone.ts';
import { readWav } from '../speech/wav.ts';

const openPhone = usePhones();

const secondsHeard = ({ phone }: TestPhone): number => phone.lastCall?.heard.seconds ?? 0;
/** Sound is what tells time in these tests: a busy machine plays it later, never less of it. */
const hasHeard = (phone: TestPhone, seconds: number) => expect.poll(() => secondsHeard(phone)).toBeGreaterThan(seconds);

describe('two phones', () => {
  test.each(['UDP', 'TCP'] as const)(
    'hear each other over %s, and the keys; the caller hangs up',
    async (transport) => {
      const bob = await openPhone({ transport, play: () => toneFrames(1000) });
      const alice = await openPhone({ transport, server: bob.target, keys: '5#' });
      await alice.phone.call('4930123');
      await bob.until('key', 2);
      await hasHeard(alice, 0.5);
      await hasHeard(bob, 0.5);
      alice.phone.lastCall?.hangUp();
      expect(await alice.until('ended')).toMatchObject({ cause: 'local' });
      expect(await bob.until('ended')).toMatchObject({ cause: 'remote' });
      expect(await alice.until('answered')).toMatchObject({ codec: 'PCMU' });
      expect(toneOf(alice.phone.lastCall?.heard.samples ?? new Int16Array())).toBe(1000);
      expect(bob.events.filter(({ event }) => event === 'key')).toMatchObject([{ key: '5' }, { key: '#' }]);
      expect(toneOf(bob.phone.lastCall?.heard.samples ?? new Int16Array())).toBe(440);
      expect(await bob.until('incoming')).toMatchObject({ to: 'sip:4930123@sip.test' });
    },
  );

  test('the called side holds, takes back and hangs up; while held the caller sends nothing', async () => {
    const bob = await openPhone();
    const alice = await openPhone({ server: bob.target });
    await alice.phone.call('1');
    await hasHeard(bob, 0.2);
    bob.phone.lastCall?.hold();
    await alice.until('held');
    // The one that holds goes on playing, so what the other hears tells how long it was held.
    await hasHeard(alice, secondsHeard(alice) + 0.1);
    const packets = bob.phone.lastCall?.heard.packets;
    await hasHeard(alice, secondsHeard(alice) + 1);
    expect(bob.phone.lastCall?.heard.packets).toBe(packets);
    bob.phone.lastCall?.resume();
    await alice.until('resumed');
    await expect.poll(() => bob.phone.lastCall?.heard.packets).toBeGreaterThan((packets ?? 0) + 5);
    bob.phone.lastCall?.hangUp();
    expect(await alice.until('ended')).toMatchObject({ cause: 'remote' });
    const changes = alice.events.flatMap((event) => ('by' in event ? [[event.event, event.by]] : []));
    expect(changes).toEqual([
      ['held', 'peer'],
      ['resumed', 'peer'],
    ]);
    expect(bob.events.filter(({ event }) => event === 'held' || event === 'resumed')).toHaveLength(2);
    // The silent second has its place in the recording.
    const heard = await bob.until('ended');
    expect(heard.heard_seconds).toBeGreaterThan(heard.packets / 50 + 0.5);
  });

  test('one refuses, one is busy, one lets it ring until the caller gives up', async () => {
    const refusing = await openPhone({ reject: 603 });
    const first = await openPhone({ server: refusing.target });
    await first.phone.call('1');
    expect(await first.until('failed')).toMatchObject({ status: 603 });

    const ringing = await openPhone({ answerAfterMs: null });
    const second = await openPhone({ server: ringing.target });
    await second.phone.call('1');
    await second.until('progress');
    const third = await openPhone({ server: ringing.target });
    await third.phone.call('1');
    expect(await third.until('failed')).toMatchObject({ status: 486 });
    await second.phone.close();
    await ringing.until('cancelled');
  });
});

describe('a registration', () => {
  const secret = { username: 'pbx', password: 'right' };
  const agents: UserAgent[] = [];
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((agent) => agent.close()));
  });

  /** Grants at most `usual` seconds, and asks for a password. */
  async function openRegistrar(transport: 'UDP' | 'TLS' = 'UDP') {
    const registrar = new Registrar({ store: new MemoryBindings(), now: () => performance.now() });
    const digest = new DigestServer({ realm: 'sip.test', secret: 's', ids: machineIds, now: () => performance.now() });
    const agent = new UserAgent(
      { timers: machineTimers, ids: machineIds, random: Math.random },
      {
        call: (call) => call.reject(480),
        request: (transaction) => {
          const { request, flow } = transaction;
          const verdict = digest.verify(request, 'user', flow.address, (username, algorithm) =>
            username === secret.username ? secretHash(algorithm, username, 'sip.test', secret.password) : null,
          );
          if (verdict.outcome === 'accepted') return void registrar.register(transaction, verdict.username);
          if (verdict.outcome === 'refused') return void transaction.reply(403);
          const response = transaction.makeResponse(401);
          digest.challenge(response, 'user', flow.address, { stale: verdict.stale });
          transaction.respond(response);
        },
      },
    );
    agents.push(agent);
    const { received } = agent.transport;
    const host = '127.0.0.1';
    const tls = { server: { cert: serverCertificate, key: serverKey }, ca: authority };
    const wire =
      transport === 'UDP'
        ? await openUdpWire({ host, port: 0 }, received)
        : await openStreamWire({ host, port: 0, tls }, received);
    agent.transport.attach(wire, { host });
    const serverName = transport === 'TLS' ? { serverName: 'sip.test' } : {};
    return { agent, registrar, target: { transport, address: host, port: wire.port, ...serverName } };
  }

  test.each(['UDP', 'TLS'] as const)(
    'is made with a password over %s, and removed when the phone stops',
    async (transport) => {
      const { registrar, target } = await openRegistrar(transport);
      const { phone, until } = await openPhone({
        transport,
        ca: authority,
        server: target,
        user: 'pbx',
        account: secret,
      });
      phone.register();
      expect(await until('registered')).toMatchObject({ user: 'pbx', expires: 300 });
      expect(await registrar.contacts('pbx')).toHaveLength(1);
      await phone.close();
      expect(await registrar.contacts('pbx')).toEqual([]);
    },
  );

  test('with a wrong password is refused, and a certificate of strangers not taken', async () => {
    const { target } = await openRegistrar();
    const account = { ...secret, password: 'wrong' };
    const wrong = await openPhone({ server: target, user: 'pbx', account });
    wrong.phone.register();
    expect(await wrong.until('registration_failed')).toMatchObject({ status: 403 });
    const secure = await openRegistrar('TLS');
    const stranger = await openPhone({ transport: 'TLS', server: secure.target, user: 'pbx', account: secret });
    stranger.phone.register();
    expect(await stranger.until('registration_failed')).toMatchObject({ status: 503 });
  });
});

describe('the command', () => {
  test('places a call that another answers, plays a file, records, and prints what happened', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-phone-'));
    try {
      const bob = await openPhone({ play: () => toneFrames(800) });
      const file = path.join(folder, 'heard.wav');
      const call = ['--server', `127.0.0.1:${bob.target.port}`, '--call', '4930123'];
      const recorded = execute('phone', ...call, '--record', file);
      await hasHeard(bob, 2.2);
      bob.phone.lastCall?.hangUp();
      const lines = await recorded;
      const said = lines.map((line) => line.replace(/^ *[\d.]+ s {2}/, '').replace(/[\d.]+ s/g, 'N s'));
      expect(said).toContain('hears a tone of 800 Hz at -13 dB');
      expect(said.filter((line) => !line.startsWith('hears'))).toEqual([
        expect.stringMatching(/^ready at sip:phone@127.0.0.1:\d+$/),
        'calling 4930123',
        '180 Ringing',
        'answered, PCMU',
        expect.stringMatching(/^ended \(remote\) after N s, heard N s in \d+ packets$/),
        `recorded N s to ${file}`,
      ]);
      expect(toneOf(readWav(await readFile(file)))).toBe(800);
      const played = execute('phone', ...call, '--play', file, '--json');
      await bob.until('answered', 2);
      await hasHeard(bob, 0.5);
      bob.phone.lastCall?.hangUp();
      expect((await played).map((line) => JSON.parse(line).event)).toContain('ended');
      expect(toneOf(bob.phone.lastCall?.heard.samples ?? new Int16Array())).toBe(800);
      const brief = await execute('phone', ...call, '--hang-up', '0.2', '--json');
      expect(brief.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({ event: 'ended', cause: 'local' }),
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('waits for a call, and stops after it', async () => {
    const lines: string[] = [];
    const { phone: placeholder, target } = await openPhone();
    await placeholder.close();
    const { port } = target;
    const waiting = execute('phone', '--port', String(port), '--reject', '486', '--calls', '1', '--json').then((said) =>
      lines.push(...said),
    );
    const alice = await openPhone({ server: { transport: 'UDP', address: '127.0.0.1', port } });
    await alice.phone.call('1');
    expect(await alice.until('failed')).toMatchObject({ status: 486 });
    await waiting;
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(['ready', 'incoming']);
  });

  test.each([
    [['--call', '1'], 'A call needs --server.'],
    [['--server', 'a b'], '"a b" is not a host with an optional port.'],
    [['--transport', 'sctp'], '--transport must be one of udp, tcp, tls, not "sctp".'],
    [['--keys', '12x'], '--keys must be keys such as 123#, not "12x".'],
    [['--play', 'there-is-no.wav'], '--play: there-is-no.wav cannot be read.'],
  ])('says what is wrong with %j', async (args, message) => {
    await expect(execute('phone', ...args)).rejects.toThrow(message);
  });

  test('says that a file is no WAV file, and that nobody answered', async () => {
    const file = path.join(os.tmpdir(), `trunkline-${process.pid}.txt`);
    await writeFile(file, 'text');
    await expect(execute('phone', '--play', file)).rejects.toThrow('It is not a WAV file.');
    await rm(file);
    const bob = await openPhone({ reject: 404 });
    const call = ['--server', `127.0.0.1:${bob.target.port}`, '--call', '1'];
    await expect(execute('phone', ...call)).rejects.toThrow('The call was not answered.');
  });
});
