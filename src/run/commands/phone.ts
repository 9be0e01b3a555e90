/** `phone`: the built-in SIP phone. It registers, waits for calls or places one, and prints what happens. */
import { readFile, writeFile } from 'node:fs/promises';
import { type Field, oneOf, text, wholeNumber } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { jsonLine, type PhoneEvent, textLine } from '../../engines/phone/events.ts';
import { localAddressTowards, Phone, type PhoneSettings } from '../../engines/phone/phone.ts';
import { SipError } from '../../engines/sip/message/sip-error.ts';
import { formatHostPort, parseSipUriOnly } from '../../engines/sip/message/uri.ts';
import { locate } from '../../engines/sip/resolve/locate.ts';
import { machineResolver } from '../../engines/sip/resolve/resolver.ts';
import type { TransportName } from '../../engines/sip/transport/wire.ts';
import { encodeMuLaw } from '../../engines/speech/g711.ts';
import { frameSamples, framesOf } from '../../engines/speech/rtp.ts';
import { isKey } from '../../engines/speech/telephone-event.ts';
import { toneFrames } from '../../engines/speech/tone.ts';
import { readWav, WavError, wavOfSamples } from '../../engines/speech/wav.ts';
import { listenForStop } from '../boot/stop-signals.ts';
import { argument, defineCommand, type Options, option, type Values } from './command.ts';

const options = {
  server: { type: 'string', value: 'HOST[:PORT]', summary: 'where it registers and sends calls to' },
  transport: { type: 'string', value: 'udp|tcp|tls', summary: 'how (udp)' },
  ca: { type: 'string', value: 'FILE', summary: "authority of the server's certificate, in PEM (the system's)" },
  user: { type: 'string', value: 'NAME', summary: 'user name; with a password it registers (phone)' },
  password: { type: 'string', value: 'TEXT', summary: 'password of the registration and of calls' },
  domain: { type: 'string', value: 'NAME', summary: 'domain of addresses (the host of --server)' },
  host: { type: 'string', value: 'ADDRESS', summary: 'own address (the one that reaches the server, else 127.0.0.1)' },
  port: { type: 'string', value: 'PORT', summary: 'own port (any free one)' },
  call: { type: 'string', value: 'NUMBER', summary: 'place a call, and stop when it ends' },
  answer: { type: 'string', value: 'SECONDS|never', summary: 'answer a call after this time (1)' },
  reject: { type: 'string', value: 'STATUS', summary: 'refuse every call, for example with 486' },
  codec: { type: 'string', value: 'PCMU|PCMA', summary: 'take this codec only (both)' },
  tone: { type: 'string', value: 'HERTZ', summary: 'play a tone (440)' },
  play: { type: 'string', value: 'FILE', summary: 'play a WAV file once instead, then silence' },
  keys: { type: 'string', value: 'KEYS', summary: 'press these keys a second after the answer' },
  hold: { type: 'string', value: 'SECONDS', summary: 'put the call on hold after this time' },
  resume: { type: 'string', value: 'SECONDS', summary: 'take it back after this time' },
  'hang-up': { type: 'string', value: 'SECONDS', summary: 'hang up after this time (when the caller does)' },
  record: { type: 'string', value: 'FILE', summary: 'write what the last call heard to a WAV file' },
  calls: { type: 'string', value: 'COUNT', summary: 'stop after so many calls (on Ctrl+C)' },
  json: { type: 'boolean', summary: 'print events as JSON, one a line' },
} as const satisfies Options;

type Given = Values<typeof options>;

export const phoneCommand = defineCommand({
  name: 'phone',
  summary: 'A small SIP phone: register or wait for calls, or place one, and print what it hears.',
  options,
  notes: [
    'Times count from the answer. G.711 only, no encryption of audio; one call at a time, a second one is busy.',
    'docs/first-call.md shows it at work.',
  ].join('\n'),
  run: async ({ values, out }) => {
    const stop = listenForStop();
    const started = performance.now();
    let notAnswered: PhoneEvent | null = null;
    const settings = await settingsOf(values);
    const line = values.json ? jsonLine : textLine;
    const report = (event: PhoneEvent) => {
      out(line(event, (performance.now() - started) / 1000));
      if (event.event === 'failed') notAnswered = event;
    };
    const count = option('calls', values.calls, wholeNumber(1, 1_000_000)) ?? (values.call === undefined ? null : 1);
    const phone = await Phone.open(settings, report);
    try {
      if (settings.account !== null && settings.server !== null) phone.register();
      if (values.call !== undefined) await phone.call(values.call);
      await Promise.race([stop.first, ...(count === null ? [] : [phone.afterCalls(count)])]);
    } finally {
      await phone.close();
      stop.end();
    }
    const { record } = values;
    const heard = phone.lastCall?.heard;
    if (record !== undefined && heard !== undefined) {
      await writeFile(record, wavOfSamples(heard.samples));
      report({ event: 'recorded', file: record, seconds: Number(heard.seconds.toFixed(1)) });
    }
    if (values.call !== undefined && notAnswered !== null) throw new OperatorError('The call was not answered.');
  },
});

const seconds = text(/^\d{1,5}(\.\d+)?$/, 'a number of seconds');

async function settingsOf(given: Given): Promise<PhoneSettings> {
  const transport = transportOf(given.transport ?? 'udp');
  const server = given.server === undefined ? null : await serverOf(given.server, transport, given.domain);
  if (given.call !== undefined && server === null) throw new OperatorError('A call needs --server.');
  const user = option('user', given.user, text(/^[\w.+-]{1,64}$/, 'letters, digits and . _ + -')) ?? 'phone';
  const milliseconds = (name: 'answer' | 'hold' | 'resume' | 'hang-up') =>
    given[name] === undefined ? null : Number(option(name, given[name], seconds)) * 1000;
  return {
    transport,
    host: given.host ?? (server === null ? '127.0.0.1' : await localAddressTowards(server.target)),
    port: option('port', given.port, wholeNumber(0, 65_535)) ?? 0,
    user,
    account: given.password === undefined ? null : { username: user, password: given.password },
    server,
    ...(given.ca === undefined ? {} : { ca: await readGiven('ca', given.ca) }),
    answerAfterMs: given.answer === 'never' ? null : (milliseconds('answer') ?? 1_000),
    reject: option('reject', given.reject, statusField) ?? null,
    behaviour: {
      codecs: given.codec === undefined ? null : [argument('--codec', given.codec, oneOf('PCMU', 'PCMA'))],
      play: await playing(given),
      keys: option('keys', given.keys, keysField) ?? '',
      holdAfterMs: milliseconds('hold'),
      resumeAfterMs: milliseconds('resume'),
      hangUpAfterMs: milliseconds('hang-up'),
    },
  };
}

const statusField: Field<number> = wholeNumber(300, 699);
const keysField: Field<string> = (value) => {
  const keys = text(/^[0-9*#A-D]{1,100}$/, 'keys such as 123#')(value);
  return [...keys].every(isKey) ? keys : '';
};

function transportOf(name: string): TransportName {
  const upper = name.toUpperCase();
  if (upper === 'UDP' || upper === 'TCP' || upper === 'TLS') return upper;
  throw new OperatorError(`--transport must be one of udp, tcp, tls, not "${name}".`);
}

async function serverOf(given: string, transport: TransportName, domain: string | undefined) {
  try {
    const uri = parseSipUriOnly(`sip:${given};transport=${transport.toLowerCase()}`);
    const [target] = await locate(uri, {
      resolver: machineResolver(),
      transports: [transport],
      families: [4, 6],
      random: Math.random,
    });
    if (target === undefined) throw new OperatorError(`${given} cannot be found.`);
    return { target, domain: domain ?? formatHostPort({ host: uri.host, port: uri.port }) };
  } catch (error) {
    throw error instanceof SipError ? new OperatorError(`"${given}" is not a host with an optional port.`) : error;
  }
}

async function playing(given: Given): Promise<() => Iterable<Uint8Array>> {
  if (given.play === undefined) {
    const hertz = option('tone', given.tone, wholeNumber(50, 3_400)) ?? 440;
    return () => toneFrames(hertz);
  }
  try {
    const samples = readWav(await readGiven('play', given.play));
    const audio = new Uint8Array(Math.ceil(samples.length / frameSamples) * frameSamples).fill(encodeMuLaw(0));
    for (const [at, sample] of samples.entries()) audio[at] = encodeMuLaw(sample);
    return () => framesOf(audio);
  } catch (error) {
    throw error instanceof WavError ? new OperatorError(`${given.play} cannot be played. ${error.message}`) : error;
  }
}

async function readGiven(name: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch {
    throw new OperatorError(`--${name}: ${file} cannot be read.`);
  }
}
