/** What the engine knows of a request, of a resource type, and of all types together. */
import { type ErrorObject, invalid } from './errors.ts';
import type { Attribute } from './facts.ts';
import type { Filter } from './filters.ts';
import type { Document, Linkage, ToManyInput } from './linkage.ts';
import type { Query, RawQuery } from './query-string.ts';
import type { ReferenceRows } from './reference-rows.ts';
import type { Params, Row, RunQuery, RunText, Tenant } from './sql.ts';

/** What the engine needs of a request; a product adds members of its own. */
export interface EngineContext {
  /** Null only where a type is open to everyone. */
  readonly tenant: Tenant | null;
  readonly now: Date;
  /** Absolute, without a slash at the end: `https://host/v3`. */
  readonly baseUrl: string;
  readonly apiVersion: string;
  readonly defaultPageSize: number;
  readonly maxPageSize: number;
  /** Features that declarations name; one that is not listed is on. */
  readonly features?: Readonly<Record<string, boolean>>;
  readonly query: RunQuery;
  /** The same without parsing: documents are then written as text (`plan/`). */
  readonly text?: RunText;
  /** Included rows of reference data that are kept between requests. */
  readonly referenceRows?: ReferenceRows;
  /** Runs statements in one transaction; `work` may run again if the database asks for it. */
  readonly transaction: <T>(work: (query: RunQuery) => Promise<T>) => Promise<T>;
  /** Whether the caller sees no members that are declared as `secret`. */
  readonly hidesSecrets?: boolean;
  /**
   * Throws 403 unless the caller may do this with records of a type. The engine asks for every type that a request
   * reaches, whichever way leads there; without it the caller may use every type.
   */
  readonly requireAccess?: (type: string, access: Access | 'name') => void;
  /** Called after a record was made. */
  readonly noteCreated?: (type: string, id: string) => Promise<void>;
  /** Of a request with a key of its own: does a create once, however often the request is sent. */
  readonly once?: CreateOnce;
}

/** What a request is recognised by when it is sent again. */
interface CreateRequest {
  readonly type: string;
  readonly input: WriteInput;
  readonly query: RawQuery;
}

/**
 * Returns the document that `create` makes, or the one it made the first time. `create` runs with a context whose
 * statements are all in one transaction, which also keeps the document; it may run again if the database asks for it.
 */
export type CreateOnce = (
  request: CreateRequest,
  create: (within: EngineContext) => Promise<Document>,
) => Promise<Document>;

/**
 * What a request does with records of a type. Beside these, a write *names* records: in a link, or in an attribute with
 * an id. It shows nothing of them but that they are there.
 */
export type Access = 'read' | 'create' | 'update' | 'delete';

export interface Relationship {
  kind: 'one' | 'many';
  /** The related type; several when polymorphic. */
  target: string | readonly string[];
  nullable: boolean;
  /** One line for the API reference. */
  doc?: string;
  /** Its noun in the API reference, if neither the related type nor its own name is a good one. */
  noun?: string;
  create?: boolean;
  update?: boolean;
  required?: boolean;
  writeOnly?: boolean;
  /** Only null may be written: detaching. */
  nullOnly?: boolean;
  /** To-many: how many records a request may name at least and at most, and whether it may name one twice. */
  min?: number;
  max?: number;
  unique?: boolean;
  /** For a caller without this feature the relationship does not exist. */
  feature?: string;
  requiredIf?: Readonly<Record<string, unknown>>;
  forbiddenIf?: Readonly<Record<string, unknown>>;
  /** To-one: SQL over `t` for the related id. Null when nothing is stored. */
  column: string | null;
  /** Polymorphic to-one: SQL over `t` for the related type's name. */
  typeColumn?: string;
  /** To-many: rows of the target whose `via` column holds our id … */
  via?: string;
  /** … or pairs of a joining table. */
  through?: { table: string; from: string; to: string };
  /** False: the workflow itself checks that what is linked exists. */
  checked?: boolean;
  /** The error for a link that is not valid, if it does not point to the relationship itself. */
  problem?: (message: string) => ErrorObject;
}

export const linkProblem = ({ problem }: Relationship, name: string, message: string): ErrorObject =>
  problem?.(message) ?? invalid.relationship(name, message);

/** A value shown in a resource's `meta`. */
export interface MetaField {
  type: 'boolean' | 'integer' | 'string' | 'string|null' | 'decimal' | 'decimal|null';
  /** One line for the API reference. */
  doc?: string;
  column: string;
}

/** A create or update, validated. */
export interface WriteInput<A = Row, R = Record<string, Linkage | ToManyInput | null>> {
  attributes: A;
  relationships: R;
}

/**
 * A function of the product that receives its context. The engine passes on the context that the product gave it, so
 * its own code needs no type parameter for it: a type declared for a richer context is a `Resource` like any other.
 */
type WithContext<C, Rest extends unknown[], T> = { bivariant(context: C, ...rest: Rest): T }['bivariant'];

/** Creates one record and returns its id. */
type CreateWorkflow<C> = WithContext<C, [input: WriteInput, answer: AnswerNow], Promise<string>>;
type UpdateWorkflow<C> = WithContext<C, [id: string, input: WriteInput, during: DuringUpdate], Promise<void>>;
type DeleteWorkflow<C> = WithContext<C, [id: string], Promise<void>>;
/**
 * Makes the response as the record is now, for one that a job may change the next moment: it is read inside the
 * workflow's transaction, or the workflow knows its row.
 */
export type AnswerNow = (id: string, from: RunQuery | { row: Row }) => Promise<void>;

/** What the engine offers an update workflow while its transaction runs. */
export interface DuringUpdate {
  answer: AnswerNow;
  /**
   * Checks the declared rules against the record as it is stored now; null if the type has no rules between members.
   * The workflow calls it while it holds the lock of the row: a parallel request may have changed the row after the
   * first check.
   */
  checkLocked: ((query: RunQuery) => Promise<void>) | null;
}

/** The rows of one page and how many match in all. */
export interface Page {
  rows: Row[];
  total: number;
}

export interface ListRequest {
  /** The type in the version of the request. */
  resource: Resource;
  query: Query;
  /** The SELECT list the engine wants of each row. */
  columns: string;
}

/**
 * Counts of a list that the database keeps: neither its total nor the way to a deep page takes longer while it grows.
 */
export interface KeptCounts<C extends EngineContext = EngineContext> {
  /** SQL for how many rows match these filters; null if no such count is kept. */
  total: WithContext<C, [filters: Query['filters'], params: Params], string | null>;
  /** Ranges of one order of the list, each with the number of its rows. */
  ranges?: {
    sort: { column: string; descending: boolean };
    /**
     * A FROM item with the range (`range`) of a position, and how many rows come before that range (`before`); or null.
     */
    at: WithContext<C, [position: string, params: Params], string | null>;
    /** The condition of rows that are in a range or after it. */
    from: (range: string) => string;
  };
}

/** A resource type, as declared. Everything else is derived from it. */
export interface Resource<C extends EngineContext = EngineContext> {
  type: string;
  /** The noun for one record in the API reference ("Create an *order*"); an irregular plural is the second word. */
  noun?: string | readonly [one: string, many: string];
  /** The title of an action that creates nothing: "Regenerate the credentials of …". */
  title?: string;
  /** Another verb than "Delete": "Cancel", "Release". */
  deleteVerb?: string;
  /** One sentence for the API reference. */
  summary?: string;
  /** The functional group under which the API reference shows it. */
  group?: string;
  /** URL path under the base; null for a type that is only included. */
  path: string | null;
  scope: 'catalogue' | 'account' | 'public';
  /** Its rows, the same for every account, change with the catalogue only: responses are kept until it changes. */
  reference?: boolean;
  /** Concurrent requests share its rows, so the JSON text of a row is cached on the row. */
  reusesSerializedRows?: boolean;
  /**
   * Reference data of which callers see different values, such as prices: those with the same variant see the same. It
   * is kept as included rows only, never as a whole response.
   */
  variant?: WithContext<C, [], string>;
  /** The FROM clause; the row's alias is `t`. A function if the rows depend on the caller, such as a price. */
  from: string | WithContext<C, [params: Params], string>;
  /** SQL for a row's id. */
  idColumn: string;
  /** SQL for the owning account, for `scope: 'account'`. */
  accountColumn: string;
  /** Rows that exist for this request at all, beyond the tenant's own: lapsed holds, rows without a price. */
  visible?: WithContext<C, [params: Params], string>;
  /**
   * Of those, the rows that can be read, listed and linked to; the others are only shown where a to-one links to them.
   */
  direct?: WithContext<C, [params: Params], string>;
  attributes: Readonly<Record<string, Attribute>>;
  relationships: Readonly<Record<string, Relationship>>;
  meta: Readonly<Record<string, MetaField>>;
  /** Resource meta only on records whose attributes have these values. */
  metaWhen?: Readonly<Record<string, unknown>>;
  filters: Readonly<Record<string, Filter>>;
  /** Sort key → SQL over `t`. */
  sort: Readonly<Record<string, string>>;
  sortAliases?: Readonly<Record<string, string>>;
  defaultSort: string | null;
  /** SQL that orders rows when no sort key does, and settles ties. */
  tieBreak: string;
  paginated: boolean;
  /** The largest page, where it is larger than that of most types; a caller's own maximum may be larger still. */
  maxPageSize?: number;
  /**
   * Counting stops here, so that the total of a list without end is known in a moment; `total_records` is at most this.
   */
  mostCounted?: number;
  /** Without them rows are counted, and skipped one by one. */
  counts?: KeptCounts<C>;
  singleton: boolean;
  /** Writing exists where there is a workflow for it (or an own route). */
  endpoints: { list: boolean; read: boolean; create: boolean; update: boolean; delete: boolean };
  /** Endpoints that exist, but whose routes the product registers itself: a file upload. */
  ownRoutes?: readonly Operation[];
  /** False: relationship links are shown but not routed. */
  relationshipEndpoints: boolean;
  /** False: the type is an action; its response is `{ id, type }` and nothing is read back. */
  stored: boolean;
  collectionMeta: Readonly<Record<string, WithContext<C, [page: Page], number | Promise<number>>>>;
  readMeta: Readonly<Record<string, WithContext<C, [], number | Promise<number>>>>;
  /** One line for each member of `collectionMeta` and `readMeta`. */
  metaDocs?: Readonly<Record<string, string>>;
  /** Refuses the whole type for this caller (a feature that is off). */
  guard?: WithContext<C, [operation: Operation], void>;
  /** Another way to find a page than SELECT … LIMIT … OFFSET. */
  findPage?: WithContext<C, [request: ListRequest], Promise<Page>>;
  /** Of these members a new record has exactly one. */
  exactlyOneOf?: readonly string[];
  /** Of these members a new record has one or more. */
  atLeastOneOf?: readonly string[];
  /**
   * Rules that no declaration says, on the whole record; reported together with the declared ones. `before` is what is
   * stored, null for a new record.
   */
  check?: WithContext<C, [whole: Row, before: Row | null], ErrorObject[] | Promise<ErrorObject[]>>;
  /** Database constraint → the error for a write that it refuses. */
  refusals?: Readonly<Record<string, ErrorObject>>;
  create?: CreateWorkflow<C>;
  update?: UpdateWorkflow<C>;
  delete?: DeleteWorkflow<C>;
  /** The status of a response to a delete, if it is not 204. */
  deletedStatus?: 202;
  /** Only of a type in an older version. */
  older?: OlderForm;
}

/** How a type in an older version becomes that of the newest, which has the rules and does the work. */
export interface OlderForm {
  newest: Resource;
  /** What a request sent, in the words of the newest version. */
  input: (input: WriteInput, operation: 'create' | 'update') => WriteInput;
  /** An error of the newest version in the words of this one. */
  problem: (problem: ErrorObject) => ErrorObject;
  /** A row with the columns of the newest version, with those of this one. */
  row: (row: Row) => Row;
}

export type Operation = 'list' | 'read' | 'create' | 'update' | 'delete';

/** All declared types by name. A relationship may name a type that does not exist yet; then nothing is related. */
export class Registry {
  readonly #types: ReadonlyMap<string, Resource>;

  constructor(resources: readonly Resource[]) {
    this.#types = new Map(resources.map((resource) => [resource.type, resource]));
  }

  get(type: string): Resource | undefined {
    return this.#types.get(type);
  }

  all(): Resource[] {
    return [...this.#types.values()];
  }
}
