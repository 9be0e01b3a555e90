/** A SIP call between peers whose every free text is markup: what strangers can write into the trace of a call. */
import { expect, vi } from 'vitest';
import { openSocket } from './datagrams.ts';
import { MarkedMarkup } from './marked-markup.ts';
import { audioAt } from './sip-peers.ts';

interface HostileTrunk {
  readonly port: number;
  /** What it answers with. */
  readonly texts: readonly string[];
  close(): Promise<void>;
}

/** Equipment of a customer that is always busy, and says so in markup. */
export async function openHostileTrunk(markup: MarkedMarkup): Promise<HostileTrunk> {
  const { socket, port } = await openSocket();
  const reason = markup.text('reason of a SIP response', { short: true });
  const server = markup.text('header of a SIP response');
  socket.on('message', (bytes, { port: sender }) => {
    const request = String(bytes);
    if (!request.startsWith('INVITE ')) return;
    const copied = request.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq|v|f|t|i):/i.test(line));
    const lines = copied.map((line) => (/^(To|t):/i.test(line) ? `${line};tag=hostile` : line));
    const response = [`SIP/2.0 486 ${reason}`, ...lines, `Server: ${server}`, 'Content-Length: 0', '', ''];
    socket.send(response.join('\r\n'), sender, '127.0.0.1');
  });
  return { port, texts: [reason, server], close: async () => void socket.close() };
}

/**
 * Calls a number, and acknowledges that it is refused. Customers do not see the messages of callers, so they have no
 * marks.
 */
export async function callWithMarkup(sipPort: number, number: string): Promise<void> {
  const { socket, port, received } = await openSocket();
  const [name, text] = [new MarkedMarkup().text('', { short: true }), new MarkedMarkup().text('')];
  const uri = `sip:${number}@127.0.0.1:${sipPort}`;
  const message = (method: string, to: string, body: string): string =>
    [
      `${method} ${uri} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK-markup-${port}`,
      'Max-Forwards: 70',
      `From: "${name}" <sip:442079460077@127.0.0.1>;tag=markup`,
      `To: ${to}`,
      `Call-ID: markup-${port}@127.0.0.1`,
      `CSeq: 1 ${method}`,
      `Contact: <sip:442079460077@127.0.0.1:${port}>`,
      `Subject: ${text}`,
      `User-Agent: ${name}`,
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
  const refusal = () => received.map(String).find((each) => /^SIP\/2\.0 [3-6]/.test(each));
  try {
    socket.send(message('INVITE', `<${uri}>`, String(audioAt(41_000).body)), sipPort, '127.0.0.1');
    await vi.waitFor(() => expect(refusal()).toBeDefined(), { timeout: 60_000 });
    const [, to = ''] = /^To: *(.*)$/im.exec(refusal() ?? '') ?? [];
    socket.send(message('ACK', to.trim(), ''), sipPort, '127.0.0.1');
  } finally {
    socket.close();
  }
}
