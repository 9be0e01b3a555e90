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

/**
 * Resolves with the final response, or in words why there was none: nobody answered in time, or nothing could be sent.
 * Never rejects.
 */
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
  return new Promise<SipResponse | string>((resolve) => {
    const settle = (response: SipResponse | string) => {
      timer.close();
      signal?.removeEventListener('abort', giveUp);
      resolve(response);
      if (typeof response === 'string') transaction.end();
    };
    const giveUp = () => settle('no response');
    signal?.addEventListener('abort', giveUp);
    const timer = agent.timers.after(waitMs, giveUp, null);
    const transaction = agent.transactions.send(request, target, {
      response: (response) => {
        if (response.status >= 200) settle(response);
      },
      failed: (_cause, _transaction, why) => settle(why),
    });
  });
}
