/** Typed objects inside attributes. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, ApiClient } from '../../../test/support/client.ts';
import { openLibrary } from '../../../test/support/library/server.ts';
import { useOpened } from '../../../test/support/use.ts';

const library = useOpened(() => openLibrary());
let anna: ApiClient;
let made = 0;

beforeAll(async () => {
  anna = library.anna;
});

const createShelf = (lamp: unknown) => {
  made += 1;
  return anna.post('/shelves', { data: { type: 'shelves', attributes: { name: `Shelf ${made}`, lamp } } });
};
const updateShelf = (id: string, lamp: unknown) =>
  anna.patch(`/shelves/${id}`, { data: { type: 'shelves', id, attributes: { lamp } } });
/** What a lamp has unless it is said. */
const rest = { dimmable: false, lowest: null, serial: null };
const led = (attributes: object) => ({ type: 'led_lamps', attributes });
const problems = (answer: Answer) => [
  answer.status,
  ...answer.errors.map(({ code, detail, source }) => [code, detail, ...(source ? [source.pointer] : [])].join(' | ')),
];

describe('a nested typed object', () => {
  test('is taken and shown as { type, attributes }', async () => {
    const answer = await createShelf(led({ watts: 5, colour: 'warm' }));
    expect(answer.resource.attributes.lamp).toEqual(led({ watts: 5, colour: 'warm', ...rest }));
  });

  test('is shown with every member that is declared, also one that was declared later', async () => {
    const { id } = (await createShelf(led({ watts: 5 }))).resource;
    await library.pool.query(
      `update shelves set lamp = '{"type":"led_lamps","attributes":{"watts":7}}' where id = $1`,
      [id],
    );
    const shown = (await anna.get(`/shelves/${id}`)).resource.attributes.lamp;
    expect(shown).toEqual(led({ watts: 7, colour: null, ...rest }));
  });

  test('may be one of several types, or null', async () => {
    const { resource } = await createShelf({ type: 'candles', attributes: { hours: 3 } });
    expect(resource.attributes.lamp).toEqual({ type: 'candles', attributes: { hours: 3 } });
    expect((await updateShelf(resource.id, null)).resource.attributes.lamp).toBeNull();
  });

  test('that merges keeps what an update does not send', async () => {
    const { id } = (await createShelf(led({ watts: 5, colour: 'warm' }))).resource;
    const answer = await updateShelf(id, led({ colour: 'cold' }));
    expect(answer.resource.attributes.lamp).toEqual(led({ watts: 5, colour: 'cold', ...rest }));
  });

  test('that merges keeps its type', async () => {
    const { id } = (await createShelf(led({ watts: 5 }))).resource;
    const candle = { type: 'candles', attributes: { hours: 3 } };
    expect(problems(await updateShelf(id, candle))).toEqual([422, '100 | lamp - is invalid | /data/attributes/lamp']);
    await updateShelf(id, null);
    expect((await updateShelf(id, candle)).resource.attributes.lamp).toEqual(candle);
  });

  test('keeps the rules between its members, on create and together with what is stored', async () => {
    const lowest = (text: string) => `100 | lowest - ${text} | /data/attributes/lamp/attributes/lowest`;
    expect(problems(await createShelf(led({ watts: 5, dimmable: true })))).toEqual([422, lowest("can't be blank")]);
    const { id } = (await createShelf(led({ watts: 5, lowest: 3 }))).resource;
    expect(problems(await updateShelf(id, led({ watts: 2 })))).toEqual([
      422,
      lowest('must be less than or equal to 2'),
    ]);
    expect(problems(await updateShelf(id, led({ dimmable: true, lowest: null })))).toEqual([
      422,
      lowest("can't be blank"),
    ]);
    expect((await updateShelf(id, led({ dimmable: true }))).status).toBe(200);
  });

  test('points at the member that is not valid', async () => {
    expect(problems(await createShelf(led({ watts: 99, colour: 'green' })))).toEqual([
      422,
      '100 | watts - must be less than or equal to 60 | /data/attributes/lamp/attributes/watts',
      '100 | colour - is invalid | /data/attributes/lamp/attributes/colour',
    ]);
    expect(problems(await createShelf(led({})))).toEqual([
      422,
      "100 | watts - can't be blank | /data/attributes/lamp/attributes/watts",
    ]);
  });

  test('refuses members it does not take, read-only ones included', async () => {
    expect(problems(await createShelf(led({ watts: 5, serial: 'x', shade: 1 })))).toEqual([
      400,
      '105 | serial is not allowed.',
      '105 | shade is not allowed.',
    ]);
    expect(problems(await createShelf({ ...led({ watts: 5 }), meta: {} }))).toEqual([
      400,
      '105 | meta is not allowed.',
    ]);
  });

  test.each([[{ type: 'suns', attributes: {} }], [{ attributes: { watts: 5 } }], ['bright'], [[]], [5]])(
    'of no known type is not valid: %j',
    async (lamp) => {
      expect(problems(await createShelf(lamp))).toEqual([422, '100 | lamp - is invalid | /data/attributes/lamp']);
    },
  );
});

describe('a type that is only ever answered', () => {
  test('cannot be chosen', async () => {
    const old = { type: 'old_lamps', attributes: { name: 'x' } };
    const pointer = '/data/attributes/lamp/type';
    expect(problems(await createShelf(old))).toEqual([422, `100 | type - is not allowed for creation | ${pointer}`]);
    const { id } = (await createShelf(null)).resource;
    expect(problems(await updateShelf(id, old))).toEqual([422, `100 | type - is not allowed for update | ${pointer}`]);
  });
});

describe('a list of nested typed objects', () => {
  const createBook = async (copies: unknown) => {
    const shelf = (await createShelf(null)).resource.id;
    const relationships = { shelf: { data: { type: 'shelves', id: shelf } } };
    return anna.post('/books', { data: { type: 'books', attributes: { title: 'Emma', copies }, relationships } });
  };
  const paper = (attributes: object) => ({ type: 'paper_copies', attributes });

  test('is taken and shown', async () => {
    const answer = await createBook([paper({ qty: 2 }), paper({ qty: '3' })]);
    expect(answer.resource.attributes.copies).toEqual([paper({ qty: 2, note: null }), paper({ qty: 3, note: null })]);
  });

  test('counts its members in pointers', async () => {
    expect(problems(await createBook([paper({ qty: 1 }), paper({ qty: 0 }), paper({ qty: null })]))).toEqual([
      422,
      '100 | copies/1/qty - must be greater than or equal to 1 | /data/attributes/copies/1/qty',
      "100 | copies/2/qty - can't be blank | /data/attributes/copies/2/qty",
    ]);
    expect(problems(await createBook([paper({ qty: 0 }), paper({})]))).toEqual([
      400,
      '106 | The required parameter, copies/1/qty, is missing.',
    ]);
    expect(problems(await createBook([paper({ qty: 1 }), { type: 'stone_copies' }]))).toEqual([
      422,
      '100 | copies/1/type - is invalid | /data/attributes/copies/1/type',
    ]);
  });

  test('keeps the rules of the list', async () => {
    const audio = { type: 'audio_copies', attributes: { minutes: 60 } };
    expect((await createBook([audio, audio])).status).toBe(201);
    expect(problems(await createBook([paper({ qty: 1 }), audio]))).toEqual([
      422,
      '100 | copies/1/type - must be the same for all items | /data/attributes/copies/1/type',
    ]);
    expect(problems(await createBook([paper({ qty: 1, donor: 'a', supplier: 'b' })]))).toEqual([
      422,
      '100 | copies/0/donor - is invalid | /data/attributes/copies/0/donor',
    ]);
  });

  test('may not be empty when it needs a member', async () => {
    expect(problems(await createBook([]))).toEqual([422, "100 | copies - can't be blank | /data/attributes/copies"]);
    expect(problems(await createBook({}))).toEqual([422, "100 | copies - can't be blank | /data/attributes/copies"]);
  });

  test('says which member has no type or no attributes', async () => {
    const missing = (member: string) => [400, `106 | The required parameter, copies/0/${member}, is missing.`];
    expect(problems(await createBook([{}]))).toEqual(missing('type'));
    expect(problems(await createBook([1]))).toEqual(missing('type'));
    expect(problems(await createBook([{ type: 'paper_copies' }]))).toEqual(missing('attributes'));
    expect(problems(await createBook([{ type: 'paper_copies', attributes: null }]))).toEqual(missing('attributes'));
    expect(problems(await createBook([paper({ qty: 1, note: 'x' })]))).toEqual([400, '105 | note is not allowed.']);
    expect(problems(await createBook([{ ...paper({ qty: 1 }), id: '1' }]))).toEqual([400, '105 | id is not allowed.']);
  });
});
