/** Callbacks are signed as the vectors of the contract say. */
import { describe, expect, test } from 'vitest';
import { formBody, readCallbackUrl, signCallback, signWebhook, withPayload } from './callback-request.ts';

const order = (id: string) => ({ id, status: 'completed', type: 'orders' });

describe('the vectors of the contract', () => {
  const demo = order('0f8fad5b-d9cb-469f-a165-70867728950e');

  test.each([
    [
      'SOMEAPIKEY',
      'http://example.com/callbacks',
      order('1dd7a68b-e235-402b-8912-fe73ee14243a'),
      'fe99e416c3547f2f59002403ec856ea386d05b2f',
    ],
    [
      'szrdgh6547umt7tht7xbqhj6g9gdbyp7',
      'https://mycompany.com/didww_callbacks?opaque=123',
      order('bf2cee72-6caa-4ae2-917e-bea01945691e'),
      '30f66e9d72eb5e193051fd02952f70d8e934b4ff',
    ],
    [
      'topsecret',
      'https://hooks.example.net/orders?tenant=7',
      order('bf2cee72-6caa-4ae2-917e-bea01945691e'),
      '13f85fa8e0cc0bb0986f6e567cdb82764828296d',
    ],
    ['k3y-demo', 'https://cb.example.test/hook', demo, 'f4ff8d1fe6375db3b24140d26375bab5722e6452'],
  ])('POST signed with %s', (secret, url, payload, signature) => {
    expect(signCallback(secret, url, [payload])).toBe(signature);
  });

  test('GET: the payload counts in the URL and after it', () => {
    const url = withPayload('https://cb.example.test/hook', demo);
    expect(signCallback('k3y-demo', url, [demo])).toBe('cd274cd706962834c40c9276e9f86f97569132f8');
  });

  test('GET with an empty member', () => {
    const payload = {
      type: 'address_verifications',
      id: '7ae7c48f-d48a-499f-9dc1-c9217014b457',
      status: 'approved',
      reject_reason: null,
    };
    const url = withPayload('http://example.com/callback.php', payload);
    expect(url).toBe(
      'http://example.com/callback.php?id=7ae7c48f-d48a-499f-9dc1-c9217014b457&reject_reason=&status=approved&type=address_verifications',
    );
    expect(signCallback('SOMEAPIKEY', url, [payload])).toBe('18050028b6b22d0ed516706fba1c1af8d6a8f9d5');
  });

  test('a list of entries, with JSON literals', () => {
    const entry = {
      id: 'f36d1d17-bd16-42b9-af42-0cfe166bf3ec',
      type: 'voice_out_trunks',
      status: 'blocked',
      threshold_reached: true,
      created_at: '2017-06-25T08:21:41.795Z',
    };
    expect(signCallback('topsecret', 'https://hooks.example.net/vot', [entry])).toBe(
      '6ae22c3376e495b395079b3c7f546c55d2d9f324',
    );
  });
});

describe('the URL is signed with an explicit port and otherwise as it is', () => {
  test.each([
    ['http://host.test/a', 'http://host.test:80/a'],
    ['https://host.test/a', 'https://host.test:443/a'],
    ['HTTPS://host.test/a', 'https://host.test:443/a'],
    ['host.test/a', 'http://host.test/a'],
    ['http://host.test', 'http://host.test/'],
  ])('%s is the same as %s', (given, explicit) => {
    expect(signCallback('s', given, [])).toBe(signCallback('s', explicit, []));
  });

  test.each([
    ['http://user:pw@host.test/a', 'http://host.test/a'],
    ['http://host.test/%61', 'http://host.test/a'],
    ['http://host.test/a#top', 'http://host.test/a'],
    ['http://[::1]:8080/a', 'http://[::1]/a'],
    ['http://host.test:8080/a', 'http://host.test/a'],
  ])('%s is not the same as %s', (one, other) => {
    expect(signCallback('s', one, [])).not.toBe(signCallback('s', other, []));
  });
});

test('the payload is appended to the query, before the fragment, form-encoded', () => {
  const payload = { b: 'two words', a: 'é&' };
  expect(withPayload('http://h.test/p?x=1#f', payload)).toBe('http://h.test/p?x=1&a=%C3%A9%26&b=two+words#f');
  expect(withPayload('http://h.test?', payload)).toBe('http://h.test/?a=%C3%A9%26&b=two+words');
  expect(formBody({ ok: true, nothing: null, n: 7 })).toBe('n=7&nothing=&ok=true');
});

test.each([
  ['https://h.test/a?b#c', 'https://h.test/a?b#c'],
  ['h.test/hook', 'http://h.test/hook'],
  ['http://h.test', 'http://h.test/'],
  ['127.0.0.1:9000/x', 'http://127.0.0.1:9000/x'],
  ['ftp://h.test/', null],
  ['javascript://h.test/', null],
  ['http://', null],
  ['', null],
  ['http://h.test/a b', null],
])('the callback URL %j is read as %j', (text, expected) => {
  expect(readCallbackUrl(text)).toBe(expected);
});

test('Standard Webhooks: a plain secret as its bytes, a whsec_ one decoded', () => {
  // Vector of the Standard Webhooks specification's own tests.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = '{"test": 2432232314}';
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  expect(signWebhook(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, body)).toBe(signature);
  expect(signWebhook('plain', 'a', 1, '')).toBe(signWebhook(`whsec_${btoa('plain')}`, 'a', 1, ''));
});
