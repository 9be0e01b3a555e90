/** What an operator does with carriers: add, change, remove. Requests and commands call the same functions. */
import type { Selectable } from 'kysely';
import {
  type CarrierSettings,
  createCarrier,
  noCarrier,
  removeCarrier,
  updateCarrier,
} from '../../../business/voice/carriers/carriers.ts';
import type { CarriersTable } from '../../../engines/db/tables/voice.ts';
import type { Environment } from '../../../engines/environment.ts';
import { type Acting, act } from '../act.ts';

/** How a carrier is named: by id in requests, by name at the command line. */
export type WhichCarrier = { id: string } | { name: string };

type CarrierRow = Selectable<CarriersTable>;

/** Returns the id. */
export function addCarrier(
  acting: Acting,
  settings: Partial<CarrierSettings> & Pick<CarrierSettings, 'name'>,
): Promise<string> {
  return act(acting, async (env) => {
    const id = await createCarrier(env, settings);
    return { ...about(id), result: id, action: 'carrier.created', after: audited(await lockCarrier(env, { id })) };
  });
}

/** Changes the given settings; a list replaces the stored one. */
export function changeCarrier(acting: Acting, which: WhichCarrier, settings: Partial<CarrierSettings>): Promise<void> {
  return act(acting, async (env) => {
    const before = await lockCarrier(env, which);
    await updateCarrier(env, before.name, settings);
    const after = await lockCarrier(env, { id: before.id });
    const password = settings.credentials ? { password: 'changed' } : {};
    return {
      ...about(before.id),
      result: undefined,
      action: 'carrier.updated',
      before: audited(before),
      after: { ...audited(after), ...password },
    };
  });
}

/** Calls that are up go on; CDRs keep its name. */
export function dropCarrier(acting: Acting, which: WhichCarrier): Promise<void> {
  return act(acting, async (env) => {
    const before = await lockCarrier(env, which);
    await removeCarrier(env, before.name);
    return { ...about(before.id), result: undefined, action: 'carrier.removed', before: audited(before) };
  });
}

export async function lockCarrier({ db }: Environment, which: WhichCarrier): Promise<CarrierRow> {
  const [column, value] = 'id' in which ? (['id', which.id] as const) : (['name', which.name] as const);
  const row = await db.selectFrom('carriers').selectAll().where(column, '=', value).forUpdate().executeTakeFirst();
  if (row === undefined) throw noCarrier(value);
  return row;
}

const about = (id: string) => ({ accountId: null, subject: { type: 'carriers', id } });

/** Settings without secrets. */
function audited({ id: _id, origid: _origid, created_at: _at, sealed_password: password, ...settings }: CarrierRow) {
  return { ...settings, password: password === null ? null : 'set' };
}
