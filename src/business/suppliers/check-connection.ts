/** The first request to a supplier, and in one sentence what is wrong with one. */
import type { Environment } from '../../engines/environment.ts';
import type { NotDone, Outcome } from './outcome.ts';
import type { Supplier } from './supplier.ts';

/** The code of a refusal that is ours. */
export const unsuitable = 'unsuitable';

export async function checkConnection(
  env: Pick<Environment, 'db' | 'clock'>,
  id: string,
  supplier: Supplier,
): Promise<Outcome<null>> {
  const account = await supplier.account();
  if (account.kind !== 'done') return account;
  const seen = { spendable: account.value.spendable, checked_at: env.clock.now() };
  await env.db.updateTable('suppliers').set(seen).where('id', '=', id).execute();
  return { kind: 'done', value: null };
}

/** For the operator. */
export function sentenceOf(outcome: NotDone): string {
  const { kind, text } = outcome;
  switch (kind) {
    case 'refused':
      if (outcome.code === unsuitable) return `The supplier cannot be used: ${text}.`;
      if (outcome.status === 401) return `The supplier does not know the key: ${withStop(text)}`;
      if (outcome.status === 404) return `There is no /v3 at the address of the supplier: ${withStop(text)}`;
      return `The supplier refuses (${outcome.status}): ${withStop(text)}`;
    case 'unreached':
      return `The supplier cannot be reached: ${withStop(text)}`;
    case 'limited':
      return `The supplier takes no requests until ${outcome.until.toISOString()}: ${withStop(text)}`;
    case 'unknown':
      return `The supplier fails: ${withStop(text)}`;
    case 'garbage':
      return `The supplier answers in a way that cannot be used: ${withStop(text.replace('the answer cannot be read: ', ''))}`;
  }
}

const withStop = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
