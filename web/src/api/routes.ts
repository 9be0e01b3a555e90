/**
 * What each route of the server answers and takes, from its OpenAPI documents (web/src/interfaces), and addresses that
 * know their route: a page that reads a renamed attribute does not compile.
 */
import type { Interface as Operator } from '../interfaces/operator.ts';
import type { Interface as Panel } from '../interfaces/panel.ts';
import type { Interface as Public } from '../interfaces/public.ts';
import type { WriteMethod } from './problems.ts';

type Reads = Operator['reads'] & Panel['reads'] & Public['reads'];
type Writes = Operator['writes'] & Panel['writes'] & Public['writes'];

type ReadRoute = keyof Reads;
/** Those without an id. */
export type ListRoute = Exclude<ReadRoute, `${string}{id}${string}`>;
/** Such as `POST /v3/orders`. */
export type Operation = keyof Writes;
type WrittenRoute<O extends Operation = Operation> = O extends `${WriteMethod} ${infer R}` ? R : never;
type Route = ReadRoute | WrittenRoute;

/** What a route answers to GET. */
export type ReadOf<R extends ReadRoute> = Reads[R];
/** The record of a route that answers one, or a list of them. */
export type RecordOf<R extends ReadRoute> = Reads[R] extends { data: readonly (infer Each)[] }
  ? Each
  : Reads[R] extends { data: infer Only }
    ? Only
    : never;
export type AttributesOf<R extends ReadRoute> = RecordOf<R> extends { attributes: infer A } ? A : never;
/** The records that any document may include. */
export type Included = Reads[ReadRoute] extends infer Each
  ? Each extends { included?: (infer Of)[] }
    ? Of
    : never
  : never;

export type BodyOf<O extends Operation> = Writes[O] extends { body: infer Body } ? Body : never;
export type AnswerOf<O extends Operation> = Writes[O]['answer'];
/** The last argument of a write: its body, where it has one. */
export type BodyArgument<O> = O extends Operation
  ? Writes[O] extends { body: infer Body }
    ? [body: Body]
    : Writes[O] extends { body?: infer Body }
      ? [body?: Body]
      : []
  : never;

/** Routes of which a form creates or changes a record: what it sends, and the record that is answered. */
export type FormOperation<R extends string> = Extract<Operation, `POST ${R}` | `PATCH ${R}/{id}`>;
export type FormRoute = {
  [O in Operation]: Writes[O] extends { body: { data: object } }
    ? O extends `POST ${infer R}` | `PATCH ${infer R}/{id}`
      ? R
      : never
    : never;
}[Operation];
export type SavedOf<R extends FormRoute> = AnswerOf<FormOperation<R>> extends { data: infer Saved } ? Saved : never;

declare const about: unique symbol;
/** The address of a request: a text that knows its route, and what GET answers there. */
export type Path<Answer = unknown, R extends string = string> = string & {
  readonly [about]: { answer: Answer; route: R };
};

type Parameters = Readonly<Record<string, string | number | null | undefined>>;
type ParametersOf<R> = R extends `${string}{id}${string}`
  ? [parameters: Parameters & { id: string }]
  : [parameters?: Parameters];

/** The address of a route: `{id}` is filled in, and what else has a value is the query. */
export function pathWith<R extends Route>(
  route: R,
  ...[parameters = {}]: ParametersOf<R>
): Path<R extends ReadRoute ? Reads[R] : never, R> {
  const { id, ...query } = parameters;
  const isFilled = route.includes('{id}');
  const path = isFilled ? route.replace('{id}', encodeURIComponent(String(id))) : route;
  return withQuery(path, isFilled ? query : parameters) as Path<R extends ReadRoute ? Reads[R] : never, R>;
}

/** The same address with more parameters. */
export function withQuery<P extends string>(path: P, parameters: Parameters): P {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  if (query === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}` as P;
}
