/** One request of `/api/v1`: limits, authentication and body, up to the application that it is made for. */
import type { FastifyRequest } from 'fastify';
import { machineClock } from '../../base/clock.ts';
import { bodyBytes } from '../../base/request-slot.ts';
import { createFailedAuthentications } from '../../business/accounts/failed-authentication.ts';
import { chargeWorkTo, noteWorkCaller } from '../../engines/db/work.ts';
import type { Environment } from '../../engines/environment.ts';
import { createApplicationDirectory } from './application.ts';
import { type Authenticated, authenticate } from './authenticate.ts';
import { parseAuthorization, timestampIsFresh } from './authorization.ts';
import { createPrefixBlocksReader, type PrefixBlocks } from './conversion/prefix-blocks.ts';
import { VerificationError } from './errors.ts';
import { parseData } from './fields.ts';
import { isTooLong, plainBody, readBody } from './read-body.ts';
import { createRequestRates } from './request-rates.ts';
import { createSettingsReader, type VerificationSettings } from './settings.ts';

export interface Exchange extends Authenticated {
  settings: VerificationSettings;
  blocks: PrefixBlocks;
  address: string;
  machineNow: Date;
  /** The `data` object of the body; throws 400 when there is none. */
  data(): Record<string, unknown>;
}

type OpenExchange = (request: FastifyRequest) => Promise<Exchange>;

export interface ExchangeOptions {
  /** Replaces the machine's clock in tests of published signatures. */
  machineNow?: () => Date;
}

export function createExchanges(env: Environment, options: ExchangeOptions = {}): OpenExchange {
  const readSettings = createSettingsReader(env);
  const readBlocks = createPrefixBlocksReader(env);
  const applications = createApplicationDirectory(env);
  const failures = createFailedAuthentications((heard) => env.changes.counts.join('failed applications', heard));
  const machineNow = options.machineNow ?? (() => machineClock.now());
  const rates = createRequestRates((heard) => env.changes.counts.join('requests of applications', heard), machineNow);
  const prefix = publicPrefix(env.publicUrl);

  return async (request) => {
    const { headers, ip: address } = request;
    const settings = await readSettings();
    const wait = failures.wait(address, settings.failedAuthentication);
    if (wait > 0) throw new VerificationError('rate_limit_failed_auth', wait);

    const timestamp = one(headers['x-timestamp']);
    // Only a signature covers the body. Otherwise the body is read after authentication.
    const isSigned =
      parseAuthorization(headers.authorization)?.mode === 'application' &&
      timestampIsFresh(timestamp, machineNow().getTime());
    const signedBody = isSigned ? await readBody(request.raw) : Buffer.alloc(0);
    const contentType = headers['content-type'] ?? '';
    const input = {
      authorization: headers.authorization,
      timestamp,
      method: request.method,
      contentType,
      signedPath: prefix + pathOnRequestLine(request.originalUrl),
      body: signedBody,
    };
    const by = { env, applications, machineNow, refuseReplays: settings.refuseReplays };
    const authenticated = await authenticate(input, by).catch((error: unknown) => {
      if (error instanceof VerificationError) failures.count(address, settings.failedAuthentication);
      throw error;
    });
    const { application } = authenticated;
    noteWorkCaller({ actor: { kind: 'application', id: application.id }, accountId: application.accountId });
    chargeWorkTo(application.accountId);
    const now = machineNow();
    rates.count(authenticated, address, settings, now);
    const sent = isSigned ? signedBody : await readBody(request.raw);
    const body = await plainBody(headers['content-encoding'], sent);
    bodyBytes.set(request, body ?? sent);
    return {
      ...authenticated,
      settings,
      blocks: await readBlocks(),
      address,
      machineNow: now,
      data: () => {
        if (body === null || isTooLong(body)) throw new VerificationError('parameter_missing');
        return parseData(body, contentType);
      },
    };
  };
}

/** Undecoded and without the query; a request line in absolute form also has scheme and host. */
function pathOnRequestLine(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 1)[0] ?? '';
}

/** Clients sign the path they call; a proxy may have removed the path prefix of the public address. */
function publicPrefix(publicUrl: string | null): string {
  return publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
}

/** Ignores a repeated header: no client sends one. */
function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? undefined : value;
}
