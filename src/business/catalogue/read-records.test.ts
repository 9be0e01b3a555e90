/** CSV and JSON lines are read wherever their bytes are cut. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RawRecord } from './import-errors.ts';
import { readCsvRecords, readJsonRecords } from './read-files.ts';

/** Wherever a file happens to be cut into chunks, the same records come out. */
async function read(reader: typeof readCsvRecords, text: string, cuts: number[] = []): Promise<RawRecord[]> {
  const ends = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  async function* chunks() {
    let from = 0;
    for (const end of [...ends, text.length]) {
      yield text.slice(from, end);
      from = end;
    }
  }
  const records: RawRecord[] = [];
  for await (const batch of reader(chunks())) records.push(...batch);
  return records;
}

const cuts = fc.array(fc.nat(500), { maxLength: 8 });

describe('CSV', () => {
  test('quotes, doubled quotes, line breaks inside quotes, empty lines, BOM and CRLF', async () => {
    const text = '\uFEFFa, b\r\n1,"two, three"\r\n\n"x ""y""","line\nbreak"\n,last';
    expect(await read(readCsvRecords, text)).toEqual([
      { line: 2, value: { a: '1', b: 'two, three' } },
      { line: 4, value: { a: 'x "y"', b: 'line\nbreak' } },
      { line: 6, value: { b: 'last' } },
    ]);
  });

  test('reads back what was written, however it is cut', async () => {
    const cell = fc
      .string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', '"', ',', '\n', 'é', ' x') })
      .filter((text) => text.trim() !== '');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 }), cuts, async (rows, where) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const text = `a,b\n${rows.map((row) => row.map(quoted).join(',')).join('\n')}\n`;
        const records = await read(readCsvRecords, text, where);
        expect(records.map(({ value }) => value)).toEqual(rows.map(([a, b]) => ({ a: a.trim(), b: b.trim() })));
      }),
    );
  });
});

describe('JSON', () => {
  test('objects per line and in an array, with the line each begins in', async () => {
    const expected = [
      { line: 1, value: { a: 1 } },
      { line: 2, value: { b: ['}', { c: '"\\' }] } },
    ];
    const second = '{"b":["}",{"c":"\\"\\\\"}]}';
    expect(await read(readJsonRecords, `{"a":1}\n${second}\n`)).toEqual(expected);
    expect(await read(readJsonRecords, `[{"a":1},\n${second}]`)).toEqual(expected);
  });

  test('reads back what was written, however it is cut', async () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(fc.array(object, { maxLength: 5 }), fc.nat(2), cuts, async (objects, indent, where) => {
        const text = JSON.stringify(objects, null, indent);
        const records = await read(readJsonRecords, text, where);
        expect(records.map(({ value }) => value)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('an object that never ends does not fill the memory', async () => {
    async function* endless() {
      yield '{"a":"';
      for (;;) yield 'x'.repeat(1 << 16);
    }
    const reading = async () => {
      for await (const _ of readJsonRecords(endless()));
    };
    await expect(reading()).rejects.toThrow('the object is longer than 1 MiB');
  });
});
