/** How many codes came back, by country, prefix, carrier, provider or account, over a time. */
import type { FastifyInstance } from 'fastify';
import { readMoment } from '../../../base/time-text.ts';
import type { Environment } from '../../../engines/environment.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { countConversion, nobody, unsettledMs } from '../../verification/conversion/count-conversion.ts';
import { readSettings } from '../../verification/settings.ts';
import { type ContextOf, choiceOf, ownMedia } from '../own-route.ts';

/** What a row stands for: SQL over `v`, and its name. */
const dimensions = {
  country: { key: 'v.country', name: 'null' },
  prefix: { key: 'left(v.prefix, $3)', name: 'null' },
  provider: {
    key: 'v.provider_id::text',
    name: '(select p.name from verification_providers p where p.id::text = s.key)',
  },
  carrier: { key: 'v.carrier_id::text', name: '(select c.name from carriers c where c.id::text = s.key)' },
  account: { key: 'v.account_id::text', name: '(select a.name from accounts a where a.id::text = s.key)' },
} as const;

type Dimension = keyof typeof dimensions;
export const dimensionNames = Object.keys(dimensions) as Dimension[];

interface ConversionRow {
  key: string;
  name: string | null;
  starts: number;
  sent: number;
  verified: number;
  failed: number;
  superseded: number;
  open: number;
  /** Of the sent codes whose fate is known; null if there is none. */
  conversion_percent: number | null;
  /** How long it took on average until a provider had the message, or the called party answered. */
  sending_ms: number | null;
}

interface ConversionWindow {
  by: Dimension;
  since: Date;
  until: Date;
  digits: number;
}

const mostRows = 1_000;

/** The most starts first. Counts anew what may have changed since the job counted it. */
export async function readConversion(env: Environment, window: ConversionWindow): Promise<ConversionRow[]> {
  const settings = await readSettings(env);
  const now = env.clock.now().getTime();
  const oldest = now - settings.retentionHours * 3_600_000;
  // Where no job counts, everything that is still stored is counted here.
  const from = settings.conversionMode === 'off' ? Math.max(oldest, window.since.getTime()) : now - unsettledMs;
  await countConversion(env, new Date(from));
  const { key, name } = dimensions[window.by];
  const { rows } = await env.pool.query<ConversionRow>(
    `select nullif(s.key, '${nobody}') as key, ${name} as name, starts, sent, verified, failed, superseded, open,
       round(100.0 * verified / nullif(sent - superseded - open, 0), 1)::float8 as conversion_percent,
       (sending_ms / nullif(sent, 0))::int as sending_ms
     from (select ${key} as key, sum(starts)::int as starts, sum(sent)::int as sent, sum(verified)::int as verified,
             sum(failed)::int as failed, sum(superseded)::int as superseded, sum(open)::int as open,
             sum(sending_ms)::bigint as sending_ms
           from verification_conversion v where v.started >= $1 and v.started < $2 and $3::int > 0 group by 1) s
     order by starts desc, key limit ${mostRows}`,
    [window.since, window.until, window.digits],
  );
  return rows;
}

export function conversionRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/conversions', { config: ownMedia('conversions') }, async (request, reply) => {
    const context = contextOf(request);
    const sent = choiceOf(request, ['by'], ['since', 'until', 'digits']);
    const by = dimensionNames.find((name) => name === sent.by);
    if (by === undefined) throw new ApiError([errors.invalidFieldValue(sent.by ?? '', 'by')]);
    const now = context.env.clock.now();
    const window = {
      by,
      since: timeOf('since', sent.since) ?? new Date(now.getTime() - 86_400_000),
      until: timeOf('until', sent.until) ?? new Date(now.getTime() + 1),
      digits: digitsOf(sent.digits ?? '6'),
    };
    const rows = await readConversion(context.env, window);
    return reply.header('cache-control', 'no-store').send({ by, since: window.since, until: window.until, rows });
  });
}

function timeOf(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = readMoment(text);
  if (time === null) throw new ApiError([errors.invalidFieldValue(text, name)]);
  return time;
}

function digitsOf(text: string): number {
  if (!/^[1-6]$/.test(text)) throw new ApiError([errors.invalidFieldValue(text, 'digits')]);
  return Number(text);
}
