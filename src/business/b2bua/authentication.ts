/** Digest authentication of customers: of the calls of outbound trunks, and of registrations. */
import { randomBytes } from 'node:crypto';
import type { Environment } from '../../engines/environment.ts';
import { secretHash } from '../../engines/sip/digest/hash.ts';
import { DigestServer, type Verdict } from '../../engines/sip/digest/server.ts';
import { machineIds } from '../../engines/sip/ids.ts';
import type { SipRequest } from '../../engines/sip/message/message.ts';
import type { ServerTransaction } from '../../engines/sip/transaction/server-transaction.ts';
import { isWebSocket } from '../../engines/sip/transport/wire.ts';

const realm = 'trunkline';

/**
 * Phones that give up when one of several challenges names an algorithm they do not know: they are offered MD5 alone.
 */
const md5Only = ['MD5'] as const;

export interface GivenCredentials {
  username: string;
  isMadeWith(password: string): boolean;
  /** After `isMadeWith`: the password was right, but the nonce is too old. */
  readonly isStale: boolean;
}

export class Authentication {
  readonly #server: DigestServer;
  readonly #md5Agents: readonly string[];
  readonly #offersMd5: boolean;

  constructor(env: Environment) {
    this.#offersMd5 = env.calls.digest.includes('MD5');
    this.#md5Agents = env.calls.md5Agents.map((agent) => agent.toLowerCase());
    this.#server = new DigestServer({
      realm,
      // Of this process alone, which remembers what was used. An edge sends the requests of a Call-ID to one process.
      secret: randomBytes(32).toString('base64'),
      ids: machineIds,
      now: () => env.clock.now().getTime(),
      algorithms: env.calls.digest,
    });
  }

  /** Null without credentials for this realm; `stale` if their nonce is unknown, so that the client tries again. */
  credentials({ request, flow }: ServerTransaction): GivenCredentials | 'stale' | null {
    const check = (password: string | null): Verdict =>
      this.#server.verify(request, 'user', bindingOf(request, flow.address), (username, algorithm) =>
        password === null ? null : secretHash(algorithm, username, realm, password),
      );
    const first = check(null);
    if (first.outcome === 'challenge') return first.stale ? 'stale' : null;
    let isStale = false;
    return {
      username: first.username,
      isMadeWith: (password) => {
        const verdict = check(password);
        isStale = verdict.outcome === 'challenge' && verdict.stale;
        return verdict.outcome === 'accepted';
      },
      get isStale() {
        return isStale;
      },
    };
  }

  challenge(transaction: ServerTransaction, isStale: boolean): readonly (readonly [string, string])[] {
    const response = transaction.makeResponse(401);
    const { request, flow } = transaction;
    const agent = request.headers.first('User-Agent')?.toLowerCase() ?? '';
    // JsSIP and SIP.js know MD5 alone; the first takes the last challenge that it reads.
    const isOfBrowser = isWebSocket(flow.transport) && this.#offersMd5;
    const isOld = isOfBrowser || this.#md5Agents.some((prefix) => agent.startsWith(prefix));
    this.#server.challenge(response, 'user', bindingOf(request, flow.address), {
      stale: isStale,
      ...(isOld && { algorithms: md5Only }),
    });
    return response.headers.all('WWW-Authenticate').map((value) => ['WWW-Authenticate', value] as const);
  }
}

/** A nonce is good for one call or registration, from where it was asked for. */
const bindingOf = ({ callId }: SipRequest, address: string): string => `${address} ${callId}`;
