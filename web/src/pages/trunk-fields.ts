/** The values of the trunk form, read from a trunk and written to one. */
import type { Trunk } from '../api/documents.ts';

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
  cliFormat: string;
  cliPrefix: string;
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
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const number = (value: unknown): number | string => (typeof value === 'number' ? value : '');

export function fieldsOf({ attributes }: Trunk): Fields {
  const { type, attributes: settings } = attributes.configuration;
  const codecIds = Array.isArray(settings.codec_ids) ? settings.codec_ids.map(String) : blank.codecs;
  return {
    name: attributes.name,
    description: attributes.description ?? '',
    kind:
      type === 'pstn_configurations' ? 'telephone' : settings.enabled_sip_registration === true ? 'registers' : 'sip',
    host: text(settings.host),
    port: number(settings.port),
    username: text(settings.username),
    transport: String(settings.transport_protocol_id ?? 1),
    codecs: codecIds,
    dst: text(settings.dst),
    auth: settings.auth_enabled === true,
    authUser: text(settings.auth_user),
    // The panel does not get it; an empty field leaves it as it is.
    authPassword: '',
    capacityLimit: number(attributes.capacity_limit),
    ringingTimeout: number(attributes.ringing_timeout),
    cliFormat: attributes.cli_format ?? 'e164',
    cliPrefix: attributes.cli_prefix ?? '',
  };
}

const orNull = (value: number | string): number | null => (typeof value === 'number' ? value : null);

const withPassword = (password: string) => (password === '' ? {} : { auth_password: password });

function configurationOf(fields: Fields): object {
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
      transport_protocol_id: Number(fields.transport),
      codec_ids: fields.codecs.map(Number),
      auth_enabled: fields.auth,
      auth_user: fields.auth ? fields.authUser : null,
      ...(fields.auth ? withPassword(fields.authPassword) : { auth_password: null }),
    },
  };
}

export function attributesOf(fields: Fields): object {
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
