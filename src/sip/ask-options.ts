/** Asks a peer with OPTIONS outside of a dialog whether it is there (RFC 3261 11). */
import type { Agent } from './dialog/agent.ts';
import { SipRequest, type SipResponse } from './message/message.ts';
import type { Target } from './transport/wire.ts';

interface OptionsQuestion {
  /** Request-URI, and To. */
  uri: string;
  /** From without a tag. */
  from: string;
  target: Target;
  routes?: readonly string[];
  /** A peer that has not answered by then is not there. Over UDP the request is repeated meanwhile. */
  waitMs: number;
  /** Gives the question up. */
  signal?: AbortSignal;
}

/** Resolves with the final response, or null if there was none in time or nothing could be sent. Never rejects. */
export function askOptions(agent: Agent, { uri, from, target, routes, waitMs, signal }: OptionsQuestion) {
  const request = new SipRequest('OPTIONS', uri);
  request.headers.add('Max-Forwards', '70');
  request.headers.addAll('Route', routes ?? []);
  request.headers.add('From', `${from};tag=${agent.ids.next()}`);
  request.headers.add('To', `<${uri}>`);
  request.headers.add('Call-ID', agent.ids.next());
  request.headers.add('CSeq', '1 OPTIONS');
  request.headers.add('Contact', agent.contact(target));
  request.headers.add('Accept', 'application/sdp');
  return new Promise<SipResponse | null>((resolve) => {
    const settle = (response: SipResponse | null) => {
      timer.close();
      signal?.removeEventListener('abort', giveUp);
      resolve(response);
      if (response === null) transaction.end();
    };
    const giveUp = () => settle(null);
    signal?.addEventListener('abort', giveUp);
    const timer = agent.timers.after(waitMs, settle, null);
    const transaction = agent.transactions.send(request, target, {
      response: (response) => {
        if (response.status >= 200) settle(response);
      },
      failed: giveUp,
    });
  });
}
