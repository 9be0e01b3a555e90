/** Through which carriers calls go out. */
import { integer, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { actingOf, type OperatorContext, operatorType, refusing } from '../context.ts';
import { type CarrierRoute, dropCarrierRoute, setCarrierRoute } from './routes.writes.ts';
import { whyChanged } from './shared-members.ts';

/** A route is named by its carrier and prefix; ids of the interface are UUIDs. */
const idOf = "md5(t.carrier_id::text || ' ' || t.prefix)::uuid";

export const carrierRoutes = operatorType('carrier_routes', {
  group: 'Carriers and providers',
  noun: 'carrier route',
  deleteVerb: 'Remove',
  summary: 'Which carrier gets calls to numbers with a prefix: the longest prefix, then the lowest priority.',
  idColumn: idOf,
  tieBreak: 't.carrier_id, t.prefix',
  attributes: {
    prefix: text({
      write: 'create',
      pattern: '^[0-9]{0,15}$',
      mayBeEmpty: true,
      doc: 'First digits of the number; empty, or left out, for all.',
    }),
    priority: integer({ write: 'both', min: 0, max: 65_535, doc: 'The lowest goes first; 10 if left out.' }),
    weight: integer({
      write: 'both',
      min: 0,
      max: 65_535,
      doc: 'Share of the calls among equal priorities; 10 if left out.',
    }),
    ...whyChanged,
  },
  relationships: { carrier: toOne('carriers', { write: 'create', required: true, doc: 'Who gets the calls.' }) },
  filters: { 'carrier.id': anyId('t.carrier_id'), prefix: anyOf(`nullif(t.prefix, '')`, { blank: true }) },
  sort: ['prefix', 'priority'],
  defaultSort: 'prefix',
  create: async (context, { attributes, relationships }) => {
    const { prefix = '', reason, ...terms } = attributes;
    const route = { carrier: { id: relationships.carrier.id }, prefix };
    await refusing(() => setCarrierRoute(actingOf(context, reason), route, terms));
    const [row] = await context.query(
      `select ${idOf} as id from carrier_routes t where carrier_id = $1 and prefix = $2`,
      [route.carrier.id, prefix],
    );
    return String(row?.id);
  },
  update: async (context, id, { attributes: { reason, ...terms } }) => {
    const route = await routeOf(context, id);
    await refusing(() => setCarrierRoute(actingOf(context, reason), route, terms));
  },
  delete: async (context, id) => {
    const route = await routeOf(context, id);
    await refusing(() => dropCarrierRoute(actingOf(context), route));
  },
});

async function routeOf(context: OperatorContext, id: string): Promise<CarrierRoute> {
  const [row] = await context.query(`select carrier_id, prefix from carrier_routes t where ${idOf} = $1`, [id]);
  if (row === undefined) throw new ApiError([errors.recordNotFound(id)]);
  return { carrier: { id: String(row.carrier_id) }, prefix: String(row.prefix) };
}
