/** REGISTER of trunks: authenticated with the credentials of the trunk, kept in the database for all processes. */
import type { PoolClient } from 'pg';
import type { Environment } from '../../engines/environment.ts';
import { parseNameAddress } from '../../engines/sip/message/name-address.ts';
import { encodeUser, formatUri, parseSipUriOnly } from '../../engines/sip/message/uri.ts';
import type { Binding, BindingStore } from '../../engines/sip/registrar/bindings.ts';
import { Registrar } from '../../engines/sip/registrar/registrar.ts';
import { nextHopTarget } from '../../engines/sip/resolve/next-hop.ts';
import type { ServerTransaction } from '../../engines/sip/transaction/server-transaction.ts';
import type { Flow, Target } from '../../engines/sip/transport/wire.ts';
import { accountOfPhone, phoneUser } from '../voice/phone-credentials.ts';
import type { Authentication, GivenCredentials } from './authentication.ts';
import type { SipEndpoint } from './endpoint.ts';
import { KeepAlives } from './keep-alives.ts';
import { tooManyConnections, type WebClients } from './web-clients.ts';

/** One contact of a registered trunk: the URI to call and how to reach it. */
interface RegisteredContact {
  uri: string;
  routes: readonly string[];
  target: Target;
  /** The q of the registration, from 0 to 1. */
  priority: number;
}

/** Said to the peer, and in the list of refusals. */
export const wrongCredentials = 'Unknown user or wrong password';

interface RegisteringTrunk {
  username: string;
  password: string | null;
  accountId: string;
}

interface ProvenTrunk extends RegisteringTrunk {
  mostSeconds?: number;
  /** Of the panel, if a browser registers. */
  sessionId?: string;
}

export class Registrations {
  readonly #env: Environment;
  readonly #webClients: WebClients;
  readonly #registrar: Registrar;
  readonly #authentication: Authentication;
  readonly #keepAlives: KeepAlives;

  constructor(endpoint: SipEndpoint, authentication: Authentication) {
    const { env } = endpoint;
    this.#env = env;
    this.#authentication = authentication;
    this.#keepAlives = new KeepAlives(endpoint);
    this.#registrar = new Registrar({ store: new DatabaseBindings(env), now: () => env.clock.now().getTime() });
    this.#webClients = endpoint.webClients;
    this.#webClients.onGone = (username, flow) => this.#gone(username, flow);
  }

  /** Answers a REGISTER. Returns whether its credentials were right; null if they were asked for. */
  async register(transaction: ServerTransaction): Promise<boolean | null> {
    const given = this.#authentication.credentials(transaction);
    if (given === null || given === 'stale') return this.#challenge(transaction, given === 'stale');
    const account = await this.#provenAccount(given);
    if (account !== null) {
      if (!this.#webClients.admits(transaction.flow, account.accountId)) {
        transaction.reply(403, tooManyConnections);
        return true;
      }
      const bindings = await this.#registrar.register(transaction, account.username, account.mostSeconds);
      const { username, accountId, sessionId = null } = account;
      const ms = this.#msOf(transaction.flow, bindings);
      this.#webClients.registered(transaction.flow, { username, accountId, sessionId, ms });
      this.#keepAlives.registered(transaction.flow, bindings);
      return true;
    }
    if (given.isStale) return this.#challenge(transaction, true);
    transaction.reply(403, wrongCredentials);
    return false;
  }

  stop(): void {
    this.#webClients.onGone = null;
    this.#keepAlives.stop();
  }

  /** Where a registered trunk is called now, the best contact first. */
  async contacts(username: string): Promise<RegisteredContact[]> {
    const bindings = await this.#registrar.contacts(username);
    return bindings.map(({ uri, source, path, priority }) => {
      return { uri, routes: path, target: targetOf(uri, source, path), priority };
    });
  }

  /** How long the registrations by a connection last. */
  #msOf(flow: Flow, bindings: readonly Binding[]): number {
    const own = bindings.filter(({ source }) => source.connection === flow.connection && source.port === flow.port);
    return Math.max(0, ...own.map(({ expiresAt }) => expiresAt - this.#env.clock.now().getTime()));
  }

  #gone(username: string, flow: Flow): void {
    this.#registrar.connectionEnded(username, flow).catch((error: unknown) => {
      // Calls to it fail at once all the same, and it expires.
      this.#env.log.warn({ err: error }, 'the registration of a closed WebSocket could not be removed');
    });
  }

  #challenge(transaction: ServerTransaction, isStale: boolean): null {
    const response = transaction.makeResponse(401);
    for (const [name, value] of this.#authentication.challenge(transaction, isStale)) response.headers.add(name, value);
    transaction.respond(response);
    return null;
  }

  /** The user name of the trunk that the credentials belong to; null if they are wrong. */
  async #provenAccount(given: GivenCredentials): Promise<ProvenTrunk | null> {
    const user = phoneUser(given.username);
    if (user === null) {
      const trunk = await this.#registeringTrunk(`configuration->>'incoming_auth_username' = $1`, given.username);
      return trunk?.password && given.isMadeWith(trunk.password) ? trunk : null;
    }
    const accountId = user.direction === 'in' ? await accountOfPhone(this.#env, given, user) : null;
    const trunk = accountId && (await this.#registeringTrunk('id = $1', user.trunkId));
    if (!trunk || trunk.accountId !== accountId) return null;
    // A browser is called as long as its credentials are good; its next ones keep it registered.
    const left = (user.expiresAt.getTime() - this.#env.clock.now().getTime()) / 1000;
    return { ...trunk, mostSeconds: Math.ceil(left), sessionId: user.sessionId };
  }

  async #registeringTrunk(condition: string, value: string): Promise<RegisteringTrunk | null> {
    const { rows } = await this.#env.pool.query<RegisteringTrunk>(
      `select configuration->>'incoming_auth_username' as username,
         configuration->>'incoming_auth_password' as password, account_id as "accountId"
       from voice_in_trunks where ${condition} and (configuration->>'enabled_sip_registration')::boolean`,
      [value],
    );
    return rows[0] ?? null;
  }
}

/** The contact with another user part, for trunks that want the called number there. */
export function withUser(uri: string, user: string): string {
  return formatUri({ ...parseSipUriOnly(uri), user: encodeUser(user), password: null });
}

/**
 * A phone behind NAT registers a contact that nobody else can reach, so a contact with another address than the
 * sender's is called at the sender's; and so is an edge whose Path names its public address. Nobody can aim our calls
 * elsewhere by either. Over TCP and TLS the connection of the registration is used while it is open.
 */
function targetOf(uri: string, source: Binding['source'], path: readonly string[]): Target {
  const [first] = path;
  const hop = first === undefined ? uri : parseNameAddress(first).uri;
  const target = nextHopTarget(hop, source);
  return target.address === source.address ? target : source;
}

class DatabaseBindings implements BindingStore {
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  async read(username: string): Promise<readonly Binding[]> {
    const { rows } = await this.#env.pool.query<{ bindings: Binding[] }>(
      'select bindings from sip_registrations where username = $1',
      [username],
    );
    return rows[0]?.bindings ?? [];
  }

  /** The lock is on the name, because there is no row at first. */
  async update(username: string, change: (current: readonly Binding[]) => readonly Binding[]) {
    const client = await this.#env.pool.connect();
    try {
      await client.query('begin');
      await client.query(`select pg_advisory_xact_lock(hashtextextended('sip_registrations ' || $1, 0))`, [username]);
      const bindings = await this.#write(client, username, change);
      await client.query('commit');
      client.release();
      return bindings;
    } catch (error) {
      client.release(error instanceof Error ? error : true);
      throw error;
    }
  }

  async #write(client: PoolClient, username: string, change: (current: readonly Binding[]) => readonly Binding[]) {
    const { rows } = await client.query<{ bindings: Binding[] }>(
      'select bindings from sip_registrations where username = $1',
      [username],
    );
    const bindings = change(rows[0]?.bindings ?? []);
    const expiresAt = Math.max(0, ...bindings.map((binding) => binding.expiresAt));
    if (bindings.length === 0) {
      await client.query('delete from sip_registrations where username = $1', [username]);
      return bindings;
    }
    await client.query(
      `insert into sip_registrations (username, trunk_id, bindings, expires_at, updated_at)
       select $1, t.id, $2, $3, $4 from voice_in_trunks t where t.configuration->>'incoming_auth_username' = $1
       on conflict (username) do update set bindings = $2, expires_at = $3, updated_at = $4`,
      [username, JSON.stringify(bindings), new Date(expiresAt), this.#env.clock.now()],
    );
    return bindings;
  }
}
