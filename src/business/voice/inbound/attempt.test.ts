/** The caller's number and the address that a trunk gets. */
import { expect, test } from 'vitest';
import { callerIdFor, destinationOf } from './attempt.ts';
import type { CliFormat } from './route.ts';

test.each<[string, CliFormat, string | null, string | null, string]>([
  ['442079460958', 'e164', null, 'GB', '442079460958'],
  ['+442079460958', 'e164', null, 'GB', '442079460958'],
  ['+442079460958', 'e164', '+', 'GB', '+442079460958'],
  ['02079460958', 'e164', null, 'GB', '442079460958'],
  ['442079460958', 'local', null, 'GB', '02079460958'],
  ['442079460958', 'local', '9#', 'GB', '9#02079460958'],
  ['442079460958', 'local', null, 'DE', '442079460958'],
  ['442079460958', 'local', null, null, '442079460958'],
  ['+442079460958', 'raw', null, 'GB', '+442079460958'],
  ['anonymous', 'e164', null, 'GB', 'anonymous'],
  ['anonymous', 'local', '+', 'GB', '+anonymous'],
  ['12', 'e164', null, 'GB', '12'],
])('%s as %s with prefix %s for a number in %s is %s', (src, format, prefix, country, shown) => {
  expect(callerIdFor(src, { format, prefix }, country)).toBe(shown);
});

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
