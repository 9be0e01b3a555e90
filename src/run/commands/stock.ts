/** `stock list|waiting|held` and `stock withdraw|quarantine|release|move`: the numbers that can be sold. */
import { lowerCaseUuid, text } from '../../base/fields.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { actOnStock, type StockAct } from '../../interfaces/operator/inventory/stock-actions.writes.ts';
import { lookUp } from '../../interfaces/operator/read-records.ts';
import { type Options, option, type Values } from './command.ts';
import { confirmedCommand } from './confirmed-command.ts';
import { environmentCommand } from './open-environment.ts';
import { timeOf } from './window.ts';

const choice = {
  number: { type: 'string', value: 'NUMBER', multiple: true, summary: 'this number; may be given several times' },
  group: { type: 'string', value: 'ID', summary: 'only numbers of this group' },
  prefix: { type: 'string', value: 'DIGITS', summary: 'only numbers with these first digits, country code included' },
} as const;

const acts = {
  withdraw: {
    summary: 'Take numbers out of stock for good; owned ones when they come back.',
    done: 'Withdrew',
    effect: 'numbers that leave the stock',
  },
  quarantine: {
    summary: 'Take numbers out of stock until a time, or for ever; owned ones when they come back.',
    done: 'Quarantined',
    effect: 'numbers that leave the stock',
  },
  release: {
    summary: 'Put withdrawn or quarantined numbers back into stock.',
    done: 'Released',
    effect: 'numbers that can be sold again',
  },
  move: {
    summary: 'Move numbers of the stock to another group.',
    done: 'Moved',
    effect: 'numbers that change their group',
  },
} as const;

const extraOptions = {
  withdraw: {},
  quarantine: { until: { type: 'string', value: 'TIME', summary: 'when it ends; for ever if left out' } },
  release: {},
  move: { to: { type: 'string', value: 'GROUP', summary: 'id of the group to move to' } },
} as const satisfies Record<StockAct['action'], Options>;

export const stockCommands = [
  environmentCommand({
    name: 'stock list',
    summary: 'Report the stock by group: available, reserved, sold, held, and what back orders wait for.',
    options: {
      country: { type: 'string', value: 'ISO', summary: 'only this country' },
      empty: { type: 'boolean', summary: 'only groups without numbers' },
    },
    run: async ({ env, values, printTable }) => {
      const query: [string, string][] = [['page[size]', '1000']];
      if (values.country !== undefined) query.push(['filter[country_iso]', values.country.toUpperCase()]);
      if (values.empty) query.push(['filter[is_empty]', 'true']);
      const rows = (await lookUp(env, 'stock', query)).map(({ id, attributes: a }) =>
        [
          a.country_iso,
          a.type,
          a.area_name,
          a.prefix,
          a.available,
          a.reserved,
          a.sold,
          a.quarantined,
          a.withdrawn,
          a.waiting,
          id,
        ].map(String),
      );
      const counts = ['AVAILABLE', 'RESERVED', 'SOLD', 'QUARANTINED', 'WITHDRAWN', 'WAITING'];
      printTable(['COUNTRY', 'TYPE', 'AREA', 'PREFIX', ...counts, 'GROUP'], rows, 'There are no groups.');
    },
  }),
  environmentCommand({
    name: 'stock waiting',
    summary: 'List the back orders: who waits for which numbers, the oldest first.',
    run: async ({ env, printTable }) => {
      const rows = (await lookUp(env, 'back_orders', [['page[size]', '1000']])).map(
        ({ attributes: a, relationships }) =>
          [
            a.created_at,
            a.reference,
            a.country,
            a.area_name,
            a.prefix,
            a.qty,
            a.missing,
            relationships.account?.data?.id,
          ].map(String),
      );
      const headings = ['SINCE', 'ORDER', 'COUNTRY', 'AREA', 'PREFIX', 'ORDERED', 'MISSING', 'ACCOUNT'];
      printTable(headings, rows, 'Nobody waits.');
    },
  }),
  ...(Object.keys(acts) as StockAct['action'][]).map((action) =>
    confirmedCommand<Options>({
      name: `stock ${action}`,
      summary: acts[action].summary,
      options: { ...choice, ...extraOptions[action] },
      run: async ({ env, reason, values }) => {
        const given = values as Values<typeof choice> & { readonly until?: string; readonly to?: string };
        const { count, owned, skipped } = await actOnStock(atCommandLine(env), {
          action,
          ...(given.number === undefined ? {} : { numbers: given.number }),
          numberPrefix: option('prefix', given.prefix, text(/^[1-9]\d{2,14}$/, 'digits')) ?? null,
          groupId: option('group', given.group, lowerCaseUuid) ?? null,
          targetGroupId: option('to', given.to, lowerCaseUuid) ?? null,
          until: timeOf('until', given.until),
          reason,
        });
        const effects = [
          `${acts[action].effect}: ${count}`,
          ...(owned === 0 ? [] : [`numbers that customers own, held when they come back: ${owned}`]),
          ...(skipped === 0 ? [] : [`numbers that are left alone: ${skipped}`]),
        ];
        const marked = owned === 0 ? '' : ` ${owned} that customers own are held when they come back.`;
        const left = skipped === 0 ? '' : ` ${skipped} were left alone.`;
        const done = `${acts[action].done} ${numbersOf(count)}.${marked}${left}`;
        return { concerned: String(count + owned), effects, done };
      },
    }),
  ),
];

const numbersOf = (count: number): string => `${count} ${count === 1 ? 'number' : 'numbers'}`;
