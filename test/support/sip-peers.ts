/** SIP peers of a test: endpoints of our own on loopback that call and are called. */
import { dialPolicy } from '../../src/business/b2bua/dial-policy.ts';
import { SipEndpoint } from '../../src/business/b2bua/endpoint.ts';
import { addressPolicy } from '../../src/engines/outbound/address-policy.ts';
import type { IncomingCall } from '../../src/engines/sip/dialog/incoming-call.ts';
import type { Session, SessionUser } from '../../src/engines/sip/dialog/session.ts';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';

const everywhere = addressPolicy({ allowEverything: true, allowedRanges: [] });
const edges = ['127.0.0.1'];
const sipConfig = {
  hosts: ['127.0.0.1'],
  advertised: [],
  certificateFile: null,
  keyFile: null,
  authoritiesFile: null,
  callsPerSecond: 1_000,
  edges,
};

export async function openPeer(env: WholeEnvironment): Promise<SipEndpoint> {
  const endpoint = new SipEndpoint(env, { policy: dialPolicy('sandbox', everywhere), callsPerSecond: 1_000, edges });
  await endpoint.listen(sipConfig, { port: 0, isChosen: true, tlsPort: null });
  return endpoint;
}

/** An SDP with G.711 at this port. */
export const audioAt = (port: number) => ({
  type: 'application/sdp',
  body: Buffer.from(
    ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', `m=audio ${port} RTP/AVP 8`, ''].join(
      '\r\n',
    ),
  ),
});

/** Agrees to everything within a call. */
const agreeable = (ended: () => void = () => undefined): SessionUser => ({
  request: (_session, transaction) => transaction.reply(200),
  acknowledged: () => undefined,
  ended,
});

/** Rings and answers. */
export function answer(call: IncomingCall, mediaPort: number, ended?: () => void): void {
  call.progress(180);
  call.accept({ content: audioAt(mediaPort) }, agreeable(ended));
}

export interface Placed {
  session: Session;
  /** The description of the other side. */
  sdp: string;
}

/** Calls a number at a port of loopback; rejects with the status if nobody answers. */
export function placeCall(from: SipEndpoint, port: number, number: string, mediaPort = 41_000): Promise<Placed> {
  return new Promise((resolve, reject) => {
    const uri = `sip:${number}@127.0.0.1:${port}`;
    from.place(
      {
        ...{ uri, from: '<sip:1555@127.0.0.1>', to: `<${uri}>` },
        targets: [{ transport: 'UDP', address: '127.0.0.1', port }],
        // What a caller claims about its source must not count.
        extra: { headers: [['X-Trunkline-Source', 'udp 192.0.2.99 5060']], content: audioAt(mediaPort) },
      },
      {
        progress: () => undefined,
        answered: (_call, session, response) => {
          session.acknowledge(response);
          resolve({ session, sdp: String(response.body) });
        },
        failed: (_call, status, reason) => reject(new Error(`${status} ${reason}`)),
      },
      agreeable(),
    );
  });
}
