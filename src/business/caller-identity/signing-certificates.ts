/** The certificates with which calls are signed: adds, changes, lists and removes them. Private keys are sealed. */
import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { OperatorError } from '../../base/operator-error.ts';
import { withConstraintErrors } from '../../base/violated-constraint.ts';
import type { SigningCertificatesTable } from '../../engines/db/tables/voice.ts';
import type { Environment } from '../../engines/environment.ts';
import { seal } from '../accounts/secret.ts';
import { checkCertificate, checkedUrl, type GivenCertificate } from './check-certificate.ts';

export type SigningCertificate = Selectable<SigningCertificatesTable>;

export interface CertificateSettings {
  enabled: boolean;
  /** Where others fetch the chain; null for an address of this server, which then serves it. */
  url: string | null;
}

/** Separates the sealed keys from other secrets. */
export const signingCertificatePurpose = 'signing certificate';

/** Returns the id. */
export async function createSigningCertificate(
  env: Environment,
  given: GivenCertificate & { name: string } & Partial<CertificateSettings>,
): Promise<string> {
  const { name, enabled = true, url = null } = given;
  if (!/^(?=.*\S)[^\p{Cc}]{1,255}$/u.test(name)) {
    throw new OperatorError('A certificate has a name of 1 to 255 characters.');
  }
  const now = env.clock.now();
  const { chain, privateKey, signer, from, until } = checkCertificate(given, {
    ...{ now, authorities: env.calls.identityAuthorities },
  });
  const id = randomUUID();
  const row = {
    ...{ id, name, enabled, chain, signer, valid_from: from, valid_until: until, created_at: now },
    url: addressOf(env, id, url),
    sealed_private_key: seal(env.serverKey, signingCertificatePurpose, privateKey),
  };
  const taken = () => new OperatorError(`There is a certificate named "${name}" already.`);
  await withConstraintErrors({ signing_certificates_name: taken }, () =>
    env.db.insertInto('signing_certificates').values(row).execute(),
  );
  return id;
}

export async function updateSigningCertificate(
  env: Environment,
  id: string,
  { enabled, url }: Partial<CertificateSettings>,
): Promise<void> {
  const changes = {
    ...(enabled !== undefined && { enabled }),
    ...(url !== undefined && { url: addressOf(env, id, url) }),
  };
  if (Object.keys(changes).length === 0) throw new OperatorError('Nothing is given that could be changed.');
  await env.db.updateTable('signing_certificates').set(changes).where('id', '=', id).execute();
}

/** One that may sign stays: who verifies its last calls still fetches the chain. */
export async function removeSigningCertificate(
  env: Environment,
  { id, name, enabled, valid_until }: SigningCertificate,
): Promise<void> {
  if (enabled && valid_until >= env.clock.now()) {
    throw new OperatorError(`"${name}" may sign calls: switch it off first, and wait a minute for its last calls.`);
  }
  await env.db.deleteFrom('signing_certificates').where('id', '=', id).execute();
}

/** The newest first, which is the order in which they are used. */
export function listSigningCertificates({ db }: Pick<Environment, 'db'>): Promise<SigningCertificate[]> {
  return db.selectFrom('signing_certificates').selectAll().orderBy('valid_from', 'desc').orderBy('id').execute();
}

/** As in `/operator/v1`, which tells it by SQL. `all` in the order of `listSigningCertificates`. */
export function stateOf(certificate: SigningCertificate, all: readonly SigningCertificate[], now: Date): string {
  const isValid = (one: SigningCertificate) => one.enabled && one.valid_from <= now && one.valid_until >= now;
  const { id, enabled, valid_from, valid_until } = certificate;
  if (valid_until < now) return 'ended';
  if (!enabled) return 'off';
  if (valid_from > now) return 'next';
  return all.find(isValid)?.id === id ? 'signs' : 'ready';
}

/** The path at which this server serves the chain. */
export const chainPath = (id: string): string => `/stir/${id}.pem`;

function addressOf({ publicUrl }: Environment, id: string, url: string | null): string {
  if (url !== null) return checkedUrl(url);
  if (!publicUrl?.startsWith('https:')) {
    throw new OperatorError(
      'Say at which https address the chain is fetched: this server can serve it only if its public URL is set, and https.',
    );
  }
  return checkedUrl(`${publicUrl.replace(/\/$/, '')}${chainPath(id)}`);
}
