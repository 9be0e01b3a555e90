/** Fields of request bodies, and their errors. */
import { describe, expect, it } from 'vitest';
import { VerificationError } from './errors.ts';
import { parseData, parseReport, parseStart } from './fields.ts';

const codesOf = (act: () => unknown): readonly string[] => {
  try {
    act();
    return [];
  } catch (error) {
    if (error instanceof VerificationError) return error.codes;
    throw error;
  }
};
const start = (data: Record<string, unknown>) =>
  parseStart({ destination: '+4915112345678', delivery_method: 'sms', ...data });

describe('the body', () => {
  it.each([
    [''],
    [' '],
    ['[]'],
    ['"x"'],
    ['null'],
    ['{}'],
    ['{"data":[]}'],
    ['{"data":null}'],
    ['{"data":"x"}'],
    ['{"data":{}'],
    ['{"data":{"a":"\xff"}}', 'latin1' as const],
  ])('%j holds no data object', (text, encoding: BufferEncoding = 'utf8') => {
    expect(codesOf(() => parseData(Buffer.from(text, encoding), 'application/json'))).toEqual(['parameter_missing']);
  });

  it.each(['', 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'multipart/form-data'])(
    'sent as %j is not read',
    (contentType) => {
      expect(codesOf(() => parseData(Buffer.from('{"data":{}}'), contentType))).toEqual(['parameter_missing']);
    },
  );

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=utf-8'])(
    'sent as %j is read',
    (contentType) => {
      expect(parseData(Buffer.from('{"data":{"a":1}}'), contentType)).toEqual({ a: 1 });
    },
  );
});

describe('destination', () => {
  it.each([
    ['+49 (151) 123-45678', '4915112345678'],
    ['4915112345678', '4915112345678'],
    ['12345678', '12345678'],
    ['123456789012345', '123456789012345'],
    [4915112345678, '4915112345678'],
    ['004915112345678', '4915112345678'],
    ['+49 (0)151 12345678', '4915112345678'],
    ['0049 (0)151 12345678', '4915112345678'],
    [49015112345678, '4915112345678'],
    ['+33 06 12 34 56 78', '33612345678'],
    ['+39 06 1234 5678', '390612345678'],
    ['+225 07 12 34 56 78', '2250712345678'],
    ['15555550100', '15555550100'],
  ])('%j is stored as %s', (given, stored) => {
    expect(start({ destination: given }).destination).toBe(stored);
  });

  it.each([[undefined], [null], [''], ['  \t'], [[]], [{}], [['4915112345678']]])('%j is blank', (destination) => {
    expect(codesOf(() => start({ destination }))).toEqual(['destination_blank']);
  });

  it.each([
    ['+371.12345678'],
    ['1234567'],
    ['1234567890123456'],
    ['++4915112345678'],
    ['49+15112345678'],
    ['abc'],
    ['4915112345678x'],
    ['٤٩١٥١١٢٣٤٥٦'],
    [true],
    [1e21],
    [-4915112345678],
    [49151123456.5],
    ['00000000'],
    ['04915112345678'],
    ['+04915112345678'],
    ['+004915112345678'],
    ['000004915112345678'],
    ['0012345678'],
    ['4900 15112345678'],
    ['+34 0612345678'],
    ['+1 0125550100'],
  ])('%j is invalid', (destination) => {
    expect(codesOf(() => start({ destination }))).toEqual(['destination_invalid']);
  });
});

describe('start', () => {
  it('reports every failing field once, in order', () => {
    expect(codesOf(() => parseStart({}))).toEqual(['destination_blank', 'delivery_method_blank']);
    expect(codesOf(() => parseStart({ destination: 'x', delivery_method: 'fax' }))).toEqual([
      'destination_invalid',
      'delivery_method_inclusion',
    ]);
    expect(codesOf(() => start({ destination: '', sms: { languages: ['english!', 7], app_hash: 'short' } }))).toEqual([
      'destination_blank',
      'languages_invalid',
      'app_hash_invalid',
    ]);
  });

  it.each([['SMS'], ['sms '], ['flashcall'], [1], [true]])('delivery method %j is not in the list', (method) => {
    expect(codesOf(() => start({ delivery_method: method }))).toEqual(['delivery_method_inclusion']);
  });

  it.each([
    ['en-US'],
    [{}],
    [7],
    [['zh-Hans-CN']],
    [['sr-Latn-RS']],
    [['e']],
    [['en_US']],
    [['en-']],
    [['en-US\n']],
    [['']],
    [[7]],
    [['en-US', null]],
    [[['en-US']]],
    [Array(101).fill('en-US')],
  ])('languages %j are invalid', (languages) => {
    expect(codesOf(() => start({ sms: { languages } }))).toEqual(['languages_invalid']);
  });

  it.each([[null], [undefined], [[]]])('languages %j are no wish', (languages) => {
    expect(start({ sms: { languages } }).languages).toEqual([]);
  });

  it('keeps the wishes canonical and in order', () => {
    expect(start({ sms: { languages: ['pt-br', 'PL'] } }).languages).toEqual(['pt-BR', 'pl']);
  });

  it.each([
    ['FA+9qCX9VSu', 'FA+9qCX9VSu'],
    [null, null],
    [undefined, null],
  ])('app_hash %j is kept as %j', (given, kept) => {
    expect(start({ sms: { app_hash: given } }).appHash).toBe(kept);
  });

  it.each([
    [''],
    ['FA+9qCX9VS'],
    ['FA+9qCX9VSuu'],
    ['FA-9qCX9VSu'],
    [12345678901],
    [['FA+9qCX9VSu']],
    ['FA+9qCX9VSu\n'],
  ])('app_hash %j is invalid', (appHash) => {
    expect(codesOf(() => start({ sms: { app_hash: appHash } }))).toEqual(['app_hash_invalid']);
  });

  it('ignores the other block, a block that is no object, and what it does not know', () => {
    const broken = { languages: 'x', app_hash: 1 };
    expect(start({ delivery_method: 'callout', sms: broken }).languages).toEqual([]);
    expect(start({ callout: broken }).languages).toEqual([]);
    expect(start({ sms: 'x' }).appHash).toBeNull();
    expect(start({ languages: ['not a tag'], cli: 1 }).languages).toEqual([]);
    expect(start({ delivery_method: 'callout', callout: { app_hash: 'x', languages: ['de-de'] } })).toEqual({
      destination: '4915112345678',
      deliveryMethod: 'callout',
      languages: ['de-DE'],
      appHash: null,
      custom: null,
    });
  });
});

describe('report', () => {
  it.each([
    [{}, ['delivery_method_blank', 'code_blank']],
    [{ delivery_method: 'sms' }, ['code_blank']],
    [{ code: '1' }, ['delivery_method_blank']],
    [{ delivery_method: 'fax', code: '1' }, ['delivery_method_inclusion']],
    [{ delivery_method: 'callout', code: '1' }, ['delivery_method_invalid']],
    [{ delivery_method: 'callout', code: ' ' }, ['delivery_method_invalid', 'code_blank']],
    [{ delivery_method: 'sms', code: [] }, ['code_blank']],
  ])('%j gives %j', (data, codes) => {
    expect(codesOf(() => parseReport(data, 'sms'))).toEqual(codes);
  });

  it.each([' 123456', '123456\n', '\t 123456 \u00a0'])('takes the code %j without the space around it', (code) => {
    expect(parseReport({ delivery_method: 'sms', code }, 'sms').code).toBe('123456');
  });

  it('takes a code given as a number as its text', () => {
    expect(parseReport({ delivery_method: 'sms', code: 123456 }, 'sms').code).toBe('123456');
  });
});
