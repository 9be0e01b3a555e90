/** `route add|list|remove` and `carrier-rates set|list`: through which carriers calls go out, and what they charge. */

import { wholeNumber } from '../../base/fields.ts';
import {
  listCarrierRates,
  listRoutes,
  removeCarrierRate,
  setCarrierRate,
} from '../../business/voice/carriers/routes.ts';
import type { Environment } from '../../engines/environment.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { dropCarrierRoute, setCarrierRoute } from '../../interfaces/operator/peers/routes.writes.ts';
import { changeCommand, reasonOption } from './change-command.ts';
import { option } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { money } from './output.ts';
import { intervalsOf } from './voice.ts';

const prefix = {
  type: 'string',
  value: 'DIGITS',
  summary: 'leading digits of the called number; all when left out',
} as const;
const rank = wholeNumber(0, 65_535);

export const routeCommands = [
  environmentCommand({
    name: 'route add',
    summary: 'Send calls out through a carrier, or change the order in which it is tried.',
    positionals: ['CARRIER'],
    options: {
      ...reasonOption,
      prefix,
      priority: { type: 'string', value: 'N', summary: 'the lowest goes first among equal prefixes (10)' },
      weight: { type: 'string', value: 'N', summary: 'share of the calls among equal priorities (10)' },
    },
    notes: 'The longest prefix goes first. After a failure of the carrier itself the next route is tried.',
    run: async ({ env, values, positionals: [name = ''], out }) => {
      const priority = option('priority', values.priority, rank);
      const weight = option('weight', values.weight, rank);
      const terms = { ...(priority === undefined ? {} : { priority }), ...(weight === undefined ? {} : { weight }) };
      const route = { carrier: { name }, prefix: values.prefix ?? '' };
      await setCarrierRoute(atCommandLine(env, values.reason), route, terms);
      out(`Calls to ${values.prefix ?? 'all numbers'} go out through ${name}.`);
    },
  }),
  environmentCommand({
    name: 'route list',
    summary: 'List the routes to carriers.',
    run: async ({ env, printTable }) => {
      const rows = (await listRoutes(env)).map((route) => [
        route.prefix || 'all',
        String(route.priority),
        String(route.weight),
        route.carrier,
      ]);
      printTable(['PREFIX', 'PRIORITY', 'WEIGHT', 'CARRIER'], rows, 'There are no routes.');
    },
  }),
  environmentCommand({
    name: 'route remove',
    summary: 'Take a route away.',
    positionals: ['CARRIER'],
    options: { ...reasonOption, prefix },
    run: async ({ env, values, positionals: [name = ''], out }) => {
      await dropCarrierRoute(atCommandLine(env, values.reason), { carrier: { name }, prefix: values.prefix ?? '' });
      out(`Calls to ${values.prefix ?? 'all numbers'} do not go out through ${name} any more.`);
    },
  }),
  changeCommand({
    action: 'carrier_rate.changed',
    name: 'carrier-rates set',
    summary: 'Set what a carrier charges for a minute, without VAT, by prefix; `none` takes a rate away.',
    positionals: ['CARRIER', 'PRICE'],
    options: {
      prefix,
      fee: { type: 'string', value: 'AMOUNT', summary: 'for the connection itself (0)' },
      intervals: { type: 'string', value: 'FIRST/NEXT', summary: 'billed in steps of these seconds (1/1)' },
    },
    notes: 'CDRs of calls out have the cost and the margin, for the operator only.',
    run: async ({ env, values, positionals: [carrier = '', price = ''], out }) => {
      const leading = values.prefix ?? '';
      const before = await rateOf(env, carrier, leading);
      if (price === 'none') await removeCarrierRate(env, carrier, leading);
      else {
        const terms = { perMinute: price, connectionFee: values.fee ?? '0', ...intervalsOf(values.intervals) };
        await setCarrierRate(env, carrier, { prefix: leading, ...terms });
      }
      out('Saved the rate.');
      const after = await rateOf(env, carrier, leading);
      return { subject: subjectOf('carrier_rates', carrier, leading), before, after };
    },
  }),
  environmentCommand({
    name: 'carrier-rates list',
    summary: 'List what carriers charge.',
    run: async ({ env, printTable }) => {
      const rows = (await listCarrierRates(env)).map((rate) => [
        rate.carrier,
        rate.prefix || 'all',
        money(rate.per_minute),
        money(rate.connection_fee),
        `${rate.initial_interval}/${rate.next_interval}`,
      ]);
      const headings = ['CARRIER', 'PREFIX', 'A MINUTE', 'CONNECTION', 'INTERVALS'];
      printTable(headings, rows, 'There are no rates of carriers.');
    },
  }),
];

const subjectOf = (type: string, carrier: string, prefix = '') => ({ type, id: `${carrier} ${prefix || 'all'}` });

async function rateOf(env: Environment, carrier: string, prefix: string): Promise<Record<string, unknown>> {
  const found = (await listCarrierRates(env)).find((rate) => rate.carrier === carrier && rate.prefix === prefix);
  return { per_minute: found?.per_minute ?? null, connection_fee: found?.connection_fee ?? null };
}
