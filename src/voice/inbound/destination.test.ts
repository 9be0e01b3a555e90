import { expect, test } from 'vitest';
import { destinationOf } from './destination.ts';

const sip = (configuration: object) => ({
  type: 'sip_configurations' as const,
  configuration: { username: null, host: 'sip.example.net', port: null, ...configuration },
});

test.each([
  [sip({}), 'sip:4420@sip.example.net'],
  [sip({ username: '+{DID}', port: 5070 }), 'sip:+4420@sip.example.net:5070'],
  [sip({ username: '{DID};cpc={CALL_CPC}' }), 'sip:4420;cpc=ordinary@sip.example.net'],
  [sip({ username: 'pbx' }), 'sip:pbx@sip.example.net'],
  [sip({ host: '2001:db8::1', port: 5060 }), 'sip:4420@[2001:db8::1]:5060'],
  [sip({ host: null, enabled_sip_registration: true, incoming_auth_username: 'aB3' }), 'sip:aB3@registered'],
  [sip({ host: null, enabled_sip_registration: true, use_did_in_ruri: true }), 'sip:4420@registered'],
  [
    { type: 'iax2_configurations' as const, configuration: { dst: '{CALL_DID}', host: 'pbx.example.net', port: 4569 } },
    'iax:4420@pbx.example.net:4569',
  ],
  [
    { type: 'h323_configurations' as const, configuration: { dst: 'x', host: '192.0.2.1', port: null } },
    'h323:x@192.0.2.1',
  ],
  [{ type: 'pstn_configurations' as const, configuration: { dst: '442037691880' } }, 'tel:+442037691880'],
])('%j', (trunk, uri) => {
  expect(destinationOf(trunk, '4420')).toBe(uri);
});
