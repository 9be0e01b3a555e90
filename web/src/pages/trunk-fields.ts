/** The values of the trunk form, read from a trunk and written to one. */

import type { Trunk } from '../api/documents.ts';
import type { BodyOf } from '../api/routes.ts';
import type { FieldValues } from '../parts/fields.tsx';
import { trunkMediaAttributes, trunkMediaOf } from './trunk-media.ts';

type CliFormat = NonNullable<Trunk['attributes']['cli_format']>;

/** Those of the interface: a trunk may have codecs that the form does not offer. */
const codecIds = [6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19] as const;
const transports = [1, 2, 3] as const;

/** What the form edits; everything else of a trunk stays as it is. */
export interface Fields {
  name: string;
  description: string;
  kind: 'sip' | 'registers' | 'telephone';
  host: string;
  port: number | string;
  username: string;
  transport: string;
  codecs: string[];
  dst: string;
  auth: boolean;
  authUser: string;
  authPassword: string;
  capacityLimit: number | string;
  ringingTimeout: number | string;
  cliFormat: CliFormat;
  cliPrefix: string;
  media: FieldValues;
}

export const codecs = [
  { value: '9', label: 'PCMU (G.711 µ-law)' },
  { value: '10', label: 'PCMA (G.711 A-law)' },
  { value: '8', label: 'G.729' },
  { value: '7', label: 'G.723' },
  { value: '6', label: 'telephone-event' },
];

export const blank: Fields = {
  name: '',
  description: '',
  kind: 'sip',
  host: '',
  port: '',
  username: '{DID}',
  transport: '1',
  codecs: ['9', '10'],
  dst: '',
  auth: false,
  authUser: '',
  authPassword: '',
  capacityLimit: '',
  ringingTimeout: '',
  cliFormat: 'e164',
  cliPrefix: '',
  media: trunkMediaOf(null),
};

const number = (value: unknown): number | string => (typeof value === 'number' ? value : '');

/** The settings of a trunk that is reached by SIP. */
export function sipOf({ attributes: { configuration } }: Trunk) {
  return configuration.type === 'sip_configurations' ? configuration.attributes : null;
}

export function fieldsOf(trunk: Trunk): Fields {
  const { attributes } = trunk;
  const { configuration } = attributes;
  const sip = sipOf(trunk);
  return {
    name: attributes.name,
    description: attributes.description ?? '',
    kind:
      configuration.type === 'pstn_configurations' ? 'telephone' : sip?.enabled_sip_registration ? 'registers' : 'sip',
    host: sip?.host ?? '',
    port: number(sip?.port),
    username: sip?.username ?? '',
    transport: String(sip?.transport_protocol_id ?? 1),
    codecs: sip?.codec_ids?.map(String) ?? blank.codecs,
    dst: configuration.type === 'pstn_configurations' ? configuration.attributes.dst : '',
    auth: sip?.auth_enabled === true,
    authUser: sip?.auth_user ?? '',
    // The panel does not get it; an empty field leaves it as it is.
    authPassword: '',
    capacityLimit: number(attributes.capacity_limit),
    ringingTimeout: number(attributes.ringing_timeout),
    cliFormat: attributes.cli_format ?? 'e164',
    cliPrefix: attributes.cli_prefix ?? '',
    media: trunkMediaOf(sip),
  };
}

const orNull = (value: number | string): number | null => (typeof value === 'number' ? value : null);

const withPassword = (password: string) => (password === '' ? {} : { auth_password: password });

function configurationOf(fields: Fields): Sent['configuration'] {
  if (fields.kind === 'telephone') {
    return { type: 'pstn_configurations', attributes: { dst: fields.dst.replace(/\D/g, '') } };
  }
  const registers = fields.kind === 'registers';
  return {
    type: 'sip_configurations',
    attributes: {
      enabled_sip_registration: registers,
      host: registers ? null : fields.host.trim(),
      port: registers ? null : orNull(fields.port),
      username: fields.username.trim() || null,
      transport_protocol_id: transports.find((id) => String(id) === fields.transport) ?? 1,
      codec_ids: fields.codecs.flatMap((chosen) => codecIds.find((id) => String(id) === chosen) ?? []),
      auth_enabled: fields.auth,
      auth_user: fields.auth ? fields.authUser : null,
      ...trunkMediaAttributes(fields.media),
      ...(fields.auth ? withPassword(fields.authPassword) : { auth_password: null }),
    },
  };
}

type Sent = BodyOf<'POST /v3/voice_in_trunks'>['data']['attributes'];

export function attributesOf(fields: Fields): Sent {
  return {
    name: fields.name.trim(),
    description: fields.description === '' ? null : fields.description,
    capacity_limit: orNull(fields.capacityLimit),
    ringing_timeout: orNull(fields.ringingTimeout),
    cli_format: fields.cliFormat,
    cli_prefix: fields.cliPrefix === '' ? null : fields.cliPrefix,
    configuration: configurationOf(fields),
  };
}
