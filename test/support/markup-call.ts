/** A SIP call whose free texts are markup: what a stranger can write into the trace of somebody else's call. */
import { expect } from 'vitest';
import { openSocket } from './datagrams.ts';
import type { MarkedMarkup } from './marked-markup.ts';

/** Calls a number that rings nowhere, and acknowledges the refusal. Returns the texts that were sent. */
export async function callWithMarkup(markup: MarkedMarkup, sipPort: number, number: string): Promise<string[]> {
  const { socket, port, received } = await openSocket();
  const name = markup.text('display name of a caller', { short: true });
  const subject = markup.text('subject of a SIP message');
  const equipment = markup.text('equipment of a caller', { short: true });
  const uri = `sip:${number}@127.0.0.1:${sipPort}`;
  const message = (method: string, to: string): string =>
    [
      `${method} ${uri} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK-markup-${port}`,
      'Max-Forwards: 70',
      `From: "${name}" <sip:442079460077@127.0.0.1>;tag=markup`,
      `To: ${to}`,
      `Call-ID: markup-${port}@127.0.0.1`,
      `CSeq: 1 ${method}`,
      `Contact: <sip:442079460077@127.0.0.1:${port}>`,
      `Subject: ${subject}`,
      `User-Agent: ${equipment}`,
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n');
  const refusal = () => received.map(String).find((text) => /^SIP\/2\.0 [3-6]/.test(text));
  try {
    socket.send(message('INVITE', `<${uri}>`), sipPort, '127.0.0.1');
    await expect.poll(refusal, { timeout: 30_000 }).toBeDefined();
    const [, to = ''] = /^To: *(.*)$/im.exec(refusal() ?? '') ?? [];
    socket.send(message('ACK', to.trim()), sipPort, '127.0.0.1');
    return [name, subject, equipment];
  } finally {
    socket.close();
  }
}
