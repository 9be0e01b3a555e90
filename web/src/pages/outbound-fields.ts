/** The fields of an outbound trunk's form, read from a trunk and written to one. */

import { linkOf, linksOf } from '../api/documents.ts';
import type { RecordOf } from '../api/routes.ts';
import { numberSource } from '../parts/choices.ts';
import { type Field, type FieldValue, type FieldValues, optionsOf } from '../parts/fields.tsx';
import { mediaFields } from './media-fields.ts';

export type OutboundTrunk = RecordOf<'/v3/voice_out_trunks'>;

const numbers = numberSource();

const methods = {
  credentials_and_ip: 'User name and password, from these addresses',
  twilio: 'A Twilio account, from Twilio’s addresses',
};

/**
 * `trunk` is the one that the form changes. An operator may have set that its addresses alone are enough, which nobody
 * else can.
 */
export function useOutboundFields(trunk: OutboundTrunk | null): readonly Field[] {
  const isOpen = trunk?.attributes.authentication_method.type === 'ip_only';
  return [
    { name: 'name', label: 'Name', about: 'Used once among outbound trunks.', required: true },
    {
      name: 'status',
      label: 'Switch',
      about: 'A blocked trunk refuses every call.',
      kind: 'select',
      required: true,
      options: optionsOf({ active: 'Active', blocked: 'Blocked' }),
    },
    {
      name: 'method',
      label: 'Authentication',
      about: 'How your equipment proves who it is.',
      kind: 'select',
      required: true,
      options: optionsOf(isOpen ? { ip_only: 'Its addresses alone, as the operator has set', ...methods } : methods),
    },
    {
      name: 'twilio_account_sid',
      label: 'Twilio account',
      about: 'The account SID: AC and 32 digits and letters from a to f. It belongs to one trunk only.',
      required: true,
      when: ({ method }) => method === 'twilio',
    },
    {
      name: 'allowed_sip_ips',
      label: 'SIP addresses',
      about: 'Addresses and networks from which your equipment calls.',
      kind: 'words',
      required: true,
      when: ({ method }) => method === 'credentials_and_ip',
    },
    {
      name: 'tech_prefix',
      label: 'Technical prefix',
      about: 'Digits that your equipment puts before the called number to choose this trunk; removed before dialling.',
      when: ({ method }) => method === 'credentials_and_ip',
    },
    {
      name: 'on_cli_mismatch_action',
      label: 'Other caller ids',
      about: 'What happens when a call presents a number that is not among those below.',
      kind: 'select',
      required: true,
      options: optionsOf({
        reject_call: 'Refuse the call',
        replace_cli: 'Present the default number',
        randomize_cli: 'Present any of the numbers',
        send_original_cli: 'Present it as it is',
      }),
    },
    {
      name: 'allow_any_did_as_cli',
      label: 'Any number of the account may be presented',
      kind: 'switch',
    },
    {
      name: 'dids',
      label: 'Numbers that may be presented',
      kind: 'several',
      source: numbers,
      when: (values) => values.allow_any_did_as_cli !== true,
    },
    {
      name: 'default_did',
      label: 'Default number',
      about: 'Presented instead of a number that is not allowed.',
      kind: 'select',
      source: numbers,
      when: (values) => values.on_cli_mismatch_action === 'replace_cli',
    },
    {
      name: 'default_dst_action',
      label: 'Destinations',
      about: 'What may be called; the prefixes below are the exception.',
      kind: 'select',
      required: true,
      options: optionsOf({
        allow_all: 'Everything, except these prefixes',
        reject_all: 'Nothing, except these prefixes',
      }),
    },
    { name: 'dst_prefixes', label: 'Prefixes', about: 'Number prefixes, such as 44.', kind: 'words' },
    {
      name: 'capacity_limit',
      label: 'Calls at a time',
      about: 'The most. A small number keeps a stolen password from costing much; empty sets no limit.',
      kind: 'number',
    },
    {
      name: 'threshold_amount',
      label: 'Spending limit',
      about: 'What may be spent in 24 hours before calls are refused.',
    },
    {
      name: 'callback_url',
      label: 'Callback URL',
      about: 'Where blocking and unblocking are reported; empty reports nowhere.',
    },
    ...mediaFields,
  ];
}

const defaults: FieldValues = {
  status: 'active',
  method: 'credentials_and_ip',
  allowed_sip_ips: [],
  on_cli_mismatch_action: 'reject_call',
  allow_any_did_as_cli: true,
  default_dst_action: 'allow_all',
  dst_prefixes: [],
  // A number nobody has thought about would be none: a stolen password could call without end.
  capacity_limit: 10,
  threshold_amount: '3000',
  media_encryption_mode: 'disabled',
  rtp_timeout: 30,
  allowed_rtp_ips: [],
  dids: [],
};

export function initialOf(trunk: OutboundTrunk | null): FieldValues {
  if (trunk === null) return defaults;
  const { authentication_method: method, ...attributes } = trunk.attributes;
  return {
    ...attributes,
    allowed_rtp_ips: attributes.allowed_rtp_ips ?? [],
    method: method.type,
    allowed_sip_ips: method.type === 'twilio' ? [] : method.attributes.allowed_sip_ips,
    tech_prefix: (method.type !== 'twilio' && method.attributes.tech_prefix) || '',
    twilio_account_sid: method.type === 'twilio' ? method.attributes.twilio_account_sid : '',
    dids: linksOf(trunk, 'dids'),
    default_did: linkOf(trunk, 'default_did'),
  };
}

/**
 * The authentication is an object of its own, and takes the place of the former one as a whole. The operator's is not
 * sent.
 */
export function writtenOf(values: Record<string, FieldValue>): Record<string, unknown> {
  const { method, allowed_sip_ips, tech_prefix, twilio_account_sid, allowed_rtp_ips: addresses, ...others } = values;
  const attributes = {
    ...others,
    allowed_rtp_ips: Array.isArray(addresses) && addresses.length > 0 ? addresses : null,
  };
  if (method === 'ip_only') return attributes;
  const own = method === 'twilio' ? { twilio_account_sid } : { allowed_sip_ips, tech_prefix };
  return { ...attributes, authentication_method: { type: method, attributes: own } };
}
