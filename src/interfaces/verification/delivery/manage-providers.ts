/** Sets up providers and routes, for the command line and the panel. */
import { randomBytes } from 'node:crypto';
import { OperatorError } from '../../../base/operator-error.ts';
import { seal } from '../../../business/accounts/secret.ts';
import type { Environment } from '../../../engines/environment.ts';
import type { DeliveryMethod } from '../fields.ts';
import { httpSettings } from './http-provider.ts';
import { providerSecretPurpose, receiptSecretPurpose } from './provider.ts';
import { smppSettings } from './smpp-provider.ts';

export interface ProviderInput {
  name: string;
  kind: 'http' | 'smpp';
  settings: unknown;
  /** Unchanged if not given. */
  secret?: string | null;
  enabled?: boolean;
}

export interface ProviderListing {
  id: string;
  name: string;
  kind: 'http' | 'smpp';
  settings: Record<string, unknown>;
  hasSecret: boolean;
  enabled: boolean;
  /** Failures in a row, and until when it is asked last because of them (routing.ts). */
  failures: number;
  setAsideUntil: Date | null;
  lastFailure: string | null;
  lastFailureAt: Date | null;
}

/** Creates the provider of that name, or replaces its settings. */
export async function saveProvider(env: Environment, input: ProviderInput): Promise<void> {
  if (!/^[\w-]{1,64}$/.test(input.name)) throw new OperatorError('A provider is named with letters, digits, - and _.');
  checkSettings(input.kind, input.settings);
  if (input.kind === 'smpp' && (input.secret ?? '').length > 8)
    throw new OperatorError('An SMPP password has at most 8 characters.');
  const values = {
    kind: input.kind,
    settings: JSON.stringify(input.settings),
    // New settings reset the circuit breaker.
    failures: 0,
    set_aside_until: null,
    ...(input.enabled !== undefined && { enabled: input.enabled }),
    ...(input.secret !== undefined && {
      sealed_secret: input.secret === null ? null : seal(env.serverKey, providerSecretPurpose, input.secret),
    }),
  };
  await env.db
    .insertInto('verification_providers')
    .values({ ...values, name: input.name, created_at: env.clock.now() })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
    .execute();
}

export async function listProviders(env: Environment): Promise<ProviderListing[]> {
  const rows = await env.db.selectFrom('verification_providers').selectAll().orderBy('name').execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    kind: row.kind,
    settings: row.settings,
    hasSecret: row.sealed_secret !== null,
    enabled: row.enabled,
    failures: row.failures,
    setAsideUntil: row.set_aside_until,
    lastFailure: row.last_failure,
    lastFailureAt: row.last_failure_at,
  }));
}

const hiddenValue = '***';
const credentialHeader = /auth|key|token|secret|password|cookie/i;

/** Settings without what looks like a credential: operators are asked to write `{{SECRET}}`, which some will not. */
export function shownSettings(settings: Record<string, unknown>): Record<string, unknown> {
  const { headers } = settings;
  if (typeof headers !== 'object' || headers === null) return settings;
  const shown = Object.entries(headers).map(([name, value]) => {
    const isTemplate = /\{\{SECRET\}\}/.test(String(value));
    return [name, !isTemplate && credentialHeader.test(name) ? hiddenValue : value];
  });
  return { ...settings, headers: Object.fromEntries(shown) };
}

/** Makes a new secret for the provider's delivery receipts; the former one is refused from now on. */
export async function renewReceiptSecret(env: Environment, name: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await setReceiptSecret(env, name, secret);
  return secret;
}

/** The secret that the provider's delivery receipts must have; null refuses all of them. */
export async function setReceiptSecret(env: Environment, name: string, secret: string | null): Promise<void> {
  if (secret !== null && !/^[\x21-\x7e]{16,256}$/.test(secret))
    throw new OperatorError('A secret of receipts has 16 to 256 printable characters without spaces.');
  const { numUpdatedRows } = await env.db
    .updateTable('verification_providers')
    .set({ sealed_receipt_secret: secret === null ? null : seal(env.serverKey, receiptSecretPurpose, secret) })
    .where('name', '=', name)
    .where('kind', '=', 'http')
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new OperatorError(`There is no HTTP provider named "${name}".`);
}

/** Also deletes its routes. */
export async function deleteProvider(env: Environment, name: string): Promise<void> {
  const { numDeletedRows } = await env.db
    .deleteFrom('verification_providers')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw noProvider(name);
}

export interface Route {
  deliveryMethod: DeliveryMethod;
  /** Leading digits of the destination; empty for all. */
  prefix: string;
  provider: string;
}

/** The lower priority is asked first among routes of the same prefix. */
export async function saveRoute(env: Environment, route: Route, priority: number): Promise<void> {
  const values = { ...(await routeKey(env, route)), priority };
  await env.db
    .insertInto('verification_routes')
    .values(values)
    .onConflict((conflict) => conflict.columns(['delivery_method', 'prefix', 'provider_id']).doUpdateSet({ priority }))
    .execute();
}

export async function deleteRoute(env: Environment, route: Route): Promise<void> {
  const key = await routeKey(env, route);
  const { numDeletedRows } = await env.db
    .deleteFrom('verification_routes')
    .where('delivery_method', '=', key.delivery_method)
    .where('prefix', '=', key.prefix)
    .where('provider_id', '=', key.provider_id)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw new OperatorError('There is no such route.');
}

export async function listRoutes(env: Environment): Promise<(Route & { priority: number })[]> {
  return env.db
    .selectFrom('verification_routes as r')
    .innerJoin('verification_providers as p', 'p.id', 'r.provider_id')
    .select(['r.delivery_method as deliveryMethod', 'r.prefix', 'p.name as provider', 'r.priority'])
    .orderBy('r.delivery_method')
    .orderBy('r.prefix')
    .orderBy('r.priority')
    .execute();
}

async function routeKey(env: Environment, { deliveryMethod, prefix, provider }: Route) {
  if (!/^\d{0,15}$/.test(prefix)) throw new OperatorError('A prefix is digits only, without a leading +.');
  const row = await env.db
    .selectFrom('verification_providers')
    .select('id')
    .where('name', '=', provider)
    .executeTakeFirst();
  if (row === undefined) throw noProvider(provider);
  return { delivery_method: deliveryMethod, prefix, provider_id: row.id };
}

export function noProvider(name: string): OperatorError {
  return new OperatorError(`There is no provider named "${name}".`);
}

function checkSettings(kind: 'http' | 'smpp', settings: unknown): void {
  const checker = kind === 'http' ? httpSettings : smppSettings;
  if (!checker.allows(settings)) {
    throw new OperatorError(`The settings of the provider are wrong: ${checker.problemOf(settings)}.`);
  }
  if (kind === 'http' && httpSettings.allows(settings)) {
    if (Object.values(settings.headers ?? {}).includes(hiddenValue)) {
      throw new OperatorError(
        `${hiddenValue} stands for a value that is not shown; write {{SECRET}}, or the value again.`,
      );
    }
    const { success_body, message_id, receipt } = settings;
    for (const pattern of [success_body, message_id, ...Object.values(receipt ?? {})]) checkPattern(pattern);
  }
}

function checkPattern(pattern: string | undefined): void {
  try {
    if (pattern !== undefined) new RegExp(pattern, 's');
  } catch {
    throw new OperatorError(`"${pattern}" is no regular expression.`);
  }
}
