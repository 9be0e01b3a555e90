/** A bootstrap file is read, and a mistake is named with its path. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseBootstrap, readBootstrapFile } from './parse.ts';

const key = 'any string of at least 16 characters';
const application = {
  name: 'web',
  key: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  secret: Buffer.alloc(32, 5).toString('base64url'),
};
const withAccount = (members: object) => ({ sandbox: { accounts: [{ name: 'Acme', ...members }] } });
const withCarriers = (...carriers: object[]) => ({ sandbox: { carriers } });
const withKey = (members: object) => withAccount({ api_keys: [{ name: 'ci', key, ...members }] });
const withApplication = (members: object) => withAccount({ otp_applications: [{ ...application, ...members }] });

describe('a bootstrap file', () => {
  it('is read as the design shows it', () => {
    const account = {
      name: 'Acme',
      email: 'ops@acme.test',
      password: 'at least 12 characters',
      balance: '1000.00',
      credit: '0.00',
      api_version: '2022-05-10',
      api_keys: [{ name: 'ci', key }],
      callback_secret: null,
      call_events: { url: 'http://127.0.0.1:9000/events', gzip: false },
      otp_applications: [
        { ...application, minimum_mode: 'public', callback_url: null, code_timeout: 300, code_length: 6 },
      ],
    };
    const operator = {
      email: 'ops@trunkline.test',
      password: 'at least 12 characters',
      role: 'support',
      api_keys: [{ name: 'ci', key: 'the key of an operator' }],
    };
    const document = {
      sandbox: {
        catalogue: 'demo',
        carriers: [{ name: 'North', addresses: ['192.0.2.0/24'] }],
        accounts: [account],
        operators: [operator],
      },
      production: { catalogue: 'demo', carriers: [], accounts: [], operators: [] },
    };
    expect(parseBootstrap(document)).toEqual(document);
  });

  it('is in the docs with every member that it may have', async () => {
    const page = await readFile(path.join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
    const [, example = ''] = /## The bootstrap file[\s\S]*?```json\n([\s\S]*?)```/.exec(page) ?? [];
    const shown = JSON.parse(example);
    const { accounts, operators, ...rest } = parseBootstrap(shown).sandbox;
    expect(Object.keys(shown.sandbox).toSorted()).toEqual(
      ['accounts', 'operators', ...Object.keys(rest).filter((name) => name !== 'numbers')].toSorted(),
    );
    expect(Object.keys(shown.sandbox.operators[0]).toSorted()).toEqual(Object.keys(operators[0] ?? {}).toSorted());
    const seeds = ['numbers', 'calls', 'verifications'];
    const members = Object.keys(accounts[0] ?? {}).filter((name) => !seeds.includes(name));
    expect(Object.keys(shown.sandbox.accounts[0]).toSorted()).toEqual(members.toSorted());
  });

  it('needs no more than names', () => {
    expect(parseBootstrap(withApplication({}))).toEqual({
      production: { catalogue: null, carriers: [], accounts: [], operators: [] },
      sandbox: {
        catalogue: null,
        carriers: [],
        operators: [],
        accounts: [
          {
            name: 'Acme',
            email: null,
            password: null,
            balance: '1000.00',
            credit: '0.00',
            api_version: null,
            api_keys: [],
            callback_secret: null,
            call_events: null,
            otp_applications: [
              { ...application, minimum_mode: 'public', callback_url: null, code_timeout: 300, code_length: 6 },
            ],
          },
        ],
      },
    });
  });
});

describe('a mistake in it is named with its path', () => {
  it.each<[unknown, string]>([
    [withKey({ key: 'short' }), 'sandbox.accounts[0].api_keys[0].key must be a string of at least 16 characters'],
    [withKey({ key: 16 }), 'sandbox.accounts[0].api_keys[0].key must be a string of at least 16 characters'],
    [withKey({ key: `${key}é` }), 'api_keys[0].key must be at most 256 characters that an HTTP header can carry'],
    [withKey({ colour: 'red' }), 'sandbox.accounts[0].api_keys[0].colour is not a member that Trunkline knows'],
    [withAccount({ api_keys: [{ key }] }), 'sandbox.accounts[0].api_keys[0].name is missing'],
    [withAccount({ api_keys: {} }), 'sandbox.accounts[0].api_keys must be a list'],
    [withAccount({ name: ' ' }), 'sandbox.accounts[0].name must be a string of 1 to 255 characters'],
    [withAccount({ email: 'ops' }), 'sandbox.accounts[0].email must be an e-mail address'],
    [withAccount({ password: 'short' }), 'sandbox.accounts[0].password must be a string of at least 12 characters'],
    [withAccount({ balance: 1000 }), 'sandbox.accounts[0].balance must be a decimal number in a string'],
    [withAccount({ credit: '-1.00' }), 'sandbox.accounts[0].credit must be a decimal number in a string'],
    [
      withAccount({ api_version: '2020-01-01' }),
      'sandbox.accounts[0].api_version must be "2017-09-18" or "2021-04-19" or "2021-12-15" or "2022-05-10" or "2026-04-16"',
    ],
    [
      withAccount({ call_events: { url: 'x' } }),
      'sandbox.accounts[0].call_events.url must be an http or https address',
    ],
    [withAccount({ call_events: { url: 'http://x', gzip: 1 } }), 'call_events.gzip must be true or false'],
    [withApplication({ key: 'x' }), 'sandbox.accounts[0].otp_applications[0].key must be a UUID'],
    [withApplication({ secret: 'x' }), 'otp_applications[0].secret must be 32 bytes as 43 characters of unpadded'],
    [withApplication({ minimum_mode: 'none' }), 'minimum_mode must be "public" or "basic" or "application"'],
    [withApplication({ code_timeout: 601 }), 'otp_applications[0].code_timeout must be a whole number from 60 to 600'],
    [withApplication({ code_length: 3 }), 'otp_applications[0].code_length must be a whole number from 4 to 8'],
    [withApplication({ code_length: 6.5 }), 'otp_applications[0].code_length must be a whole number from 4 to 8'],
    [withApplication({ callback_url: '/x' }), 'otp_applications[0].callback_url must be an http or https address'],
    [{ production: { accounts: [{ name: 'A' }, { name: 'A' }] } }, 'production.accounts[1].name is there twice'],
    [withCarriers({ name: 'North' }), 'sandbox.carriers[0].addresses is missing'],
    [
      withCarriers({ name: 'North', addresses: ['192.0.2.0/24', '192.0.2.300'] }),
      'sandbox.carriers[0].addresses[1] must be an IP address or network such as "192.0.2.0/24"',
    ],
    [withCarriers({ name: 'N', addresses: [] }, { name: 'N', addresses: [] }), 'carriers[1].name is there twice'],
    [{ sandbox: { catalogue: 'mine' } }, 'sandbox.catalogue must be "demo"'],
    [{ staging: {} }, 'staging is not a member that Trunkline knows'],
    [{ sandbox: [] }, 'sandbox must be an object'],
  ])('%j', (document, sentence) => {
    expect(() => parseBootstrap(document)).toThrow(sentence);
  });
});

describe('reading it from disk', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-bootstrap-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    ['{', /^The bootstrap file .*b\.json is not JSON: /],
    ['{"sandbox":1}', /^In the bootstrap file .*b\.json: sandbox must be an object\.$/],
    ['[]', /^In the bootstrap file .*b\.json: the file must be an object\.$/],
  ])('names the file: %s', async (content, sentence) => {
    const file = path.join(folder, 'b.json');
    await writeFile(file, content);
    await expect(readBootstrapFile(file)).rejects.toThrow(sentence);
  });

  it('says when there is none', async () => {
    await expect(readBootstrapFile(path.join(folder, 'no.json'))).rejects.toThrow(/no\.json cannot be read: ENOENT\.$/);
  });
});
