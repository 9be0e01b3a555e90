/** `carrier create`, `list`, `update`, `remove`: the networks that bring calls in and take calls out. */
import { text as readAll } from 'node:stream/consumers';
import { type Selectable, sql } from 'kysely';
import { oneOf, wholeNumber } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { type CarrierSettings, listCarriers } from '../../business/voice/carriers/carriers.ts';
import type { CarriersTable } from '../../engines/db/tables/voice.ts';
import type { Environment } from '../../engines/environment.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { addCarrier, changeCarrier, dropCarrier } from '../../interfaces/operator/peers/carriers.writes.ts';
import { reasonOption } from './change-command.ts';
import { onOrOff, option, type Values } from './command.ts';
import { confirmedCommand } from './confirmed-command.ts';
import { environmentCommand } from './open-environment.ts';
import { switchesIn, switchOptions } from './sip-switches.ts';

const settingsOptions = {
  address: { type: 'string', value: 'ADDRESS', multiple: true, summary: 'address or network its calls come from' },
  prefix: { type: 'string', value: 'DIGITS', multiple: true, summary: 'numbers it may call; "all" (the default)' },
  priority: { type: 'string', value: 'N', summary: 'the lowest goes first among the same networks (10)' },
  enabled: { type: 'string', value: 'on|off', summary: 'whether calls are taken from it and sent to it (on)' },
  host: { type: 'string', value: 'HOST', summary: 'where calls are sent to; "none" for a carrier that only sends' },
  port: { type: 'string', value: 'PORT', summary: 'port at the host; "none" (the default) leaves it to DNS' },
  transport: { type: 'string', value: 'udp|tcp|tls', summary: 'how calls are sent to it (udp)' },
  verify: { type: 'string', value: 'on|off', summary: 'whether its certificate is checked, by TLS (on)' },
  'certificate-name': {
    type: 'string',
    value: 'NAME',
    summary: 'what its certificate must be for; "none" (the default) for its host',
  },
  sign: { type: 'string', value: 'on|off', summary: 'whether calls sent to it are signed, with a certificate (on)' },
  ...switchOptions,
  emergency: {
    type: 'string',
    value: 'COUNTRY',
    multiple: true,
    summary: 'takes emergency calls of this country (US), or of "all"; "none" (the default)',
  },
  user: { type: 'string', value: 'NAME', summary: 'user name for digest authentication; "none" for none' },
  password: { type: 'string', value: 'TEXT', summary: 'password for digest authentication; - reads stdin' },
} as const;

export const carrierCommands = [
  environmentCommand({
    name: 'carrier create',
    summary: 'Add a carrier: the addresses its calls come from, and where calls are sent to.',
    positionals: ['NAME'],
    options: { ...reasonOption, ...settingsOptions },
    notes: 'In the sandbox calls from the machine itself are accepted without a carrier.',
    run: async ({ env, values, positionals: [name = ''], out }) => {
      await addCarrier(atCommandLine(env, values.reason), { ...(await settingsOf(values)), name });
      out(`Created the carrier ${name}.`);
    },
  }),
  environmentCommand({
    name: 'carrier update',
    summary: 'Change settings of a carrier; addresses and prefixes that are given replace the former ones.',
    positionals: ['NAME'],
    options: {
      ...settingsOptions,
      ...reasonOption,
      name: { type: 'string', value: 'NAME', summary: 'another name' },
    },
    run: async ({ env, values, positionals: [name = ''], out }) => {
      const settings = await settingsOf(values);
      const changes = values.name === undefined ? settings : { ...settings, name: values.name };
      await changeCarrier(atCommandLine(env, values.reason), { name }, changes);
      out(`Changed the carrier ${values.name ?? name}.`);
    },
  }),
  confirmedCommand({
    name: 'carrier remove',
    summary: 'Remove a carrier. Calls that are up go on; CDRs keep its name.',
    positionals: ['NAME'],
    run: async ({ env, reason, positionals: [name = ''] }) => {
      const effects = await goingWith(env, name);
      await dropCarrier(atCommandLine(env, reason), { name });
      return { concerned: name, effects, done: `Removed the carrier ${name}.` };
    },
  }),
  environmentCommand({
    name: 'carrier list',
    summary: 'List the carriers.',
    run: async ({ env, printTable }) => {
      const rows = (await listCarriers(env)).map((carrier) => [
        carrier.name,
        carrier.enabled ? 'on' : 'off',
        String(carrier.priority),
        carrier.addresses.join(', ') || '-',
        carrier.prefixes?.join(', ') ?? 'all',
        targetOf(carrier),
        switchesShown(carrier),
        carrier.emergency_countries.join(', ') || '-',
        carrier.username ?? '-',
      ]);
      const headings = ['NAME', 'ENABLED', 'PRIORITY', 'FROM', 'MAY CALL', 'SENT TO', 'SIP', 'EMERGENCY', 'USER'];
      printTable(headings, rows, 'There are no carriers.');
    },
  }),
];

/** What is removed with a carrier. */
async function goingWith({ db }: Environment, name: string): Promise<string[]> {
  const { rows } = await sql<Record<'routes' | 'rates', number>>`
    select (select count(*)::int from carrier_routes r where r.carrier_id = c.id) as routes,
      (select count(*)::int from carrier_rates r where r.carrier_id = c.id) as rates
    from carriers c where c.name = ${name}
  `.execute(db);
  const { routes = 0, rates = 0 } = rows[0] ?? {};
  return [`routes that are removed: ${routes}`, `rates that are removed: ${rates}`];
}

async function settingsOf(values: Values<typeof settingsOptions>): Promise<Partial<CarrierSettings>> {
  const { address, prefix, enabled, host, port, transport, emergency } = values;
  const credentials = await credentialsOf(values.user, values.password);
  const priority = option('priority', values.priority, wholeNumber(0, 65_535));
  return {
    ...(address !== undefined && { addresses: address }),
    ...(prefix !== undefined && { prefixes: prefix.includes('all') ? null : prefix }),
    ...(priority !== undefined && { priority }),
    ...(enabled !== undefined && { enabled: onOrOff('--enabled', enabled) }),
    // Without a host there is no port.
    ...(host !== undefined && (host === 'none' ? { host: null, port: null } : { host })),
    ...(port !== undefined && {
      port: port === 'none' ? null : (option('port', port, wholeNumber(1, 65_535)) ?? null),
    }),
    ...(transport !== undefined && { transport: option('transport', transport, oneOf('udp', 'tcp', 'tls')) ?? 'udp' }),
    ...(values.verify !== undefined && { verifyCertificate: onOrOff('--verify', values.verify) }),
    ...(values['certificate-name'] !== undefined && {
      certificateName: values['certificate-name'] === 'none' ? null : values['certificate-name'],
    }),
    ...(values.sign !== undefined && { signCalls: onOrOff('--sign', values.sign) }),
    ...switchesIn(values),
    ...(emergency !== undefined && { emergencyCountries: emergency.includes('none') ? [] : emergency }),
    ...(credentials !== undefined && { credentials }),
  };
}

async function credentialsOf(
  username: string | undefined,
  given: string | undefined,
): Promise<CarrierSettings['credentials'] | undefined> {
  if (username === 'none' && given === undefined) return null;
  if ((username === undefined) !== (given === undefined)) throw new OperatorError('--user and --password go together.');
  if (username === undefined || given === undefined) return undefined;
  return { username, password: given === '-' ? (await readAll(process.stdin)).trim() : given };
}

/** What differs from the usual. */
function switchesShown(carrier: Selectable<CarriersTable>): string {
  const { user_phone: userPhone, reliable_provisionals: reliable, sign_calls: signs } = carrier;
  const shown = [
    ...(userPhone ? ['user=phone'] : []),
    ...(reliable === 'supported' ? [] : [`100rel ${reliable}`]),
    ...(signs ? [] : ['not signed']),
  ];
  return shown.join(', ') || '-';
}

function targetOf({ host, port, transport }: Pick<CarrierSettings, 'host' | 'port' | 'transport'>): string {
  if (host === null) return '-';
  const written = host.includes(':') ? `[${host}]` : host;
  return `${transport} ${port === null ? written : `${written}:${port}`}`;
}
