/** SIP configurations had fewer members: no registration, no diversion, no lookup of the caller's name. */
import { errors, throwAny } from '../../../jsonapi/errors.ts';
import { type Change, isObject, mapAttributes, withAttributes, without } from '../change.ts';

const NEW_MEMBERS = [
  'network_protocol_priority',
  'use_did_in_ruri',
  'enabled_sip_registration',
  'incoming_auth_username',
  'incoming_auth_password',
  'diversion_relay_policy',
  'diversion_inject_mode',
  'cnam_lookup',
];

const fewerMembers: Change = {
  type: 'voice_in_trunks',
  request: ({ query, body }) => ({
    query,
    body: withAttributes(body, (attributes) => {
      const sent = isObject(attributes.configuration) ? attributes.configuration.attributes : null;
      const unknown = NEW_MEMBERS.filter((name) => isObject(sent) && name in sent);
      throwAny(unknown.map(errors.paramNotAllowed));
      return attributes;
    }),
  }),
  response: (resource) =>
    mapAttributes(resource, (attributes) => {
      const { configuration } = attributes;
      if (!isObject(configuration) || !isObject(configuration.attributes)) return attributes;
      const shown = { ...configuration, attributes: without(configuration.attributes, NEW_MEMBERS) };
      return { ...attributes, configuration: shown };
    }),
};

export const inboundTrunks: readonly Change[] = [fewerMembers];
