/** Statements written as parts: numbering, lists, no values in the text. */
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { expect, it } from 'vitest';
import { list, statement, words } from './statement.ts';

const kysely = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

it('numbers its values through everything inlined, as Kysely does', () => {
  const inner = statement`${words('t')}.a = ${1} and b = ${'x'}`;
  const whole = statement`select ${true} from t where ${inner} or c = ${1}`;
  const expected = { text: 'select $1 from t where t.a = $2 and b = $3 or c = $4', values: [true, 1, 'x', 1] };
  expect(whole.compile()).toEqual(expected);
  const { sql, parameters } = whole.toKysely().compile(kysely);
  expect({ text: sql, values: parameters }).toEqual(expected);
});

it('writes a list of values', () => {
  expect(statement`select ${list([1, null, 'x'])}, ${list([2])}`.compile()).toEqual({
    text: 'select $1, $2, $3, $4',
    values: [1, null, 'x', 2],
  });
});

it('never takes a value for text', () => {
  expect(statement`select ${"'; drop table t"}`.compile()).toEqual({ text: 'select $1', values: ["'; drop table t"] });
});
