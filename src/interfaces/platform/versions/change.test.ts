/** Requests and responses are rewritten for an older version. */
import { describe, expect, test } from 'vitest';
import { errors, invalid, messages } from '../../../engines/jsonapi/errors.ts';
import type { ResourceObject } from '../../../engines/jsonapi/linkage.ts';
import { insufficientBalance } from '../refusals.ts';
import { versions } from './versions.ts';

const oldVersion = '2022-05-10';
const upgrade = (type: string, attributes: Record<string, unknown>, query: [string, string][] = []) =>
  versions.request(oldVersion, type, { query, body: { data: { type, attributes } } });
const downgrade = (type: string, attributes: Record<string, unknown>): ResourceObject => {
  const { data } = versions.response(oldVersion, { data: { id: 'x', type, attributes }, meta: {} });
  return data as ResourceObject;
};

describe('a request of 2022-05-10 is read as one of today', () => {
  test.each([
    ['orders', { callback_method: 'POST' }, { callback_method: 'post', allow_back_ordering: false }],
    ['orders', { allow_back_ordering: null }, { allow_back_ordering: null }],
    ['orders', { allow_back_ordering: true }, { allow_back_ordering: true }],
    ['identities', { identity_type: 'Business' }, { identity_type: 'business' }],
    [
      'voice_out_trunks',
      { name: 'a', allowed_sip_ips: ['192.0.2.1'] },
      {
        name: 'a',
        authentication_method: { type: 'credentials_and_ip', attributes: { allowed_sip_ips: ['192.0.2.1'] } },
      },
    ],
  ])('%s %j', (type, then, now) => {
    expect(upgrade(type, then).body).toEqual({ data: { type, attributes: now } });
  });

  test.each([
    ['did_reservations', ['sort', '-expire_at,created_at'], ['sort', '-expires_at,created_at']],
    ['orders', ['filter[status]', 'Pending,Completed'], ['filter[status]', 'pending,completed']],
    [
      'address_requirements',
      ['fields[requirements]', 'identity_type'],
      ['fields[address_requirements]', 'identity_type'],
    ],
    ['did_groups', ['fields[requirements]', 'country'], ['fields[address_requirements]', 'country']],
    ['available_dids', ['fields[did_groups]', 'requirement'], ['fields[did_groups]', 'address_requirement']],
    [
      'voice_out_trunks',
      ['fields[voice_out_trunks]', 'name,username,allowed_sip_ips'],
      ['fields[voice_out_trunks]', 'name,authentication_method,authentication_method'],
    ],
  ] as [string, [string, string], [string, string]][])('%s %j', (type, then, now) => {
    expect(upgrade(type, {}, [then]).query).toEqual([now]);
  });

  test('a validation names its requirement the old way', () => {
    const linked = (name: string, type: string) => ({ [name]: { data: { type, id: '1' } } });
    const { body } = versions.request(oldVersion, 'address_requirement_validations', {
      query: [],
      body: { data: { type: 'requirement_validations', relationships: linked('requirement', 'requirements') } },
    });
    const relationships = linked('address_requirement', 'address_requirements');
    expect(body).toEqual({ data: { type: 'address_requirement_validations', relationships } });
  });

  test.each([
    ['orders', { attributes: { external_reference_id: 'a' } }, [], 'external_reference_id is not allowed.'],
    ['dids', { relationships: { emergency_calling_service: {} } }, [], 'emergency_calling_service is not allowed.'],
    ['addresses', {}, [['filter[external_reference_id]', 'a']], 'external_reference_id is not allowed.'],
    ['dids', {}, [['filter[emergency_calling_service.id]', 'a']], 'emergency_calling_service.id is not allowed.'],
    [
      'proofs',
      {},
      [['sort', '-external_reference_id']],
      'external_reference_id is not a valid sort criteria for proofs',
    ],
    ['dids', {}, [['include', 'order,identity.country']], 'identity is not a valid relationship of dids'],
    ['dids', {}, [['fields[dids]', 'emergency_enabled']], 'emergency_enabled is not a valid field for dids.'],
    ['orders', {}, [['fields[dids]', 'identity']], 'identity is not a valid field for dids.'],
    [
      'voice_out_trunks',
      {},
      [['fields[voice_out_trunks]', 'authentication_method']],
      'authentication_method is not a valid field for voice_out_trunks.',
    ],
    [
      'voice_out_trunks',
      {},
      [['filter[authentication_method.type]', 'twilio']],
      'authentication_method.type is not allowed.',
    ],
    ['voice_out_trunks', { attributes: { authentication_method: {} } }, [], 'authentication_method is not allowed.'],
    [
      'voice_in_trunks',
      { attributes: { configuration: { type: 'sip_configurations', attributes: { cnam_lookup: true } } } },
      [],
      'cnam_lookup is not allowed.',
    ],
  ] as [string, object, [string, string][], string][])('%s %j %j is unknown', (type, data, query, detail) => {
    const ask = (version: string) => versions.request(version, type, { query, body: { data: { type, ...data } } });
    expect(() => ask(oldVersion)).toThrow(expect.objectContaining({ errors: [expect.objectContaining({ detail })] }));
    expect(() => ask('2026-04-16')).not.toThrow();
  });

  test('what is no document is left as it is', () => {
    for (const body of [undefined, null, [], 'x', { data: null }, { data: { attributes: [] } }]) {
      expect(versions.request(oldVersion, 'orders', { query: [], body }).body).toEqual(body);
    }
  });
});

describe('a response for 2022-05-10', () => {
  test.each([
    [
      'orders',
      { status: 'canceled', callback_method: 'get', external_reference_id: 'a' },
      { status: 'Canceled', callback_method: 'GET' },
    ],
    ['orders', { status: 'pending', callback_method: null }, { status: 'Pending', callback_method: null }],
    ['did_reservations', { description: null, expires_at: 'x' }, { description: null, expire_at: 'x' }],
    ['exports', { status: 'processing', filters: { from: '' } }, { status: 'Processing' }],
    ['dids', { number: '1', emergency_enabled: false }, { number: '1' }],
    [
      'address_verifications',
      { status: 'rejected', reject_reasons: ['a', 'b'], reject_comment: 'c' },
      { status: 'Rejected', reject_reasons: 'a, b' },
    ],
    ['address_verifications', { status: 'pending', reject_reasons: null }, { status: 'Pending', reject_reasons: null }],
    [
      'voice_out_trunks',
      {
        name: 'a',
        authentication_method: {
          type: 'credentials_and_ip',
          attributes: { username: 'u', password: 'p', allowed_sip_ips: [] },
        },
        rtp_timeout: 30,
      },
      { name: 'a', username: 'u', password: 'p', allowed_sip_ips: [] },
    ],
  ])('%s %j', (type, now, then) => {
    expect(downgrade(type, now).attributes).toEqual(then);
  });

  test('a requirement has its old type, words and links', () => {
    const links = {
      self: 'http://h/v3/address_requirements/1/relationships/country',
      related: 'http://h/v3/address_requirements/1/country',
    };
    const { data } = versions.response(oldVersion, {
      data: {
        id: '1',
        type: 'address_requirements',
        attributes: { identity_type: 'any', address_area_level: 'world_wide' },
        relationships: { country: { links } },
      },
      meta: {},
    });
    expect(data).toEqual({
      id: '1',
      type: 'requirements',
      attributes: { identity_type: 'Any', address_area_level: 'WorldWide' },
      relationships: {
        country: {
          links: {
            self: 'http://h/v3/requirements/1/relationships/country',
            related: 'http://h/v3/requirements/1/country',
          },
        },
      },
    });
  });

  test('too little money is called insufficient funds, without amounts', () => {
    const [problem] = versions.errors(oldVersion, [insufficientBalance('1.9', '2.0')]);
    expect(problem).toEqual({ title: 'Insufficient funds', detail: 'Insufficient funds', code: '400', status: '400' });
    expect(versions.errors('2026-04-16', [insufficientBalance('1.9', '2.0')])[0]?.title).toBe('Insufficient balance');
  });

  test.each([
    [
      invalid.relationship('address_requirement', messages.blank),
      "requirement - can't be blank",
      '/data/relationships/requirement',
    ],
    [
      invalid.nested('authentication_method', 'allowed_sip_ips', messages.invalid),
      'allowed_sip_ips - is invalid',
      '/data/attributes/allowed_sip_ips',
    ],
    [
      invalid.attribute('authentication_method', messages.invalid),
      "allowed_sip_ips - can't be blank",
      '/data/attributes/allowed_sip_ips',
    ],
    [errors.invalidField('x', 'address_requirements'), 'x is not a valid field for requirements.', undefined],
    [errors.invalidInclude('x', 'address_requirements'), 'x is not a valid relationship of requirements', undefined],
    [errors.invalidSort('x', 'address_requirements'), 'x is not a valid sort criteria for requirements', undefined],
    [errors.invalidFilterValue('p2p,x', 'features'), 'sms_out,x is not a valid value for features.', undefined],
    [errors.filterNotAllowed('address_requirements'), 'address_requirements is not allowed.', undefined],
  ])('says %j in its own words', (now, detail, pointer) => {
    const [then] = versions.errors(oldVersion, [now]);
    expect([then?.detail, then?.source?.pointer]).toEqual([detail, pointer]);
    expect(versions.errors('2026-04-16', [now])).toEqual([now]);
  });

  test('of a fieldset has no member but those listed', () => {
    const attributes = {
      name: 'a',
      authentication_method: {
        type: 'credentials_and_ip',
        attributes: { username: 'u', password: 'p', allowed_sip_ips: [] },
      },
    };
    const document = { data: { id: 'x', type: 'voice_out_trunks', attributes }, meta: {} };
    const shown = (fields: string) =>
      (versions.response(oldVersion, document, [['fields[voice_out_trunks]', fields]]).data as ResourceObject)
        .attributes;
    expect(shown('username')).toEqual({ username: 'u' });
    expect(shown('name,allowed_sip_ips')).toEqual({ name: 'a', allowed_sip_ips: [] });
    expect(shown('id')).toBeUndefined();
  });

  test('has only the members that SIP configurations had', () => {
    const attributes = { host: 'h', cnam_lookup: false, incoming_auth_username: null, max_transfers: 0 };
    expect(
      downgrade('voice_in_trunks', { configuration: { type: 'sip_configurations', attributes } }).attributes,
    ).toEqual({ configuration: { type: 'sip_configurations', attributes: { host: 'h', max_transfers: 0 } } });
  });
});
