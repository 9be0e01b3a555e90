import { added, type Change, isObject, mapAttributes, withAttributes, without } from '../change.ts';

/** Credentials and allowed addresses stood among the trunk's own attributes. */
const flatCredentials: Change = {
  type: 'voice_out_trunks',
  request: ({ query, body }) => ({
    query,
    body: withAttributes(body, (attributes) => {
      if (!('allowed_sip_ips' in attributes)) return attributes;
      const { allowed_sip_ips } = attributes;
      const method = { type: 'credentials_and_ip', attributes: { allowed_sip_ips } };
      return { ...without(attributes, ['allowed_sip_ips']), authentication_method: method };
    }),
  }),
  response: (resource) =>
    mapAttributes(resource, ({ authentication_method, ...attributes }) => {
      const method = isObject(authentication_method) ? authentication_method.attributes : {};
      const { username = null, password = null, allowed_sip_ips = [] } = isObject(method) ? method : {};
      return authentication_method === undefined ? attributes : { ...attributes, username, password, allowed_sip_ips };
    }),
};

export const outboundTrunks: readonly Change[] = [
  flatCredentials,
  added('voice_out_trunks', { attributes: ['rtp_timeout', 'emergency_enable_all'], relationships: ['emergency_dids'] }),
];
