/**
 * Trunks. Inbound: SIP configurations had no registration, diversion or caller name lookup. Outbound: credentials and
 * allowed addresses were attributes of the trunk itself, and there was no other way to authenticate.
 */
import { type ErrorObject, errors, invalid, messages, throwAny } from '../../../engines/jsonapi/errors.ts';
import type { RawQuery } from '../../../engines/jsonapi/query-string.ts';
import {
  added,
  type Change,
  isObject,
  mapAttributes,
  mapFields,
  unknownFields,
  withAttributes,
  without,
} from './change.ts';

const newSipMembers = [
  'network_protocol_priority',
  'use_did_in_ruri',
  'enabled_sip_registration',
  'incoming_auth_username',
  'incoming_auth_password',
  'diversion_relay_policy',
  'diversion_inject_mode',
  'cnam_lookup',
];

const fewerSipMembers: Change = {
  type: 'voice_in_trunks',
  request: ({ query, body }) => ({
    query,
    body: withAttributes(body, (attributes) => {
      const sent = isObject(attributes.configuration) ? attributes.configuration.attributes : null;
      const unknown = newSipMembers.filter((name) => isObject(sent) && name in sent);
      throwAny(unknown.map(errors.paramNotAllowed));
      return attributes;
    }),
  }),
  response: (resource) =>
    mapAttributes(resource, (attributes) => {
      const { configuration } = attributes;
      if (!isObject(configuration) || !isObject(configuration.attributes)) return attributes;
      const shown = { ...configuration, attributes: without(configuration.attributes, newSipMembers) };
      return { ...attributes, configuration: shown };
    }),
};

const trunkType = 'voice_out_trunks';
const flatMembers = ['username', 'password', 'allowed_sip_ips'];

const flatCredentials: Change = {
  type: trunkType,
  fieldsets: (query) => {
    throwAny(unknownFields(query, trunkType, ['authentication_method']));
    return mapFields(query, trunkType, (names) =>
      names
        .split(',')
        .map((name) => (flatMembers.includes(name) ? 'authentication_method' : name))
        .join(','),
    );
  },
  request: ({ query, body }) => {
    throwAny(refusedFilters(query));
    return { query, body: isObject(body) ? withMethod(body) : body };
  },
  response: (resource) =>
    mapAttributes(resource, ({ authentication_method, ...attributes }) => {
      const method = isObject(authentication_method) ? authentication_method.attributes : {};
      const { username = null, password = null, allowed_sip_ips = [] } = isObject(method) ? method : {};
      return authentication_method === undefined ? attributes : { ...attributes, username, password, allowed_sip_ips };
    }),
  error: (problem) => {
    const { pointer = '' } = problem.source ?? {};
    if (pointer === '/data/attributes/authentication_method')
      return invalid.attribute('allowed_sip_ips', messages.blank);
    return pointer === '/data/attributes/authentication_method/attributes/allowed_sip_ips'
      ? { ...problem, source: { pointer: '/data/attributes/allowed_sip_ips' } }
      : problem;
  },
};

const refusedFilters = (query: RawQuery): ErrorObject[] =>
  query.some(([key]) => key === 'filter[authentication_method.type]')
    ? [errors.filterNotAllowed('authentication_method.type')]
    : [];

/** Gives a new trunk a method even if its addresses are missing, so that the error names the addresses. */
function withMethod(body: Record<string, unknown>): unknown {
  const isNew = isObject(body.data) && !('id' in body.data);
  return withAttributes(body, (attributes) => {
    if ('authentication_method' in attributes) throwAny([errors.paramNotAllowed('authentication_method')]);
    if (!isNew && !('allowed_sip_ips' in attributes)) return attributes;
    const { allowed_sip_ips = [] } = attributes;
    const method = { type: 'credentials_and_ip', attributes: { allowed_sip_ips } };
    return { ...without(attributes, ['allowed_sip_ips']), authentication_method: method };
  });
}

export const trunks: readonly Change[] = [
  fewerSipMembers,
  flatCredentials,
  added(trunkType, { attributes: ['rtp_timeout', 'emergency_enable_all'], relationships: ['emergency_dids'] }),
];
