/**
 * docs/first-call.md as a reader goes through it: the commands are taken from the document, with the ports of this
 * server and the values it asks for filled in. The phones are the built-in one, baresip and Linphone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startBaresip } from '../support/baresip.ts';
import { startLinphone } from '../support/linphone.ts';
import { usePhones } from '../support/phones.ts';
import { stopGently } from '../support/stop-gently.ts';
import { startTrunkline, type Trunkline } from '../support/trunkline.ts';

const root = path.resolve(import.meta.dirname, '../..');
const openPhone = usePhones();
let folder: string;
let program: Trunkline;
let document: string;
/** What the document leaves to the reader, and where its addresses are in this test. */
const values: Record<string, string> = {};
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-first-call-'));
  program = startTrunkline(folder, { TRUNKLINE_PORT: 'off', TRUNKLINE_SANDBOX_SIP_PORT: '0' });
  document = await readFile(path.join(root, 'docs/first-call.md'), 'utf8');
  const { sandbox } = (await program.ready()).environments;
  values['http://127.0.0.1:8081'] = sandbox?.url ?? '';
  values['127.0.0.1:5070'] = `127.0.0.1:${sandbox?.sip?.udp}`;
  values['npm run trunkline --'] = `${process.execPath} ${path.join(root, 'src/main.ts')}`;
  const demo = JSON.parse(await readFile(path.join(folder, 'data/demo.sandbox.json'), 'utf8'));
  values['KEY=…'] = `KEY=${demo.sandbox.accounts[0].api_keys[0].key}`;
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(stopGently));
});
afterAll(async () => {
  await program?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The code block after this text, with the reader's values. */
function block(after: string): string {
  const start = document.indexOf(after);
  const code = /```\w*\n(.*?)```/s.exec(document.slice(start))?.[1];
  if (start < 0 || code === undefined) throw new Error(`the document has no commands after "${after}"`);
  return Object.entries(values).reduce((text, [written, meant]) => text.replaceAll(written, meant), code);
}

/** A shell with the document's commands. Its output grows while it runs. */
function shell(commands: string) {
  const env = { ...process.env, TRUNKLINE_DATA: path.join(folder, 'data'), NO_COLOR: '1' };
  const child = spawn('bash', ['-c', commands], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  const shown = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (shown.text += bytes));
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(shown.text)));
  return { child, ended, said: () => shown.text };
}

const run = (commands: string): Promise<string> => shell(commands).ended;
/** A first line such as `npm run …` of a block with several. */
const lineWith = (commands: string, words: string): string => {
  const line = commands.split('\n').find((each) => each.includes(words));
  if (line === undefined) throw new Error(`no line has "${words}"`);
  return line;
};
const patience = { timeout: 120_000, interval: 100 };

test('1 and 2: a trunk that a phone registers to, and a number that rings there', async () => {
  const { KEY, url } = { KEY: values['KEY=…'], url: values['http://127.0.0.1:8081'] };
  const list = `${KEY}; curl -s -g '${url}/v3/dids?filter[blocked]=false' -H "api-key: $KEY"`;
  // A job of the first start completes the order of the number.
  await expect.poll(async () => JSON.parse(await run(list)).data, patience).not.toEqual([]);
  const said = await run(`${block('## 1.')}\n${block('## 2.')}`);
  const printed = /incoming_auth_username: '(.+)',\s+incoming_auth_password: '(.+)',?\s+number: (\d+)\n$/.exec(said);
  const [, username = '', password = '', number = ''] = printed ?? expect.unreachable(said);
  Object.assign(values, { USERNAME: username, PASSWORD: password, NUMBER: number });
  const { data } = JSON.parse(
    await run(list.replace('false', `false&filter[number]=${values.NUMBER}&include=voice_in_trunk`)),
  );
  expect(data[0].relationships.voice_in_trunk.data).toMatchObject({ type: 'voice_in_trunks' });
  // Nobody has registered yet.
  expect(await run(block('## 4.'))).toContain(
    'not answered: 480 Temporarily Unavailable (The trunk is not registered)',
  );
});

test('3, 4 and 5: the built-in phone answers, both hear a tone, and the call can be watched, listed and traced', async () => {
  const watch = shell(lineWith(block('## 5.'), 'call watch'));
  const phone = shell(block('**The built-in one**'));
  await expect.poll(phone.said, patience).toContain('registered');
  await expect.poll(watch.said, patience).toContain('Waiting for calls');
  const said = await run(block('## 4.'));
  const example = /```\n( +0\.0 s {2}calling.*?)```/s.exec(document)?.[1] ?? '';
  const shape = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) =>
        line
          .trim()
          .replace(/^[\d.]+ s {2}/, '')
          .replace(/\d[\d.]*/g, 'N')
          .replace(/-N dB/, 'N dB'),
      );
  // The document's own lines, in its order; this phone also says that it is ready.
  expect(shape(said)).toEqual(expect.arrayContaining(shape(example)));
  await expect.poll(phone.said, patience).toMatch(/hears a tone of 440 Hz[\s\S]*ended \(remote\)/);
  await expect.poll(watch.said, patience).toMatch(/INVITE[\s\S]*180 Ringing[\s\S]*BYE[\s\S]*■ 200/);
  const commands = block('## 5.');
  const list = await run(lineWith(commands, 'call list'));
  const id = /\b10-[0-9A-F-]{20,}/.exec(list)?.[0] ?? '';
  const trace = await run(lineWith(commands, 'call trace').replace(' ID ', ` ${id} `));
  expect(trace).toMatch(/INVITE sip:[\s\S]*180 Ringing[\s\S]*200 OK[\s\S]*BYE sip:/);
  expect(await run(lineWith(commands, 'call refusals'))).not.toMatch(/rror/);
});

test('3 with baresip: registered by the line of the document, it answers, and the caller hears its own tone from it', async () => {
  const account = block('**baresip**').trim();
  const baresip = await startBaresip(`${account};answermode=auto`);
  try {
    await expect.poll(baresip.said, patience).toMatch(/registered successfully|200 OK/);
    const said = await run(`${block('## 4.').trim()} --tone 700`);
    expect(said).toMatch(/answered, PCM[AU]/);
    expect(said).toContain('hears a tone of 700 Hz');
  } finally {
    await baresip.stop();
  }
});

/** A real phone that has registered by the document, whatever its commands are called. */
interface RealPhone {
  hold(): Promise<void>;
  resume(): Promise<void>;
  hangUp(): Promise<void>;
  stop(): Promise<void>;
}

const realPhones: Record<string, () => Promise<RealPhone>> = {
  baresip: async () => {
    const baresip = await startBaresip(`${block('**baresip**').trim()};answermode=auto`);
    await expect.poll(baresip.said, patience).toMatch(/registered successfully|200 OK/);
    return {
      hold: () => baresip.press('hold'),
      resume: () => baresip.press('resume'),
      hangUp: () => baresip.press('hangup'),
      stop: baresip.stop,
    };
  },
  Linphone: async () => {
    const linphone = await startLinphone();
    linphone.type(block('**Linphone**').trim());
    const registered = () => {
      linphone.type('status register');
      return linphone.said();
    };
    await expect.poll(registered, patience).toMatch(/registered, identity=/);
    linphone.type('autoanswer enable');
    return {
      hold: async () => linphone.type('pause'),
      // It does not take back a call that it is still about to hold.
      resume: async () => {
        await expect.poll(linphone.said, patience).toContain('is now paused');
        linphone.type('resume');
      },
      hangUp: async () => linphone.type('terminate'),
      stop: linphone.stop,
    };
  },
};

test.each(Object.keys(realPhones))(
  '%s is called, holds and takes back, is held, and either side hangs up',
  async (name) => {
    const phone = (await realPhones[name]?.()) ?? expect.unreachable();
    try {
      const port = Number(values['127.0.0.1:5070']?.split(':')[1]);
      const server = { transport: 'UDP', address: '127.0.0.1', port } as const;
      const first = await openPhone({ server, domain: `127.0.0.1:${port}` });
      await first.phone.call(values.NUMBER ?? '');
      await first.until('answered');
      await phone.hold();
      expect(await first.until('held')).toMatchObject({ by: 'peer' });
      await phone.resume();
      expect(await first.until('resumed')).toMatchObject({ by: 'peer' });
      await phone.hangUp();
      expect(await first.until('ended')).toMatchObject({ cause: 'remote' });
      const second = await openPhone({ server, domain: `127.0.0.1:${port}`, holdAfterMs: 300, resumeAfterMs: 600 });
      await second.phone.call(values.NUMBER ?? '');
      expect(await second.until('resumed')).toMatchObject({ by: 'phone' });
      await second.phone.close();
      expect(await second.until('ended')).toMatchObject({ cause: 'local' });
      const commands = lineWith(block('## 5.'), 'call list');
      // The newest first.
      await expect
        .poll(
          async () => JSON.parse(await run(`${commands.split('#')[0]} --json --number ${values.NUMBER}`)).slice(0, 2),
          patience,
        )
        .toMatchObject([
          { state: 'ended', disconnect_code: 200 },
          { state: 'ended', disconnect_code: 200 },
        ]);
    } finally {
      await phone.stop();
    }
  },
);
