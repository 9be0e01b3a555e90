/**
 * The form of a provider of codes: its settings as fields, and back. What is wrong with them is said by the interface.
 */

import type { RecordOf } from '../api/routes.ts';
import type { Field, FieldValue, FieldValues } from '../parts/fields.tsx';
import { reasonField } from './carrier-fields.ts';

export type Provider = RecordOf<'/operator/v1/providers'>;

const isHttp = ({ kind }: FieldValues): boolean => kind === 'http';
const isSmpp = ({ kind }: FieldValues): boolean => kind === 'smpp';
const readsReceipts = (values: FieldValues): boolean => isHttp(values) && values.receipts === true;

const identity: readonly Field[] = [
  { name: 'name', label: 'Name', about: 'Letters, digits, - and _; must be unique', required: true },
  {
    name: 'kind',
    label: 'Protocol',
    kind: 'select',
    required: true,
    options: [
      { value: 'http', label: 'HTTP' },
      { value: 'smpp', label: 'SMPP 3.4' },
    ],
  },
];

const httpSettings: readonly Field[] = [
  { name: 'url', label: 'URL', about: 'May have the placeholders below', required: true, when: isHttp },
  {
    name: 'method',
    label: 'Method',
    kind: 'select',
    required: true,
    options: ['POST', 'GET'].map((value) => ({ value, label: value })),
    when: isHttp,
  },
  {
    name: 'headers',
    label: 'Headers',
    about: 'One on each line, such as “Authorization: Bearer {{SECRET}}”. *** stands for a value that is not shown',
    kind: 'area',
    when: isHttp,
  },
  {
    name: 'body',
    label: 'Body',
    about: 'Placeholders: {{DESTINATION}} {{TEXT}} {{CODE}} {{SENDER}} {{LANGUAGE}} {{METHOD}} {{ID}} {{SECRET}}',
    kind: 'area',
    when: isHttp,
  },
  {
    name: 'success_body',
    label: 'Success if the response matches',
    about: 'A regular expression, beside a 2xx status; empty: the status is enough',
    when: isHttp,
  },
  {
    name: 'message_id',
    label: 'Id of the message',
    about: 'A regular expression whose first group is the id in the response; receipts need it',
    when: isHttp,
  },
  {
    name: 'idempotent',
    label: 'Takes {{ID}} as an idempotency key',
    about: 'It sends once however often it is asked with the same one, so it may be asked again',
    kind: 'switch',
    when: isHttp,
  },
  {
    name: 'receipts',
    label: 'Sends delivery receipts',
    about: 'To /providers/NAME/receipts; their secret is made on the page of the provider',
    kind: 'switch',
    when: isHttp,
  },
  {
    name: 'receipt_message_id',
    label: 'Receipt: id of the message',
    about: 'A regular expression over the receipt; its first group is the id',
    required: true,
    when: readsReceipts,
  },
  {
    name: 'receipt_delivered',
    label: 'Receipt: delivered if it matches',
    required: true,
    when: readsReceipts,
  },
  { name: 'receipt_failed', label: 'Receipt: failed if it matches', required: true, when: readsReceipts },
];

const smppSettings: readonly Field[] = [
  { name: 'host', label: 'Host', required: true, when: isSmpp },
  { name: 'port', label: 'Port', about: 'Usually 2775', kind: 'number', required: true, when: isSmpp },
  { name: 'tls', label: 'TLS', about: 'The connection is encrypted', kind: 'switch', when: isSmpp },
  { name: 'system_id', label: 'System id', about: 'At most 15 characters', required: true, when: isSmpp },
  { name: 'system_type', label: 'System type', about: 'At most 12 characters; usually empty', when: isSmpp },
  {
    name: 'window',
    label: 'Window',
    about: 'Messages without a response at once; 10 if left out',
    kind: 'number',
    when: isSmpp,
  },
  {
    name: 'throughput',
    label: 'Messages a second',
    about: 'At most; 50 if left out',
    kind: 'decimal',
    when: isSmpp,
  },
  {
    name: 'enquire_link_seconds',
    label: 'Seconds between enquire_link',
    about: '30 if left out',
    kind: 'number',
    when: isSmpp,
  },
];

const common: readonly Field[] = [
  {
    name: 'timeout_seconds',
    label: 'Seconds to wait for a response',
    about: '15 if left out, at most 60',
    kind: 'number',
  },
  {
    name: 'secret',
    label: 'Secret',
    about: 'Password or token, in place of {{SECRET}}; stored sealed, never shown. Empty keeps the stored one',
    kind: 'password',
  },
  { name: 'enabled', label: 'In use', about: 'Routes may use it', kind: 'switch' },
  reasonField,
];

export const newProviderFields: readonly Field[] = [...identity, ...httpSettings, ...smppSettings, ...common];
export const providerFields: readonly Field[] = newProviderFields.slice(identity.length);

export const newProvider: FieldValues = {
  kind: 'http',
  method: 'POST',
  headers: 'Content-Type: application/json\nAuthorization: Bearer {{SECRET}}',
  body: '{"to":"+{{DESTINATION}}","from":"{{SENDER}}","text":"{{TEXT}}"}',
  enabled: true,
};

const settingNames = [...httpSettings, ...smppSettings, ...common]
  .map(({ name }) => name)
  .filter((name) => !['headers', 'secret', 'enabled', 'reason'].includes(name) && !name.startsWith('receipt'));

export function providerValues({ attributes: { kind, enabled, settings } }: Provider): FieldValues {
  const { headers = {}, receipt } = settings as { headers?: object; receipt?: Readonly<Record<string, string>> };
  return {
    kind,
    enabled,
    ...Object.fromEntries(settingNames.map((name) => [name, (settings[name] as FieldValue | undefined) ?? null])),
    method: String(settings.method ?? 'POST'),
    headers: Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    receipts: receipt !== undefined,
    ...Object.fromEntries(Object.entries(receipt ?? {}).map(([name, value]) => [`receipt_${name}`, value])),
  };
}

/** Settings replace the stored ones as a whole; an empty field is none. */
export function providerAttributes(isNew: boolean) {
  return (given: Readonly<Record<string, FieldValue>>): Record<string, unknown> => {
    const { name, kind, headers, secret, enabled, reason } = given;
    const plain = settingNames
      .map((setting) => [setting, given[setting] ?? null] as const)
      .filter(([, value]) => value !== null && value !== false);
    const receipt = Object.entries(given)
      .filter(([setting]) => setting.startsWith('receipt_'))
      .map(([setting, value]) => [setting.slice('receipt_'.length), value ?? '']);
    const settings = {
      ...Object.fromEntries(plain),
      ...(typeof headers === 'string' ? { headers: headersIn(headers) } : {}),
      ...(receipt.length > 0 ? { receipt: Object.fromEntries(receipt) } : {}),
    };
    return {
      ...(isNew ? { name: name ?? '', kind } : {}),
      settings,
      enabled,
      ...(secret === null ? {} : { secret }),
      ...(reason === null ? {} : { reason }),
    };
  };
}

/** A line without a colon is a header without a value, which the provider will complain about. */
const headersIn = (lines: string): Record<string, string> =>
  Object.fromEntries(
    lines
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const [name = '', ...rest] = line.split(':');
        return [name.trim(), rest.join(':').trim()];
      }),
  );
