/** A phone in a real browser: one peer connection that sends a tone of its own, and tells which tone it hears. */
import path from 'node:path';
import type { Page } from 'playwright-core';

/** Loopback has no candidates otherwise, and nobody clicks before sound is made. */
export const browserPhoneFlags = ['--allow-loopback-in-peer-connection', '--autoplay-policy=no-user-gesture-required'];

const program = path.join(import.meta.dirname, 'browser-phone.page.js');

interface BrowserPhone {
  offer(): Promise<Buffer>;
  answer(offer: Buffer): Promise<Buffer>;
  accept(answer: Buffer): Promise<void>;
  /** The frequency of what is loudest, to about 12 Hz; null where it is quiet. */
  hears(): Promise<number | null>;
  /** Of the peer connection. */
  state(): Promise<string>;
  close(): Promise<void>;
}

export async function openBrowserPhone(page: Page, hertz: number, options: object = {}): Promise<BrowserPhone> {
  await page.addScriptTag({ path: program });
  const run = <Result>(call: string): Promise<Result> => page.evaluate(call);
  const described = async (call: string) => Buffer.from(await run<string>(call));
  const quoted = (sdp: Buffer) => JSON.stringify(sdp.toString());
  await run(`openPhone(${hertz}, ${JSON.stringify(options)})`);
  return {
    offer: () => described('phone.offer()'),
    answer: (offer) => described(`phone.answer(${quoted(offer)})`),
    accept: (answer) => run(`phone.accept(${quoted(answer)})`),
    hears: () => run('phone.hears()'),
    state: () => run('phone.state()'),
    close: () => page.close(),
  };
}
