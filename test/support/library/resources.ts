/** The types of an invented product: a library. Between them they use every word a declaration has. */
import {
  boolean,
  date,
  dateTime,
  decimal,
  fixedDecimal,
  integer,
  list,
  objectList,
  text,
} from '../../../src/engines/jsonapi/attributes.ts';
import { type Declaration, declare, toMany, toOne } from '../../../src/engines/jsonapi/declare.ts';
import { ApiError, errors, invalid, messages } from '../../../src/engines/jsonapi/errors.ts';
import { facts } from '../../../src/engines/jsonapi/facts.ts';
import {
  allOf,
  anyId,
  anyInteger,
  anyOf,
  atLeast,
  contains,
  flag,
  inRow,
  since,
  until,
} from '../../../src/engines/jsonapi/filters.ts';
import type { EngineContext, Resource } from '../../../src/engines/jsonapi/resource.ts';
import { lamp } from './lamps.ts';
import { checkBook, createBook, createShelf, updateBook, updateShelf } from './workflows.ts';

const owned = (type: string, declaration: Declaration<EngineContext>): Resource =>
  declare('account', type, declaration);

const copies = {
  paper_copies: {
    qty: facts('integer', { write: 'create', required: true, min: 1 }),
    supplier: facts('string', { write: 'create', writeOnly: true }),
    donor: facts('string', { write: 'create', writeOnly: true }),
    note: facts('string', { nullable: true }),
  },
  audio_copies: { minutes: facts('integer', { write: 'create', required: true }) },
};

const shelves = owned('shelves', {
  group: 'Rooms',
  noun: ['shelf', 'shelves'],
  summary: 'Where books stand.',
  attributes: {
    name: text({ write: 'both', required: true, maxLength: 20 }),
    room: text({ write: 'both', nullable: true }),
    capacity: integer({ write: 'both', min: 1, max: 100 }),
    tags: list({ type: 'string', enum: ['high', 'low', 'wide'] }, { write: 'both', maxItems: 2, uniqueItems: true }),
    lamp,
    created_at: dateTime(),
  },
  relationships: { books: toMany('books', { via: 'shelf_id' }) },
  meta: { book_count: { type: 'integer', column: '(select count(*)::int from books b where b.shelf_id = t.id)' } },
  filters: {
    id: anyId('t.id'),
    name: contains('t.name'),
    name_starts: {
      ...contains('t.name'),
      facts: { match: 'contains', minLength: 3, minLengthWaivedBy: ['room'] },
      where: ([text], params) => `starts_with(t.name, ${params.add(text)})`,
    },
    room: anyOf('t.room', { caseInsensitive: true, blank: true }),
    room_contains: contains('t.room', { blank: true }),
    tags: allOf('t.tags', { high: 'Up there.', low: 'Down there.', wide: 'For atlases.' }),
    capacity: anyInteger('t.capacity'),
    capacity_gteq: atLeast('t.capacity'),
    is_lit: flag('t.lamp is not null'),
    created_at_gteq: since('t.created_at'),
    created_at_lteq: until('t.created_at', { round: 'end_of_day' }),
  },
  sort: ['name', 'created_at', 'room'],
  defaultSort: '-created_at',
  readMeta: { places_left: () => 3 },
  collectionMeta: { places_left: () => 3 },
  refusals: { shelves_name: invalid.attribute('name', messages.taken) },
  create: createShelf,
  update: updateShelf,
});

const books = owned('books', {
  attributes: {
    // Longer than the index on it can keep.
    title: text({ write: 'both', required: true, textLimit: 20_000 }),
    price: decimal({ write: 'both', min: 0 }),
    published: date({ write: 'both', nullable: true }),
    status: text({ enum: ['there', 'lost'] }),
    copies: objectList(copies, {
      write: 'create',
      minItems: 1,
      sameType: true,
      atMostOneOf: { paper_copies: ['supplier', 'donor'] },
    }),
    silent: boolean({ write: 'both', writeOnly: true }),
    created_at: dateTime(),
  },
  relationships: {
    shelf: toOne('shelves', { write: 'create', required: true }),
    keeper: toOne(['readers', 'clubs'], {
      write: 'both',
      nullable: true,
      column: 't.keeper_id',
      typeColumn: 't.keeper_type',
    }),
    reviewers: toMany('readers', {
      write: 'both',
      max: 2,
      through: { table: 'book_reviewers', from: 'book_id', to: 'reader_id' },
    }),
    warrant: toOne('readers', { write: 'update', nullable: true, nullOnly: true, column: 'null::uuid' }),
  },
  meta: { lost_for: { type: 'string|null', column: "'a while'" } },
  metaWhen: { status: 'lost' },
  filters: {
    id: anyId('t.id'),
    status: anyOf('t.status', { values: { there: 'On its shelf.', lost: 'Nobody knows where it is.' } }),
    'shelf.id': anyId('t.shelf_id'),
    'shelf.room': inRow('shelves', 't.shelf_id', anyOf('r.room')),
    'keeper.id': anyId('t.keeper_id', { single: true }),
  },
  sort: ['title'],
  tieBreak: 't.title, t.id',
  create: createBook,
  update: updateBook,
  stores: ['delete'],
});

/** Stored by the engine, with rules between its members. */
const loans = owned('loans', {
  attributes: {
    kind: text({ write: 'both', required: true, enum: ['home', 'hall'] }),
    days: integer({ write: 'both', nullable: true, requiredIf: { kind: 'home' } }),
  },
  stores: ['create', 'update', 'delete'],
});

/** Names several readers, none of them twice. */
const tours = owned('tours', {
  attributes: {},
  relationships: {
    guests: toMany('readers', {
      write: 'create',
      min: 2,
      unique: true,
      through: { table: 'tour_guests', from: 'tour_id', to: 'reader_id' },
    }),
  },
  stores: ['create'],
});

const readers = owned('readers', { attributes: { name: text() }, tieBreak: 't.name', maxPageSize: 500 });

/** Shows relationship links that are not routed. */
const clubs = owned('clubs', {
  attributes: { name: text() },
  relationships: { leader: toOne('readers', { nullable: true }) },
  relationshipEndpoints: false,
});

/** Stores nothing: it only says yes or no. */
const bookChecks = owned('book_checks', {
  attributes: { strict: boolean({ write: 'create', writeOnly: true }) },
  relationships: { book: toOne('books', { write: 'create', required: true, writeOnly: true }) },
  endpoints: { list: false, read: false },
  relationshipEndpoints: false,
  stored: false,
  paginated: false,
  create: checkBook,
});

/** One per account, without an id in its path. */
const desks = owned('desks', {
  path: '/desk',
  attributes: { money: fixedDecimal() },
  endpoints: { list: false },
  singleton: true,
  paginated: false,
});

/** Open to everyone. */
const notices: Resource = declare('public', 'notices', {
  attributes: { text: text() },
  paginated: false,
  endpoints: { read: false },
});

/** A feature that is off. */
const vaults = owned('vaults', {
  attributes: {},
  guard: () => {
    throw new ApiError([errors.forbidden('The vaults are closed.')]);
  },
});

export const resources: readonly Resource[] = [
  shelves,
  books,
  loans,
  tours,
  readers,
  clubs,
  bookChecks,
  desks,
  notices,
  vaults,
];
