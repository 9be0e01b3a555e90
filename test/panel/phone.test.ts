/**
 * The phone in the browser: Chromium with a tone for a microphone, called by the built-in phone over UDP, and calling
 * the phone of the sandbox that echoes. What each side says is recognised at the other one.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { wavOfSamples } from '../../src/engines/speech/wav.ts';
import { openPanelBrowser } from '../support/panel-browser.ts';
import { usePhones } from '../support/phones.ts';
import { useOpened } from '../support/use.ts';

const spokenHertz = 700;
const playedHertz = 440;
let folder: string;

const panel = useOpened(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'trunkline-microphone-'));
  const file = path.join(folder, 'microphone.wav');
  const samples = Int16Array.from(
    { length: 80_000 },
    (_, at) => 12_000 * Math.sin((2 * Math.PI * spokenHertz * at) / 8_000),
  );
  await writeFile(file, wavOfSamples(samples));
  return openPanelBrowser([
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${file}`,
    '--autoplay-policy=no-user-gesture-required',
  ]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const openPhone = usePhones();

/** Keeps the connections that the page makes, so that what comes by them can be measured. */
async function keepPeers(page: Page): Promise<void> {
  await page.addInitScript(`
    window.peers = [];
    const Usual = window.RTCPeerConnection;
    window.RTCPeerConnection = class extends Usual {
      constructor(...given) { super(...given); window.peers.push(this); }
    };`);
}

/** As it is shown, in groups of digits. */
const shownNumber = async (option: Locator): Promise<string> =>
  /\+[\d\s()-]+\d/.exec((await option.textContent()) ?? '')?.[0] ?? '';

/** The strongest frequency that the page hears now. */
const heardHertz = (page: Page): Promise<number> =>
  page.evaluate(`(async () => {
    const peer = window.peers.at(-1);
    const { track } = peer.getReceivers()[0];
    const context = new AudioContext();
    const analyser = new AnalyserNode(context, { fftSize: 8192 });
    context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const levels = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(levels);
    const strongest = levels.indexOf(Math.max(...levels));
    const hertz = levels[strongest] < -60 ? 0 : (strongest * context.sampleRate) / analyser.fftSize;
    await context.close();
    return hertz;
  })()`);

test('a number rings in the browser; both sides hear each other, keys and muting arrive, and it is put back', async () => {
  const page = await panel.customer();
  await keepPeers(page);
  await page.goto(`${panel.url}/phone`);
  await page.getByRole('combobox', { name: 'Number', exact: true }).click();
  const option = page.getByRole('option').first();
  const number = (await shownNumber(option)).replace(/\D/g, '');
  await option.click();
  await page.getByRole('button', { name: 'Ring here' }).click();
  await page.getByRole('status').filter({ hasText: 'ready' }).waitFor();
  await page.getByRole('table', { name: 'Numbers that ring here' }).getByRole('link').waitFor();

  const server = { transport: 'UDP', address: '127.0.0.1', port: panel.sipPort } as const;
  const caller = await openPhone({ server, user: '442079460001' });
  await caller.phone.call(number);
  await page.getByText('Incoming call').waitFor();
  await page.getByRole('button', { name: 'Answer' }).click();
  await caller.until('answered');
  await expect.poll(() => heardHertz(page)).toBeCloseTo(playedHertz, -1.5);
  await expect
    .poll(() => caller.events.filter(({ event }) => event === 'hearing').at(-1))
    .toMatchObject({ tone_hz: spokenHertz });

  await page.getByRole('group', { name: 'Keys' }).getByRole('button', { name: '5' }).click();
  expect(await caller.until('key')).toMatchObject({ key: '5' });
  await page.getByRole('group', { name: 'Sound' }).getByText('Sound: good').waitFor();
  await page.getByRole('button', { name: 'Mute' }).click();
  await expect
    .poll(() => caller.events.filter(({ event }) => event === 'hearing').at(-1))
    .toMatchObject({ tone_hz: null });
  await page.getByRole('button', { name: 'Unmute' }).click();
  await expect
    .poll(() => caller.events.filter(({ event }) => event === 'hearing').at(-1))
    .toMatchObject({ tone_hz: spokenHertz });
  await page.getByRole('button', { name: 'Hang up' }).click();
  await caller.until('ended');
  await page.getByText('The call has ended.').waitFor();

  await page.getByRole('button', { name: /^Ring as before/ }).click();
  await page.getByRole('table', { name: 'Numbers that ring here' }).waitFor({ state: 'detached' });
  expect(panel.problems).toEqual([]);
});

test('a call out of the browser reaches the phone of the sandbox that echoes, and a number that rings in another tab', async () => {
  const page = await panel.customer();
  await keepPeers(page);
  await page.goto(`${panel.url}/phone`);
  const add = page.getByRole('button', { name: 'Add a trunk for this browser' });
  await add.click();
  await add.waitFor({ state: 'detached' });
  const trunk = page.getByRole('combobox', { name: 'Outbound trunk' });
  await expect.poll(() => trunk.inputValue()).toContain('Browser phone of');
  await page.getByRole('combobox', { name: 'Calls as' }).click();
  await page.getByRole('option').first().click();
  await page.getByRole('textbox', { name: 'Number to call' }).fill('+49 30 123456');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.getByText('In a call').waitFor();
  await page.getByRole('status').filter({ hasText: 'in a call' }).waitFor();
  await expect.poll(() => heardHertz(page)).toBeCloseTo(spokenHertz, -1.5);
  await page.getByRole('button', { name: 'Hang up' }).click();
  await page.getByText('The call has ended.').waitFor();

  // As README says.
  const ringing = await panel.customer();
  await keepPeers(ringing);
  await ringing.goto(`${panel.url}/phone`);
  await ringing.getByRole('combobox', { name: 'Number', exact: true }).click();
  const option = ringing.getByRole('option').first();
  const number = await shownNumber(option);
  await option.click();
  await ringing.getByRole('button', { name: 'Ring here' }).click();
  await ringing.getByRole('status').filter({ hasText: 'ready' }).waitFor();
  await page.getByRole('textbox', { name: 'Number to call' }).fill(number);
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await ringing.getByText('Incoming call').waitFor();
  await ringing.getByRole('button', { name: 'Answer' }).click();
  await page.getByText('In a call').waitFor();
  for (const tab of [ringing, page]) await expect.poll(() => heardHertz(tab)).toBeCloseTo(spokenHertz, -1.5);
  await page.getByRole('button', { name: 'Hang up' }).click();
  await ringing.getByText('The call has ended.').waitFor();
  expect(panel.problems).toEqual([]);
});
