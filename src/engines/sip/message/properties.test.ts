/** What was written is read back the same, for any values. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkMessage } from './check.ts';
import { SipRequest, SipResponse } from './message.ts';
import { formatNameAddress, parseNameAddress } from './name-address.ts';
import { parameter, parseParameters } from './parameters.ts';
import { parseMessage } from './parse.ts';
import { serialise } from './serialise.ts';
import { cleanText, quote } from './text.ts';
import { encodeUser, formatUri, hostOfAddress, parseUri } from './uri.ts';

const token = fc.stringMatching(/^[a-zA-Z0-9.!%*_+`'~-]{1,12}$/);
const host = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6().map(hostOfAddress));
const text = fc.string({ unit: 'binary', maxLength: 30 }).map((value) => value.toWellFormed());
const uri = fc
  .record({ user: text.filter((value) => cleanText(value) !== ''), host, port: fc.integer({ min: 1, max: 65_535 }) })
  .map((parts) => `sip:${encodeUser(parts.user)}@${parts.host}:${parts.port};transport=tcp`);

test('URIs', () => {
  fc.assert(
    fc.property(uri, (written) => {
      expect(formatUri(parseUri(written)).toLowerCase()).toBe(written.toLowerCase());
    }),
  );
});

test('addresses with any display name and tag', () => {
  fc.assert(
    fc.property(text, uri, token, (name, address, tag) => {
      const displayName = cleanText(name);
      const written = formatNameAddress({ displayName, uri: address, parameters: new Map([['tag', tag]]) });
      expect(parseNameAddress(written)).toEqual({ displayName, uri: address, parameters: new Map([['tag', tag]]) });
    }),
  );
});

test('parameters with any value', () => {
  fc.assert(
    fc.property(token, text, (name, value) => {
      const parsed = parseParameters(`;${name}=${quote(value)};other`, 0);
      expect(parameter(parsed, name.toLowerCase())).toBe(cleanText(value));
    }),
  );
});

test('whole messages: headers, order and binary body', () => {
  const header = fc.tuple(
    token.map((name) => `X-${name}`),
    text,
  );
  fc.assert(
    fc.property(
      fc.array(header, { maxLength: 20 }),
      fc.uint8Array({ maxLength: 200 }),
      uri,
      fc.boolean(),
      (headers, body, target, isRequest) => {
        const message = isRequest ? new SipRequest('INFO', target) : new SipResponse(299, 'Anything');
        message.headers.add('Via', 'SIP/2.0/UDP h;branch=z9hG4bK1');
        message.headers.add('From', '<sip:a@x>;tag=1');
        message.headers.add('To', '<sip:b@x>');
        message.headers.add('Call-ID', '1');
        message.headers.add('CSeq', '1 INFO');
        for (const [name, value] of headers) message.headers.add(name, value);
        message.body = Buffer.from(body);
        const read = parseMessage(serialise(message));
        expect(checkMessage(read)).toBeNull();
        read.headers.remove('Content-Length');
        const trimmed = [...message.headers].map(([name, value]) => [name, value.trim()]);
        expect([...read.headers]).toEqual(trimmed);
        expect(read.body).toEqual(message.body);
        expect(serialise(parseMessage(serialise(read)))).toEqual(serialise(read));
      },
    ),
  );
});
