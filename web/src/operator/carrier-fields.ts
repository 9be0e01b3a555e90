/** The form of a carrier. Its texts are the interface's own explanations; its errors come from the interface. */

import type { RecordOf } from '../api/routes.ts';
import { type Field, type FieldValue, type FieldValues, withoutEmpty } from '../parts/fields.tsx';

export type Carrier = RecordOf<'/operator/v1/carriers'>;

const sends = ({ host }: FieldValues): boolean => typeof host === 'string' && host.trim() !== '';
const sendsByTls = (values: FieldValues): boolean => sends(values) && values.transport === 'tls';

export const reasonField: Field = { name: 'reason', label: 'Reason', about: 'Why; kept in the audit log' };

export const carrierFields: readonly Field[] = [
  { name: 'name', label: 'Name', about: 'Used once; call records keep it', required: true },
  { name: 'enabled', label: 'In use', about: 'Calls are taken from it and sent to it', kind: 'switch' },
  {
    name: 'addresses',
    label: 'Calls come from',
    about: 'Addresses and networks, such as 192.0.2.10 or 192.0.2.0/24; Enter after each. None: it brings no calls',
    kind: 'words',
  },
  {
    name: 'priority',
    label: 'Priority',
    about: 'Decides between carriers that share a network: the lowest goes first',
    kind: 'number',
  },
  { name: 'host', label: 'Calls go to', about: 'Host name or address; empty for a carrier that only brings calls' },
  { name: 'port', label: 'Port', about: 'Empty if DNS says it', kind: 'number', when: sends },
  {
    name: 'transport',
    label: 'Transport',
    about: 'How calls are sent to it',
    kind: 'select',
    required: true,
    options: ['udp', 'tcp', 'tls'].map((value) => ({ value, label: `SIP over ${value.toUpperCase()}` })),
    when: sends,
  },
  {
    name: 'verify_certificate',
    label: 'Check its certificate',
    about: 'Only switch it off for a carrier with a certificate of its own making',
    kind: 'switch',
    when: sendsByTls,
  },
  {
    name: 'certificate_name',
    label: 'Name in the certificate',
    about: 'If it is another one than the host',
    when: sendsByTls,
  },
  {
    name: 'user_phone',
    label: 'Mark numbers with user=phone',
    about: 'For carriers that take a number without it for a name',
    kind: 'switch',
    when: sends,
  },
  {
    name: 'reliable_provisionals',
    label: 'Reliable ringing (100rel, PRACK)',
    about: 'Off for carriers that cannot do it, required for those that insist on it',
    kind: 'select',
    required: true,
    options: [
      { value: 'off', label: 'Off' },
      { value: 'supported', label: 'Supported' },
      { value: 'required', label: 'Required' },
    ],
    when: sends,
  },
  {
    name: 'sign_calls',
    label: 'Sign calls',
    about: 'With the certificates under “Signing of calls”, once there is one',
    kind: 'switch',
    when: sends,
  },
  {
    name: 'prefixes',
    label: 'Only to numbers that begin with',
    about: 'Digits without +; Enter after each. None: to all numbers',
    kind: 'words',
    when: sends,
  },
  {
    name: 'emergency_countries',
    label: 'Takes emergency calls of',
    about: 'Countries of the callers, such as US; Enter after each. “all” for every country',
    kind: 'words',
    when: sends,
  },
  { name: 'username', label: 'User name', about: 'For digest authentication of calls sent to it', when: sends },
  {
    name: 'password',
    label: 'Password',
    about: 'Goes with the user name; stored sealed, never shown. Empty keeps the stored one',
    kind: 'password',
    when: sends,
  },
  reasonField,
];

export const newCarrier: FieldValues = {
  enabled: true,
  priority: 10,
  transport: 'udp',
  verify_certificate: true,
  user_phone: false,
  reliable_provisionals: 'supported',
  sign_calls: true,
};

export const valuesOf = ({ attributes }: Carrier): FieldValues => ({
  ...newCarrier,
  ...Object.fromEntries(carrierFields.map(({ name }) => [name, new Map(Object.entries(attributes)).get(name) ?? null])),
});

const clearable = ['host', 'port', 'certificate_name', 'prefixes'];

/** A password is only sent with its user name, and both are left out unless one of them was changed. */
export function attributesFor(carrier: Carrier | null) {
  return (given: Readonly<Record<string, FieldValue>>): Record<string, unknown> => {
    const { username = null, password = null, ...settings } = given;
    const stored = carrier?.attributes.username ?? null;
    const isChanged = password !== null || username !== stored;
    const emptied = Object.fromEntries(
      carrier === null ? [] : clearable.filter((name) => (settings[name] ?? null) === null).map((name) => [name, null]),
    );
    return { ...withoutEmpty(settings), ...emptied, ...(isChanged ? { username, password } : {}) };
  };
}
