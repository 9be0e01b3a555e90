/**
 * What an operator does with providers of codes: add, change, remove. Requests and commands call the same functions.
 */
import type { Selectable } from 'kysely';
import { OperatorError } from '../../../base/operator-error.ts';
import type { VerificationProvidersTable } from '../../../engines/db/tables/verification.ts';
import type { Environment } from '../../../engines/environment.ts';
import {
  deleteProvider,
  noProvider,
  type ProviderInput,
  renewReceiptSecret,
  saveProvider,
  setReceiptSecret,
  shownSettings,
} from '../../verification/delivery/manage-providers.ts';
import { type Acting, act } from '../act.ts';

/** How a provider is named: by id in requests, by name at the command line. */
export type WhichProvider = { id: string } | { name: string };

type ProviderChanges = Partial<Pick<ProviderInput, 'settings' | 'secret' | 'enabled'>> & {
  /** Of its delivery receipts; null refuses them. */
  receipt_secret?: string | null;
};

type ProviderRow = Selectable<VerificationProvidersTable>;

/** Returns the id; refuses a name that is taken. */
export function addProvider(acting: Acting, input: ProviderInput): Promise<string> {
  return act(acting, async (env) => {
    if (await findProvider(env, input)) throw new OperatorError(`There is a provider named "${input.name}" already.`);
    return stored(env, input, undefined);
  });
}

/** Creates the provider of that name, or replaces its settings. Returns the id. */
export function setProvider(acting: Acting, input: ProviderInput): Promise<string> {
  return act(acting, async (env) => stored(env, input, await findProvider(env, input)));
}

/** Changes what is given; new settings replace the former ones as a whole. */
export function changeProvider(acting: Acting, which: WhichProvider, sent: ProviderChanges): Promise<void> {
  const { receipt_secret: receiptSecret, ...changes } = sent;
  return act(acting, async (env) => {
    const before = await lockProvider(env, which);
    const { id, name, kind, settings } = before;
    if (receiptSecret !== undefined) await setReceiptSecret(env, name, receiptSecret);
    // Storing settings resets the circuit breaker, which a new secret of receipts does not.
    if (receiptSecret !== undefined && Object.keys(changes).length === 0) return receiptsRenewed(id, name);
    const done = await stored(env, { name, kind, settings, ...changes }, before);
    const receipts = receiptSecret === undefined ? {} : { receipt_secret: receiptSecret === null ? null : 'changed' };
    return { ...done, result: undefined, after: { ...done.after, ...receipts } };
  });
}

/** Its routes go with it. */
export function dropProvider(acting: Acting, which: WhichProvider): Promise<void> {
  return act(acting, async (env) => {
    const before = await lockProvider(env, which);
    await deleteProvider(env, before.name);
    return { ...about(before.id), result: undefined, action: 'provider.removed', before: audited(before) };
  });
}

/** Returns the new secret, which is stored sealed; the former one is refused from now on. */
export function renewReceipts(acting: Acting, which: WhichProvider): Promise<string> {
  return act(acting, async (env) => {
    const { id, name } = await lockProvider(env, which);
    const secret = await renewReceiptSecret(env, name);
    return { ...receiptsRenewed(id, name), result: secret };
  });
}

export async function lockProvider(env: Environment, which: WhichProvider): Promise<ProviderRow> {
  const row = await findProvider(env, which);
  if (row === undefined) throw noProvider('id' in which ? which.id : which.name);
  return row;
}

function findProvider({ db }: Environment, which: WhichProvider): Promise<ProviderRow | undefined> {
  const [column, value] = 'id' in which ? (['id', which.id] as const) : (['name', which.name] as const);
  return db.selectFrom('verification_providers').selectAll().where(column, '=', value).forUpdate().executeTakeFirst();
}

async function stored(env: Environment, input: ProviderInput, before: ProviderRow | undefined) {
  await saveProvider(env, input);
  const after = await lockProvider(env, { name: input.name });
  const secret = input.secret === undefined ? {} : { secret: input.secret === null ? null : 'changed' };
  return {
    ...about(after.id),
    result: after.id,
    action: 'provider.saved' as const,
    ...(before === undefined ? {} : { before: audited(before) }),
    after: { ...audited(after), ...secret },
  };
}

const receiptsRenewed = (id: string, name: string) => ({
  ...about(id),
  result: undefined,
  action: 'provider.receipts_renewed' as const,
  after: { name },
});

const about = (id: string) => ({ accountId: null, subject: { type: 'providers', id } });

/** Settings without secrets. */
const audited = ({ name, kind, settings, enabled, sealed_secret: secret }: ProviderRow) => ({
  name,
  kind,
  settings: shownSettings(settings),
  enabled,
  secret: secret === null ? null : 'set',
});
