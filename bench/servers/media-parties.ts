/**
 * The parties of many calls, in a process of their own: each sends G.711 packets of 20 ms, with the time in them, and
 * hears what arrives. Asked by `bench/media/parties.ts`.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { CallPorts, FromParties, Heard, Load, ToParties } from '../media/messages.ts';

const rtpHeader = 12;
const frameBytes = 160;
const frameUnits = 160;
const receiveBuffer = 256 * 1024;
/** After the last packet was sent: so long without another arrival means that the rest is lost. */
const quietMs = 1_000;
/** The first moments, in which code is compiled, have no part in the delays. */
const warmUpMs = 1_500;

/** Packets that are sent before what has arrived is read. */
const mostAtOnce = 200;
/** A machine that cannot send them in time sends fewer. */
const mostDelayed = 1.3;

/** One party of a call, and the packet that it sends again and again. */
interface Party {
  readonly socket: Socket;
  readonly packet: Buffer;
  sequence: number;
}

let parties: Party[] = [];
let sent = 0;
let received = 0;
let delays: number[] = [];
let measuresFrom = Number.POSITIVE_INFINITY;
/** In a closed loop what arrives lets its sender send again. */
let isLoop = false;

async function openParty(number: number): Promise<Party> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.setRecvBufferSize(receiveBuffer);
  socket.on('error', () => undefined);
  const packet = Buffer.alloc(rtpHeader + frameBytes, 0xff);
  packet.writeUInt16BE(0x8000, 0);
  packet.writeUInt32BE(number + 1, 8);
  const party = { socket, packet, sequence: 0 };
  socket.on('message', (bytes) => hear(bytes));
  return party;
}

function hear(bytes: Buffer): void {
  received += 1;
  const now = performance.now();
  if (isLoop) sendOf(parties[bytes.readUInt32BE(8) - 1]);
  else if (now >= measuresFrom) delays.push(now - bytes.readDoubleBE(rtpHeader));
}

function sendOf(party: Party | undefined): void {
  if (party === undefined) return;
  const { socket, packet } = party;
  party.sequence += 1;
  packet.writeUInt16BE(party.sequence & 0xffff, 2);
  packet.writeUInt32BE((party.sequence * frameUnits) >>> 0, 4);
  packet.writeDoubleBE(performance.now(), rtpHeader);
  socket.send(packet);
  sent += 1;
}

async function open(calls: number): Promise<CallPorts[]> {
  for (const { socket } of parties) socket.close();
  parties = [];
  for (let number = 0; number < 2 * calls; number++) parties.push(await openParty(number));
  const portOf = (at: number): number => parties[at]?.socket.address().port ?? 0;
  return Array.from({ length: calls }, (_, call) => ({ left: portOf(2 * call), right: portOf(2 * call + 1) }));
}

/** From then on only what the relay sends is heard. */
async function connect(calls: readonly CallPorts[]): Promise<void> {
  const targets = calls.flatMap(({ left, right }) => [left, right]);
  for (const [at, { socket }] of parties.entries()) {
    socket.connect(targets[at] ?? 0, '127.0.0.1');
    await once(socket, 'connect');
  }
}

async function run({ calls, seconds, packetsPerSecond }: Load): Promise<Heard> {
  await connect(calls);
  sent = 0;
  received = 0;
  delays = [];
  isLoop = packetsPerSecond === null;
  const started = performance.now();
  measuresFrom = started + warmUpMs;
  if (packetsPerSecond === null) await runLoop(seconds);
  else await runAtPace(seconds, packetsPerSecond, started);
  const took = (performance.now() - started) / 1_000;
  await quiet();
  delays.sort((one, other) => one - other);
  const delayAt = (part: number): number => delays[Math.floor(delays.length * part)] ?? Number.NaN;
  const missedByParties = await droppedPackets();
  return { sent, received, missedByParties, seconds: took, delayP50Ms: delayAt(0.5), delayP99Ms: delayAt(0.99) };
}

async function runLoop(seconds: number): Promise<void> {
  for (const party of parties) sendOf(party);
  await sleep(1_000 * seconds);
  isLoop = false;
}

/**
 * All packets are due by the clock: one that is late is sent soon, and delays none of the next. Between some of them
 * what has arrived is read.
 */
async function runAtPace(seconds: number, packetsPerSecond: number, started: number): Promise<void> {
  const perMs = (parties.length * packetsPerSecond) / 1_000;
  const all = Math.round(1_000 * seconds * perMs);
  const latest = started + 1_000 * seconds * mostDelayed;
  while (sent < all && performance.now() < latest) {
    const due = Math.min(all, Math.floor((performance.now() - started) * perMs));
    const isBehind = due > sent + mostAtOnce;
    for (const end = Math.min(due, sent + mostAtOnce); sent < end; ) sendOf(parties[sent % parties.length]);
    await (isBehind ? setImmediate() : sleep(1));
  }
}

async function quiet(): Promise<void> {
  let before = -1;
  while (received < sent && received > before) {
    before = received;
    await sleep(quietMs);
  }
}

/** As the kernel counts them, in the last column; 0 where there is no /proc. */
async function droppedPackets(): Promise<number> {
  const ports = new Set(parties.map(({ socket }) => socket.address().port));
  const text = await readFile('/proc/net/udp', 'utf8').catch(() => '');
  let dropped = 0;
  for (const line of text.split('\n').slice(1)) {
    const [, local = ''] = line.trim().split(/\s+/);
    if (ports.has(Number.parseInt(local.split(':')[1] ?? '', 16))) dropped += Number(line.trim().split(/\s+/).at(-1));
  }
  return dropped;
}

const answer = (message: FromParties): void => void process.send?.(message);

process.on('message', async (request: ToParties) => {
  if (request.kind === 'open') answer({ kind: 'opened', calls: await open(request.calls) });
  else answer({ kind: 'heard', heard: await run(request.load) });
});
