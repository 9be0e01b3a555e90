/** `/operator/v1/prices.csv?kind=…`: the prices that hold now, in the form in which a price list is imported. */
import type { FastifyInstance } from 'fastify';
import { csvLine } from '../../../base/csv.ts';
import { isUuid } from '../../../base/uuid.ts';
import { runIn } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { readQueryString } from '../../../engines/jsonapi/query-string.ts';
import { type ContextOf, ownMedia } from '../own-route.ts';
import { type PriceKindName, type PriceScope, priceKindNames, priceKinds } from './price-kinds.ts';

export function priceExportRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/prices.csv', { config: ownMedia('price_lists') }, async (request, reply) => {
    const context = contextOf(request);
    const { kind, ...scope } = requested(readQueryString(request.url));
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="prices-${kind}.csv"`)
      .header('cache-control', 'no-store')
      .send(await exportPrices(context.env, kind, scope));
  });
}

export async function exportPrices(env: Environment, kind: PriceKindName, scope: PriceScope): Promise<string> {
  const { keys, values, remarks, current } = priceKinds[kind];
  const columns = [...[...keys, ...values].map(({ name }) => name), ...remarks];
  const rows = await runIn(env.db)(current, [scope.accountId, scope.carrierId]);
  return [csvLine(columns), ...rows.map((row) => csvLine(columns.map((name) => row[name])))].join('');
}

function requested(query: ReturnType<typeof readQueryString>): PriceScope & { kind: PriceKindName } {
  const sent = new Map(query);
  const unknown = [...sent.keys()].find((name) => !['kind', 'account', 'carrier'].includes(name));
  if (unknown !== undefined) throw new ApiError([errors.paramNotAllowed(unknown)]);
  const kind = priceKindNames.find((name) => name === sent.get('kind'));
  if (kind === undefined) {
    throw new ApiError([
      sent.has('kind') ? errors.invalidFieldValue(sent.get('kind') ?? '', 'kind') : errors.missingParameter('kind'),
    ]);
  }
  const idOf = (name: string): string | null => {
    const value = sent.get(name) ?? null;
    if (value !== null && !isUuid(value)) throw new ApiError([errors.invalidFieldValue(value, name)]);
    return value;
  };
  return { kind, accountId: idOf('account'), carrierId: idOf('carrier') };
}
