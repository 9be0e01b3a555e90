/**
 * What an operator does with the certificates that sign calls: add, change, remove. Requests and commands call the same
 * functions.
 */

import { OperatorError } from '../../../base/operator-error.ts';
import {
  type CertificateSettings,
  createSigningCertificate,
  removeSigningCertificate,
  type SigningCertificate,
  updateSigningCertificate,
} from '../../../business/caller-identity/signing-certificates.ts';
import type { Environment } from '../../../engines/environment.ts';
import { type Acting, act } from '../act.ts';

/** How a certificate is named: by id in requests, by name at the command line. */
type WhichCertificate = { id: string } | { name: string };

/** Returns the id. */
export function addSigningCertificate(
  acting: Acting,
  given: { name: string; chain: string; privateKey: string } & Partial<CertificateSettings>,
): Promise<string> {
  return act(acting, async (env) => {
    const id = await createSigningCertificate(env, given);
    const after = audited(await lockCertificate(env, { id }));
    return { ...about(id), result: id, action: 'signing_certificate.created', after };
  });
}

export function changeSigningCertificate(
  acting: Acting,
  which: WhichCertificate,
  settings: Partial<CertificateSettings>,
): Promise<void> {
  return act(acting, async (env) => {
    const before = await lockCertificate(env, which);
    await updateSigningCertificate(env, before.id, settings);
    const after = await lockCertificate(env, { id: before.id });
    return {
      ...about(before.id),
      result: undefined,
      action: 'signing_certificate.updated',
      before: audited(before),
      after: audited(after),
    };
  });
}

export function dropSigningCertificate(acting: Acting, which: WhichCertificate): Promise<void> {
  return act(acting, async (env) => {
    const before = await lockCertificate(env, which);
    await removeSigningCertificate(env, before);
    return { ...about(before.id), result: undefined, action: 'signing_certificate.removed', before: audited(before) };
  });
}

async function lockCertificate({ db }: Environment, which: WhichCertificate): Promise<SigningCertificate> {
  const [column, value] = 'id' in which ? (['id', which.id] as const) : (['name', which.name] as const);
  const found = db.selectFrom('signing_certificates').selectAll().where(column, '=', value).forUpdate();
  const row = await found.executeTakeFirst();
  if (row === undefined) throw new OperatorError(`There is no certificate named "${value}".`);
  return row;
}

const about = (id: string) => ({ accountId: null, subject: { type: 'signing_certificates', id } });

/** Never the key; the chain is public, and long. */
const audited = ({ name, enabled, url, signer, valid_from, valid_until }: SigningCertificate) => ({
  ...{ name, enabled, url, signer },
  valid_from: valid_from.toISOString(),
  valid_until: valid_until.toISOString(),
});
