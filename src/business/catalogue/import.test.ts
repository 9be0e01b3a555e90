/** Importing a catalogue: what is stored, and what is said of wrong lines. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { exportCatalogue } from './export.ts';
import { importCatalogue } from './import.ts';
import { jsonLines, london, newYork, paris, smallCatalogue } from './small-catalogue.fixture.ts';
import { verifyStockBlocks } from './stock-blocks.ts';

let world: TestEnvironment;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-import-'));
  world = await createTestEnvironment();
  await importText('small.jsonl', jsonLines(smallCatalogue));
});
beforeEach(async () => {
  await world.env.db.deleteFrom('available_dids').execute();
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true });
});

describe('numbers', () => {
  test('come from CSV by group id or by what people know of the group', async () => {
    const csv = `number,did_group_id,country,did_group_type,prefix,area_name
442079460000,${london},,,,
442079460001,,GB,Local,20,London\r
442079460002,,GB,,"20",
447700900000,,GB,Mobile,7700,"Mobile"
`;
    expect(await importText('numbers.csv', csv)).toEqual({ entries: 0, numbers: 4 });
    expect(await numbersInStock()).toEqual(['442079460000', '442079460001', '442079460002', '447700900000']);
    expect(await verifyStockBlocks(world.env.db)).toEqual([]);
  });

  test.each([
    ['lines', (records: object[]) => jsonLines(records)],
    ['an array', (records: object[]) => JSON.stringify(records, null, 1)],
  ])('come from JSON as %s', async (_form, write) => {
    const numbers = [
      { number: '442079460003', did_group_id: london },
      { type: 'available_dids', number: '33199000000', country: 'FR', prefix: '1' },
    ];
    expect(await importText('numbers.json', write(numbers))).toEqual({ entries: 0, numbers: 2 });
  });

  test('get the same id whenever they are imported', async () => {
    const ids = async () =>
      (await world.env.db.selectFrom('available_dids').select('id').execute()).map(({ id }) => id);
    await importText('one.csv', `number,did_group_id\n442079460000,${london}\n`);
    const first = await ids();
    await world.env.db.deleteFrom('available_dids').execute();
    await importText('one.csv', `number,did_group_id\n442079460000,${london}\n`);
    expect(await ids()).toEqual(first);
  });

  test('of North America bring the NANPA prefix they need and are tied to it', async () => {
    const csv = `number,did_group_id\n12122200100,${newYork}\n12125550100,${newYork}\n`;
    await importText('us.csv', csv);
    const { rows } = await world.env.pool.query(
      `select a.number, n.npa, n.nxx, r.iso, exists (select from did_group_nanpa_prefixes l
         where l.nanpa_prefix_id = n.id and l.did_group_id = a.did_group_id) as linked
       from available_dids a join nanpa_prefixes n on n.id = a.nanpa_prefix_id join regions r on r.id = n.region_id order by 1`,
    );
    expect(rows).toEqual([
      { number: '12122200100', npa: '212', nxx: '220', iso: 'US-NY', linked: true },
      { number: '12125550100', npa: '212', nxx: '555', iso: 'US-NY', linked: true },
    ]);
  });

  test('let the orders room look at what waits for them', async () => {
    await world.env.pool.query(`delete from jobs`);
    await importText('one.csv', `number,did_group_id\n442079460000,${london}\n`);
    const { rows } = await world.env.pool.query('select task from jobs');
    expect(rows).toContainEqual({ task: 'orders.fulfil_waiting' });
  });
});

describe('wrong lines', () => {
  test.each([
    ['442079460000,00000000-0000-4000-8000-000000000009', 'line 2: did_group_id: there is no number group "0000'],
    [`+442079460000,${london}`, 'line 2: number: must be a number in E.164 digits without "+"'],
    [`442079460000,`, 'line 2: did_group_id, or country and prefix, must say which group it is in'],
    [`441134960000,${london}`, 'line 2: number: 441134960000 does not begin with 4420, as its group does'],
    [`4420794600,${london}`, 'line 2: number: 4420794600 has a wrong length for GB'],
    [`12122110100,${newYork}`, 'line 2: number: 12122110100 has no valid exchange code'],
    [`442079460000,${london},more`, 'line 2: 3 values where the header names 2 columns'],
    [`442079460000,x"${london}"`, 'line 2: quotes must enclose a whole value'],
  ])('%s is refused with its line', async (line, message) => {
    await expect(importText('wrong.csv', `number,did_group_id\n${line}\n`)).rejects.toThrow(message);
  });

  test.each([
    ['', 'empty.csv is empty.'],
    ['\n\n', 'line 1: the file is empty: there is no header'],
    ['number,did_group_id,number\n', 'line 1: the header names the column "number" twice'],
    ['number,,did_group_id\n', 'line 1: the header has no name for column 2'],
    [`442079460000,${london}\n`, 'line 1: the header is missing, or not separated by commas: the columns of a file of'],
    [`number;did_group_id\n442079460000;${london}\n`, 'line 1: the header is missing, or not separated by commas'],
    [`number,colour\n442079460000,red\n`, 'line 1: the header names the column "colour", which is not known'],
    ['did_group_id\n', 'line 1: the header does not name the column "number"'],
    ['"number,did_group_id\n', 'line 1: quotes must enclose a whole column name of the header'],
    [`number,did_group_id\n442079460000,"${london}\n`, 'line 2: a quoted value does not end'],
    [`number\n${'4'.repeat(1_100_000)}`, 'line 2: the line is longer than 1 MiB'],
  ])('of a header, or of a whole file, are told as what they are: %#', async (csv, message) => {
    await expect(importText('empty.csv', csv)).rejects.toThrow(message);
  });

  test.each([
    ['{"type":"towns"}', 'line 1: there is no type "towns"'],
    ['{"number":"442079460000","did_group_id":"x","colour":"red"}', 'line 1: did_group_id: must be a UUID'],
    [
      `{"number":"442079460000","did_group_id":"${london}","colour":"red"}`,
      'line 1: colour is not a member of this type',
    ],
    ['\n\n{"number":}', 'line 3: not JSON'],
    ['{"number":"4420', 'line 1: the file ends inside this object'],
    ['[1]', 'line 1: expected a JSON object, found "1]"'],
    ['{"type":"countries","iso":"gb","name":"X"}', 'line 1: iso: must be two capital letters, not "gb"'],
    ['{"type":"countries","id":"11111111-0000-4000-8000-00000000000f","iso":"GB","name":"X"}', 'has another id'],
    ['{"type":"regions","country":"ZZ","iso":"ZZ-A","name":"X"}', 'line 1: country: there is no country "ZZ"'],
    ['{"type":"cities","country":"FR","region":"GB-ENG","name":"X"}', 'line 1: region: is in another country'],
    [
      `{"type":"stock_keeping_units","did_group":"${paris}","setup_price":0.5,"monthly_price":"1","channels_included_count":0}`,
      'line 1: setup_price: must be a price such as "0.80", not 0.5',
    ],
    [
      `{"type":"stock_keeping_units","id":"44444444-0000-4000-8000-000000000001","did_group":"${london}","setup_price":"0","monthly_price":"1","channels_included_count":2}`,
      'line 1: the offer of group 11111111-0000-4000-8000-000000000001 with 2 channels has another id',
    ],
    ['{"type":"nanpa_prefixes","country":"US","npa":"212","nxx":"911"}', 'line 1: nxx: must be an exchange code'],
    ['{"type":"areas","country":"GB","name":"a\\u0000b"}', 'line 1: name: must be text, not "a\\u0000b"'],
    [
      `{"type":"stock_keeping_units","did_group":"${paris}","setup_price":"0","monthly_price":"1","channels_included_count":2147483648}`,
      'line 1: channels_included_count: must be a whole number from 0 to 2147483647',
    ],
  ])('%s is refused with its line', async (text, message) => {
    await expect(importText('wrong.jsonl', `${text}\n`)).rejects.toThrow(message);
  });

  test('name a number that is in the file twice, in stock or owned', async () => {
    await importText('first.csv', `number,did_group_id\n442079460000,${london}\n`);
    await own('442079460009');
    const csv = `number,did_group_id\n442079460001,${london}\n442079460000,${london}\n442079460001,${london}\n442079460009,${london}\n`;
    await expect(importText('again.csv', csv)).rejects.toThrow(
      [
        '3 lines are wrong.',
        '  line 3: 442079460000 is in stock already',
        '  line 4: 442079460001 is in the file twice, first in line 2',
        '  line 5: 442079460009 is owned by a customer',
      ].join('\n'),
    );
  });

  test('name an id that belongs to another number, in the file or in stock', async () => {
    const [one, two] = ['55555555-0000-4000-8000-000000000001', '55555555-0000-4000-8000-000000000002'];
    await importText('first.csv', `number,did_group_id,id\n442079460000,${london},${one}\n`);
    const csv = `number,did_group_id,id\n442079460001,${london},${one}\n442079460002,${london},${two}\n442079460003,${london},${two}\n`;
    await expect(importText('again.csv', csv)).rejects.toThrow(
      [
        '2 lines are wrong.',
        `  line 2: id: ${one} is the id of 442079460000, which is in stock`,
        `  line 4: id: ${two} is the id of 442079460002 in line 3`,
      ].join('\n'),
    );
  });

  test('of both kinds are told together: what cannot be read, and what cannot be there', async () => {
    const csv = `number,did_group_id\n4420x,${london}\n442079460001,${london}\n442079460001,${london}\n`;
    await expect(importText('both.csv', csv)).rejects.toThrow(
      /2 lines are wrong\.\n {2}line 2: number: .*\n {2}line 4: 442079460001 is in the file twice, first in line 3$/,
    );
  });

  test('are described up to a limit and counted beyond it', async () => {
    const lines = Array.from({ length: 30 }, (_, i) => `${i},${london}\n`).join('');
    const failed = importText('many.csv', `number,did_group_id\n${lines}`, 2);
    await expect(failed).rejects.toThrow(/30 lines are wrong\.\n {2}line 2: .*\n {2}line 3: .*\n {2}and 28 more$/);
  });

  test('leave nothing behind, not even the lines before them', async () => {
    const text = jsonLines([
      { type: 'countries', iso: 'DE', name: 'Germany', prefix: '49' },
      { number: '442079460000', did_group_id: london },
      { number: '442079460000', did_group_id: london },
    ]);
    await expect(importText('half.jsonl', text)).rejects.toThrow('in the file twice');
    expect(await numbersInStock()).toEqual([]);
    expect(await world.env.db.selectFrom('countries').selectAll().where('iso', '=', 'DE').execute()).toEqual([]);
    expect(await world.env.db.selectFrom('stock_blocks').selectAll().where('available', '>', 0).execute()).toEqual([]);
  });
});

describe('a group with numbers in stock', () => {
  const londonGroup = smallCatalogue.find((record) => 'id' in record && record.id === london);
  const change = (members: object) => jsonLines([{ ...londonGroup, ...members }]);

  test('keeps its prefix and country, and other members can change', async () => {
    await importText('stock.csv', `number,did_group_id\n442079460000,${london}\n`);
    await expect(importText('prefix.jsonl', change({ prefix: '21' }))).rejects.toThrow(
      'line 1: prefix: cannot change from "20" to "21" while the group has numbers in stock',
    );
    await expect(
      importText('gb.jsonl', jsonLines([{ type: 'countries', iso: 'GB', name: 'X', prefix: '45' }])),
    ).rejects.toThrow('line 1: prefix: cannot change from 44 while numbers of GB are in stock');
    expect(await importText('same.jsonl', change({}))).toEqual({ entries: 1, numbers: 0 });
  });

  test('counts also those further up in the same file', async () => {
    const number = jsonLines([{ number: '442079460000', did_group_id: london }]);
    await expect(importText('both.jsonl', `${number}${change({ prefix: '21' })}`)).rejects.toThrow(
      'line 2: prefix: cannot change from "20" to "21"',
    );
  });

  test('may change it when it has none', async () => {
    expect(await importText('prefix.jsonl', change({ prefix: '21' }))).toEqual({ entries: 1, numbers: 0 });
    expect(await importText('back.jsonl', change({}))).toEqual({ entries: 1, numbers: 0 });
  });
});

test('a record whose id is known changes the entry', async () => {
  const change = (monthly_price: string) => importText('price.jsonl', jsonLines([{ ...londonSku, monthly_price }]));
  const londonSku = { type: 'stock_keeping_units', did_group: london, setup_price: '0', channels_included_count: 2 };
  expect(await change('1.25')).toEqual({ entries: 1, numbers: 0 });
  const skus = await world.env.db
    .selectFrom('stock_keeping_units')
    .select(['monthly_price'])
    .orderBy('channels_included_count')
    .execute();
  expect(skus).toEqual([{ monthly_price: '0.4800' }, { monthly_price: '1.2500' }]);
  await change('0.8');
});

test('what export writes, import reads into the same catalogue', async () => {
  await importText('stock.csv', `number,did_group_id\n442079460000,${london}\n12122200100,${newYork}\n`);
  const first = await exportText(world, 'first.jsonl');
  const other = await createTestEnvironment();
  try {
    await importCatalogue(other.env, join(folder, 'first.jsonl'));
    expect(await exportText(other, 'second.jsonl')).toBe(first);
    const state = await other.env.db.selectFrom('environment_state').select('catalogue').executeTakeFirst();
    expect(state).toEqual({ catalogue: 'imported' });
  } finally {
    await other.close();
  }
  expect(first.split('\n').length).toBeGreaterThan(smallCatalogue.length);
});

test('numbers can be exported alone, as CSV', async () => {
  await importText('stock.csv', `number,did_group_id\n442079460000,${london}\n`);
  const csv = await exportText(world, 'numbers.csv');
  expect(csv).toBe(`number,did_group_id\n442079460000,${london}\n`);
  await world.env.db.deleteFrom('available_dids').execute();
  expect(await importCatalogue(world.env, join(folder, 'numbers.csv'))).toEqual({ entries: 0, numbers: 1 });
});

test('a file that is missing or of another kind is refused', async () => {
  await expect(importCatalogue(world.env, join(folder, 'none.csv'))).rejects.toThrow('is not a file that can be read');
  await expect(importText('numbers.xlsx', '')).rejects.toThrow('must end in .csv, .json or .jsonl');
  await writeFile(join(folder, 'latin1.csv'), Buffer.from([0x6e, 0xfc, 0x0a]));
  await expect(importCatalogue(world.env, join(folder, 'latin1.csv'))).rejects.toThrow('is not UTF-8 text');
});

async function importText(name: string, text: string, maxErrors = 20) {
  await writeFile(join(folder, name), text);
  return importCatalogue(world.env, join(folder, name), { maxErrors });
}

async function exportText({ env }: TestEnvironment, name: string): Promise<string> {
  await exportCatalogue(env, name.endsWith('.csv') ? 'csv' : 'jsonl', createWriteStream(join(folder, name)));
  return readFile(join(folder, name), 'utf8');
}

async function numbersInStock(): Promise<string[]> {
  const rows = await world.env.db.selectFrom('available_dids').select('number').orderBy('number').execute();
  return rows.map(({ number }) => number);
}

/** Marks a number as sold, without an order around it. */
async function own(number: string): Promise<void> {
  const client = await world.env.pool.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    await client.query(
      `insert into dids (account_id, number, did_group_id, sku_id, order_id, order_position, channels_included_count, created_at)
       select gen_random_uuid(), $1, $2, id, gen_random_uuid(), 0, 0, '2026-01-01' from stock_keeping_units limit 1`,
      [number, london],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
}
