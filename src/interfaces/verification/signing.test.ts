/** Signatures of requests and callbacks. */
import { describe, expect, it } from 'vitest';
import { contentMd5, registeredPath, sign, signingKey, stringToSign } from './authorization.ts';

const secretA = 'tEsT_secret_urlsafe_base64_value_AA';
const secretB = '31m-CahIKK3u6hpRgs4-MGRtTm9_znlUWAzMNA_9_2s';
const secretC = '3Gv1lbjg4AoJG3g8ZPhlsmTRb8_dYjmL_PXX65E-xq4';
const id = '0199a3c4-5e6f-7a8b-9c0d-1e2f3a4b5c6d';
const jsonType = 'application/json';
const reportBody = '{"data":{"delivery_method":"sms","code":"123456"}}';
const callbackBody = `{"event":"verification_request","data":{"id":"${id}","destination":"15555550100","delivery_method":"sms"}}`;
const startBody = '{"data":{"destination":"+15555550100","delivery_method":"sms","sms":{"languages":["en-US"]}}}';

/** Contract 5.1 (A, B: published) and 5.2 (C). */
const vectors = [
  [
    'A1',
    secretA,
    'POST',
    '{"key":"value"}',
    jsonType,
    '1700000000',
    '/verifications',
    'pzU/fN3OgI3gAydHoLe+UA==',
    'k7TRVTzybQtVKYdpgKNd2QxH5n2LvQselVWSMOlYPo8=',
  ],
  ['A2', secretA, 'GET', '', '', '1700000000', '/verifications', '', 'kCJ2eLWCrmKMhEsBFRL1A8HcmBTozeljcfOy5i+kVZU='],
  [
    'B1',
    secretB,
    'POST',
    startBody,
    jsonType,
    '1767225600',
    '/api/v1/verifications',
    'iui5QPbh7Km8H1wDldJx9A==',
    'BsCRCSiIoYaCAx4e6zW6EiIlasXkKO9Hp0rRCkRnsQ8=',
  ],
  [
    'B2',
    secretB,
    'GET',
    '',
    '',
    '1767225601',
    `/api/v1/verifications/${id}`,
    '',
    'YYWH3diq2yHqVw4FnhAxj6YfIMDTu0RzbhFmoFdbALI=',
  ],
  [
    'B3',
    secretB,
    'GET',
    '',
    '',
    '1767225602',
    '/api/v1/verifications/by_number/15555550100',
    '',
    'b+o75b6NI5MX4LrWo2WouuSWWZ2VTjIPhEeFuWHipW4=',
  ],
  [
    'B4',
    secretC,
    'PATCH',
    reportBody,
    jsonType,
    '1767225603',
    `/api/v1/verifications/${id}`,
    'qbKrV32d+sh5q8PBGXjRZA==',
    'AVQS59i8KsEc8Ai182N1kA8cbtIUusghs0ekP5m5bmk=',
  ],
  [
    'B5',
    secretC,
    'PATCH',
    reportBody,
    jsonType,
    '1767225604',
    '/api/v1/verifications/by_number/15555550100',
    'qbKrV32d+sh5q8PBGXjRZA==',
    '/klPV2iwF2WLgFf1q8JGYqIbJELoUzwTw21Tw817Zjo=',
  ],
  [
    'B6',
    secretC,
    'POST',
    callbackBody,
    jsonType,
    '1767225605',
    '/webhooks/verification',
    'he5vSbkZma0C8k7AYGkXwA==',
    'l2XcvVWAV1daqJ7fsS/rRhzB7aRH7WLopiFTu7wvG8I=',
  ],
  [
    'B7',
    secretC,
    'POST',
    callbackBody,
    jsonType,
    '1767225606',
    '',
    'he5vSbkZma0C8k7AYGkXwA==',
    'I19Pndt4VZ64GQ837VpySh5XsC/JASIIROOKjRfTzws=',
  ],
  [
    'B8',
    secretB,
    'GET',
    '',
    '',
    '1767225607',
    '/api/v1/verifications/not%20a%2Fuuid',
    '',
    'eukUr83Mz46Zpd0CNi6jOgwMdlbQfIoPKycjkVlBxoU=',
  ],
  [
    'C1',
    secretB,
    'GET',
    '',
    '',
    '1767225608',
    '/api/v1/verifications/by_number/%2B15555550100',
    '',
    'rprOYD0mN49iSXwmL/OwIZPlIn9aj78LTp8av8IC67Y=',
  ],
  [
    'C2',
    secretB,
    'POST',
    '{"data":{"destination":"+15555550100","delivery_method":"sms"}}',
    'application/json; charset=utf-8',
    '1767225609',
    '/api/v1/verifications',
    'Fq8mDtvG4DUgd+ohAC0f+w==',
    'czi6tTpyhusoVUpXQhiqObm7IiagOcI3ofSjTYySvCs=',
  ],
  [
    'C3',
    secretB,
    'POST',
    ' \n',
    jsonType,
    '1767225610',
    '/api/v1/verifications',
    '',
    '4SECJ0x2PO8+KqIfHXC5/6YUoR1Nr1l2KoMC+Z4zRFM=',
  ],
  [
    'C4',
    secretC,
    'PUT',
    '{"data":{"delivery_method":"callout","code":"0042"}}',
    jsonType,
    '1767225611',
    `/api/v1/verifications/${id}`,
    'AmKtVUf2bpwt7uouxcyUfg==',
    'EbivswgZyUBY/TwZozNO6unVcvGQ+90MMD+WgpOAvBw=',
  ],
] as const;

describe('the signature', () => {
  it.each(vectors)('keeps vector %s', (_name, secret, method, text, contentType, timestamp, path, md5, signature) => {
    const body = Buffer.from(text);
    expect(contentMd5(body)).toBe(md5);
    expect(sign(signingKey(secret), { method, body, contentType, timestamp, path })).toBe(signature);
  });

  it('is over five lines without a closing line feed', () => {
    const body = Buffer.from('{"key":"value"}');
    expect(
      stringToSign({ method: 'post', body, contentType: jsonType, timestamp: '1700000000', path: '/verifications' }),
    ).toBe('POST\npzU/fN3OgI3gAydHoLe+UA==\napplication/json\nx-timestamp:1700000000\n/verifications');
    expect(stringToSign({ method: 'POST', body, contentType: jsonType, timestamp: '1', path: '' })).toMatch(
      /x-timestamp:1\n$/,
    );
  });

  it('counts a body of ASCII white space as none, and a no-break space as one', () => {
    expect(contentMd5(Buffer.from(' \t\n\v\f\r'))).toBe('');
    expect(contentMd5(Buffer.from('\u00a0'))).not.toBe('');
  });
});

describe('the signed path of a callback URL', () => {
  it.each([
    ['https://h.example', ''],
    ['https://h.example?x=1', ''],
    ['https://h.example#f', ''],
    ['https://h.example/', '/'],
    ['https://h.example:8443/a/../b%20c?x=/1#y', '/a/../b%20c'],
    ['http://[::1]:80/hook', '/hook'],
  ])('%s signs "%s"', (url, path) => {
    expect(registeredPath(url)).toBe(path);
  });
});
