/** `route add|list|remove` and `carrier-rates set|list`: through which carriers calls go out, and what they charge. */
import type { Environment } from '../environment.ts';
import { wholeNumber } from '../fields.ts';
import {
  addRoute,
  listCarrierRates,
  listRoutes,
  removeCarrierRate,
  removeRoute,
  setCarrierRate,
} from '../voice/carriers/routes.ts';
import { changeCommand } from './change-command.ts';
import { option } from './command.ts';
import { environmentCommand } from './open-environment.ts';

import { intervalsOf } from './voice.ts';

const prefix = {
  type: 'string',
  value: 'DIGITS',
  summary: 'leading digits of the called number; all when left out',
} as const;
const rank = wholeNumber(0, 65_535);

export const routeCommands = [
  changeCommand({
    action: 'route.saved',
    name: 'route add',
    summary: 'Send calls out through a carrier, or change the order in which it is tried.',
    positionals: ['CARRIER'],
    options: {
      prefix,
      priority: { type: 'string', value: 'N', summary: 'the lowest goes first among equal prefixes (10)' },
      weight: { type: 'string', value: 'N', summary: 'share of the calls among equal priorities (10)' },
    },
    notes: 'The longest prefix goes first. After a failure of the carrier itself the next route is tried.',
    run: async ({ env, values, positionals: [carrier = ''], out }) => {
      const priority = option('priority', values.priority, rank) ?? 10;
      const weight = option('weight', values.weight, rank) ?? 10;
      const before = await routeOf(env, carrier, values.prefix ?? '');
      await addRoute(env, { carrier, prefix: values.prefix ?? '', priority, weight });
      out(`Calls to ${values.prefix ?? 'all numbers'} go out through ${carrier}.`);
      return { subject: subjectOf('carrier_routes', carrier, values.prefix), before, after: { priority, weight } };
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
  changeCommand({
    action: 'route.removed',
    name: 'route remove',
    summary: 'Take a route away.',
    positionals: ['CARRIER'],
    options: { prefix },
    run: async ({ env, values, positionals: [carrier = ''], out }) => {
      const before = await routeOf(env, carrier, values.prefix ?? '');
      await removeRoute(env, carrier, values.prefix ?? '');
      out(`Calls to ${values.prefix ?? 'all numbers'} do not go out through ${carrier} any more.`);
      return { subject: subjectOf('carrier_routes', carrier, values.prefix), before };
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
        rate.per_minute,
        rate.connection_fee,
        `${rate.initial_interval}/${rate.next_interval}`,
      ]);
      const headings = ['CARRIER', 'PREFIX', 'A MINUTE', 'CONNECTION', 'INTERVALS'];
      printTable(headings, rows, 'There are no rates of carriers.');
    },
  }),
];

const subjectOf = (type: string, carrier: string, prefix = '') => ({ type, id: `${carrier} ${prefix || 'all'}` });

async function routeOf(env: Environment, carrier: string, prefix: string): Promise<Record<string, unknown>> {
  const found = (await listRoutes(env)).find((route) => route.carrier === carrier && route.prefix === prefix);
  return { priority: found?.priority ?? null, weight: found?.weight ?? null };
}

async function rateOf(env: Environment, carrier: string, prefix: string): Promise<Record<string, unknown>> {
  const found = (await listCarrierRates(env)).find((rate) => rate.carrier === carrier && rate.prefix === prefix);
  return { per_minute: found?.per_minute ?? null, connection_fee: found?.connection_fee ?? null };
}
