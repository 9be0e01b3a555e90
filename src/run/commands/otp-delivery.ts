/**
 * `otp-providers`, `otp-routes` and `otp-rates`: the providers of codes, their routes, and the price of a verification.
 */
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { oneOf, text } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { dropProvider, renewReceipts, setProvider } from '../../interfaces/operator/peers/providers.writes.ts';
import { dropProviderRoute, setProviderRoute } from '../../interfaces/operator/peers/routes.writes.ts';
import { changeRate } from '../../interfaces/operator/pricing/verification-rates.ts';
import {
  listProviders,
  listRoutes,
  type ProviderListing,
} from '../../interfaces/verification/delivery/manage-providers.ts';
import type { DeliveryMethod } from '../../interfaces/verification/fields.ts';
import { listRates } from '../../interfaces/verification/prices.ts';
import { readSettings } from '../../interfaces/verification/settings.ts';
import { changeCommand, reasonOption } from './change-command.ts';
import { argument, onOrOff, option } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment, money } from './output.ts';

const prefixOption = {
  type: 'string',
  value: 'DIGITS',
  summary: 'leading digits of the number; all when left out',
} as const;

export const otpDeliveryCommands = [
  environmentCommand({
    name: 'otp-providers set',
    summary: 'Create a provider or replace its settings, read from a JSON file.',
    positionals: ['NAME', 'http|smpp', 'FILE'],
    options: {
      ...reasonOption,
      secret: {
        type: 'string',
        value: 'TEXT',
        summary: 'password or token, {{SECRET}} in the settings; - reads stdin',
      },
      enabled: { type: 'string', value: 'on|off', summary: 'whether routes may use it' },
    },
    notes: 'docs/verification.md shows a settings file of each kind.',
    run: async ({ env, values, positionals: [name = '', kind = '', file = ''], out }) => {
      const secret = values.secret === '-' ? (await readAll(process.stdin)).trim() : values.secret;
      await setProvider(atCommandLine(env, values.reason), {
        name,
        kind: argument('The kind of a provider', kind, oneOf('http', 'smpp')),
        settings: await readJson(file),
        ...(secret !== undefined && { secret }),
        ...(values.enabled !== undefined && { enabled: onOrOff('--enabled', values.enabled) }),
      });
      out(`Saved the provider ${name}.`);
    },
  }),
  environmentCommand({
    name: 'otp-providers list',
    summary: 'List the providers that deliver codes.',
    run: async ({ env, printTable }) => {
      const now = env.clock.now();
      const rows = (await listProviders(env)).map((provider) => [
        provider.name,
        provider.kind,
        provider.enabled ? 'on' : 'off',
        healthOf(provider, now),
        provider.lastFailure === null ? '' : `${moment(provider.lastFailureAt)} ${provider.lastFailure}`,
        String(provider.settings.url ?? `${provider.settings.host}:${provider.settings.port}`),
      ]);
      const headings = ['NAME', 'KIND', 'ENABLED', 'HEALTH', 'LAST FAILURE', 'ADDRESS'];
      printTable(headings, rows, 'There are no providers.');
    },
  }),
  environmentCommand({
    name: 'otp-providers delete',
    summary: 'Delete a provider and the routes to it.',
    positionals: ['NAME'],
    options: reasonOption,
    run: async ({ env, values, positionals: [name = ''], out }) => {
      await dropProvider(atCommandLine(env, values.reason), { name });
      out(`Deleted the provider ${name}.`);
    },
  }),
  environmentCommand({
    name: 'otp-providers receipts',
    summary: 'Make a new secret for the delivery receipts of an HTTP provider, and show where they are sent.',
    positionals: ['NAME'],
    options: reasonOption,
    notes: 'docs/verification.md shows how the settings say what a receipt means.',
    run: async ({ env, values, positionals: [name = ''], out }) => {
      const secret = await renewReceipts(atCommandLine(env, values.reason), { name });
      out(`Address: ${env.publicUrl ?? ''}/providers/${name}/receipts`);
      out(`Secret:  ${secret}`);
      out('The provider sends it as a bearer token, as the password of Basic, or as ?secret= in the address.');
    },
  }),
  environmentCommand({
    name: 'otp-routes set',
    summary:
      'Send codes for numbers with a prefix through a provider; the longest prefix, then the lowest priority, goes first.',
    positionals: ['sms|callout', 'PROVIDER'],
    options: {
      ...reasonOption,
      prefix: prefixOption,
      priority: { type: 'string', value: 'N', summary: '10 when left out' },
    },
    run: async ({ env, values, positionals: [method = '', provider = ''], out }) => {
      const priority = Number(option('priority', values.priority, text(/^-?\d{1,6}$/, 'a whole number')) ?? 10);
      const route = { deliveryMethod: methodOf(method), prefix: values.prefix ?? '', provider: { name: provider } };
      await setProviderRoute(atCommandLine(env, values.reason), route, priority);
      out(`Saved the route.`);
    },
  }),
  environmentCommand({
    name: 'otp-routes list',
    summary: 'List the routes.',
    run: async ({ env, printTable, out }) => {
      const rows = (await listRoutes(env)).map(({ deliveryMethod, prefix, provider, priority }) => [
        deliveryMethod,
        prefix || 'all',
        provider,
        String(priority),
      ]);
      printTable(['METHOD', 'PREFIX', 'PROVIDER', 'PRIORITY'], rows, 'There are no routes.');
      if ((await readSettings(env)).callerNumber === null)
        out(
          'No code is spoken through a carrier yet: set the number that calls show, otp-guards set callerNumber=NUMBER.',
        );
    },
  }),
  environmentCommand({
    name: 'otp-routes delete',
    summary: 'Take a route away.',
    positionals: ['sms|callout', 'PROVIDER'],
    options: { ...reasonOption, prefix: prefixOption },
    run: async ({ env, values, positionals: [method = '', provider = ''], out }) => {
      const route = { deliveryMethod: methodOf(method), prefix: values.prefix ?? '', provider: { name: provider } };
      await dropProviderRoute(atCommandLine(env, values.reason), route);
      out(`Deleted the route.`);
    },
  }),
  changeCommand({
    action: 'verification_rate.changed',
    name: 'otp-rates set',
    summary: 'Set what a verified number or a sent message costs without VAT, by prefix; `none` takes a rate away.',
    positionals: ['sms|callout', 'AMOUNT'],
    options: {
      prefix: prefixOption,
      per: {
        type: 'string',
        value: 'UNIT',
        summary: 'verification (the default) or message: what the rate is paid for',
      },
    },
    run: async ({ env, values, positionals: [method = '', amount = ''], out }) => {
      const rate = {
        per: option('per', values.per, oneOf('verification', 'message')) ?? 'verification',
        deliveryMethod: methodOf(method),
        prefix: values.prefix ?? '',
        amount: amount === 'none' ? null : amount,
      };
      const changed = await changeRate(env, rate);
      out('Saved the rate.');
      return changed;
    },
  }),
  environmentCommand({
    name: 'otp-rates list',
    summary: 'List what verified numbers and sent messages cost.',
    run: async ({ env, printTable }) => {
      const rows = (await listRates(env)).map(({ per, deliveryMethod, prefix, amount }) => [
        per,
        deliveryMethod,
        prefix || 'all',
        money(amount),
      ]);
      printTable(['PER', 'METHOD', 'PREFIX', 'AMOUNT'], rows, 'There are no rates: verifications are free.');
    },
  }),
];

function healthOf({ failures, setAsideUntil }: ProviderListing, now: Date): string {
  if (setAsideUntil !== null && setAsideUntil > now) return `set aside until ${moment(setAsideUntil)}`;
  return failures === 0 ? 'ok' : `${failures} failures`;
}

const methodOf = (given: string): DeliveryMethod => argument('The delivery method', given, oneOf('sms', 'callout'));

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read';
    throw new OperatorError(`The settings file ${file} is of no use: ${reason}.`);
  }
}
