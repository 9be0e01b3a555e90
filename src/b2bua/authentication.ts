/** Digest authentication of customers: of the calls of outbound trunks, and of registrations. */
import type { Environment } from '../environment.ts';
import { secretHash } from '../sip/digest/hash.ts';
import { DigestServer, type Verdict } from '../sip/digest/server.ts';
import { machineIds } from '../sip/ids.ts';
import type { ServerTransaction } from '../sip/transaction/server-transaction.ts';

const realm = 'trunkline';

interface GivenCredentials {
  username: string;
  isMadeWith(password: string): boolean;
  /** After `isMadeWith`: the password was right, but the nonce is too old. */
  readonly isStale: boolean;
}

export class Authentication {
  readonly #server: DigestServer;

  constructor(env: Environment) {
    const secret = env.serverKey.derive('nonces of SIP')[0].export().toString('base64');
    // MD5 alone: phones such as baresip 1.0 give up when any of several challenges names an algorithm they do not know.
    const algorithms = ['MD5'] as const;
    this.#server = new DigestServer({
      realm,
      secret,
      ids: machineIds,
      now: () => env.clock.now().getTime(),
      algorithms,
    });
  }

  /** Null without credentials for this realm; `stale` if their nonce is unknown, so that the client tries again. */
  credentials({ request, flow }: ServerTransaction): GivenCredentials | 'stale' | null {
    const check = (password: string | null): Verdict =>
      this.#server.verify(request, 'user', flow.address, (username, algorithm) =>
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
    this.#server.challenge(response, 'user', transaction.flow.address, isStale);
    return response.headers.all('WWW-Authenticate').map((value) => ['WWW-Authenticate', value] as const);
  }
}
