/** The document of /api/v1 has examples and explanations of everything. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import type { Content, Operation, Schema } from '../../engines/openapi/types.ts';
import { parseReport, parseStart } from './fields.ts';
import { verificationPart } from './openapi.ts';

const { paths, components } = verificationPart;
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema({ $id: 'document', components });

const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
);
const approval = Object.values(paths['/api/v1/verifications']?.post?.callbacks?.approval ?? {}).flatMap(({ post }) =>
  post === undefined ? [] : [['the approval callback', post] as [string, Operation]],
);

function contentsOf({ requestBody, responses }: Operation): Content[] {
  const responded = Object.values(responses).flatMap((response) =>
    '$ref' in response ? [] : [response.content ?? {}],
  );
  return [requestBody?.content ?? {}, ...responded].flatMap((content) => Object.values(content));
}

describe.each([...operations, ...approval])('%s', (name, operation) => {
  it('has examples of every body, each as its schema says', () => {
    for (const { schema, examples = {} } of contentsOf(operation)) {
      expect(Object.keys(examples)).not.toEqual([]);
      const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'));
      for (const { value } of Object.values(examples)) {
        expect({ value, valid: ajv.validate(absolute, value) }).toEqual({ value, valid: true });
      }
    }
  });

  it('names its headers', () => {
    if (name === 'the approval callback') return;
    for (const [status, response] of Object.entries(operation.responses)) {
      const headers = '$ref' in response ? {} : (response.headers ?? {});
      const more = { 429: ['Retry-After'], 503: ['Retry-After', 'X-Outcome'] }[status] ?? [];
      expect(Object.keys(headers)).toEqual(['X-Request-Id', ...more]);
    }
  });
});

it('explains every field', () => {
  const silent: string[] = [];
  const look = (schema: Schema, at: string): void => {
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      if (member.description === undefined && member.$ref === undefined) silent.push(`${at}.${name}`);
      look(member, `${at}.${name}`);
    }
    if (schema.items !== undefined) look(schema.items, `${at}[]`);
  };
  for (const [name, schema] of Object.entries(components.schemas ?? {})) look(schema, name);
  for (const [name, operation] of approval) for (const { schema } of contentsOf(operation)) look(schema, name);
  expect(silent).toEqual([]);
});

it('documents the bodies that the server checks: what one refuses, the other refuses', () => {
  const start = ajv.getSchema('document#/components/schemas/verification_start');
  const report = ajv.getSchema('document#/components/schemas/verification_report');
  const accepts = (act: () => unknown) => {
    try {
      act();
      return true;
    } catch {
      return false;
    }
  };
  const good = { destination: '+4915112345678', delivery_method: 'sms' };
  for (const change of [
    {},
    { unknown: 1 },
    { destination: '' },
    { destination: '1234567' },
    { destination: '+371.12345678' },
    { delivery_method: 'fax' },
    { sms: { languages: ['x'] } },
    { sms: { languages: null, app_hash: null } },
    { sms: { app_hash: 'short' } },
    { sms: { autofill: { type: 'none' } } },
    { sms: { autofill: { type: 'webotp' } } },
    { custom: 'x'.repeat(4097) },
  ]) {
    const data = { ...good, ...change };
    expect({ data, accepted: start?.({ data }) }).toEqual({ data, accepted: accepts(() => parseStart(data, true)) });
  }
  for (const data of [
    { delivery_method: 'sms', code: '1' },
    { delivery_method: 'sms', code: ' ' },
    { code: '1' },
    {},
  ]) {
    expect({ data, accepted: report?.({ data }) }).toEqual({ data, accepted: accepts(() => parseReport(data, 'sms')) });
  }
});
