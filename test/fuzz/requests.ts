/** Requests as an OpenAPI document describes them, about records that are there, and spoiled in half of the cases. */

import type { OpenApiDocument, Operation, Parameter, Reference } from '../../src/engines/openapi/types.ts';
import type { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';
import type { Memory } from './memory.ts';
import { oddValue, spoiled } from './spoil.ts';
import { newUuid, type Source, valueFor } from './values.ts';

export interface FuzzedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

interface DescribedOperation {
  method: string;
  path: string;
  operation: Operation;
}

export class RequestGrammar {
  readonly #source: Source;
  readonly #operations: readonly DescribedOperation[];

  /** `leavesOut` names operations, as `POST /v3/orders`, or all of a path. */
  constructor(
    { paths, components }: OpenApiDocument,
    random: SeededRandom,
    memory: Memory,
    leavesOut: (operation: string) => boolean,
  ) {
    this.#source = { random, memory, components };
    this.#operations = Object.entries(paths)
      .flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => ({ method, path, operation })))
      .map(({ method, path, operation }) => ({ method: method.toUpperCase(), path, operation }))
      .filter(({ method, path }) => !leavesOut(`${method} ${path}`));
  }

  next(): FuzzedRequest {
    const { random } = this.#source;
    // Reads are many and alike: as often a write is asked for first.
    const writes = this.#operations.filter(({ method }) => method !== 'GET');
    const { method, path, operation } = random.pick(
      random.chance(0.5) && writes.length > 0 ? writes : this.#operations,
    );
    const type = random.pick(Object.keys(operation.requestBody?.content ?? { 'application/json': null }));
    const body = this.#body(operation, type);
    return {
      method,
      url: this.#path(path) + this.#query(operation),
      headers: body === null ? {} : { 'content-type': random.chance(0.03) ? 'text/plain' : type },
      body,
    };
  }

  #body({ requestBody }: Operation, type: string): string | null {
    const { random } = this.#source;
    const schema = requestBody?.content[type]?.schema;
    if (schema === undefined) return random.chance(0.02) ? '{"data":{}}' : null;
    let document = valueFor(schema, this.#source);
    while (random.chance(0.4)) document = spoiled(document, random);
    if (!type.includes('json')) return typeof document === 'string' ? document : 'a,b\n1,2\n';
    const text = JSON.stringify(document) ?? '';
    if (random.chance(0.97)) return text;
    return random.pick(['', text.slice(0, -3), `\ufeff${text}`, '['.repeat(3_000), `${text}${text}`, 'null', '"x"']);
  }

  #path(path: string): string {
    return path.replaceAll(/([^/]+)\/\{(\w+)\}/g, (_, before: string) => `${before}/${this.#idBelow(before)}`);
  }

  #idBelow(segment: string): string {
    const { random, memory } = this.#source;
    const known = memory.idOf(segment, random);
    if (known !== null && random.chance(0.85)) return encodeURIComponent(known);
    return random.chance(0.5) ? newUuid(random) : encodeOdd(oddValue(random)).slice(0, 300) || '-';
  }

  #query({ parameters = [] }: Operation): string {
    const { random } = this.#source;
    const pairs = parameters.flatMap((each) => {
      const parameter = this.#parameter(each);
      if (parameter?.in !== 'query' || parameter.name === 'wait' || !random.chance(0.15)) return [];
      const name = parameter.style === 'deepObject' ? `${parameter.name}[dids]` : parameter.name;
      const value = random.chance(0.3) ? oddValue(random) : valueFor(parameter.schema, this.#source);
      return [`${encodeURIComponent(name)}=${encodeOdd(Array.isArray(value) ? value.map(asText).join() : value)}`];
    });
    if (random.chance(0.02))
      pairs.push(random.pick(['unknown=1', 'filter[', 'page[size]=-1', '%', '=', '&&', 'a[b][c]=1']));
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  }

  #parameter(each: Parameter | Reference): Parameter | undefined {
    if (!('$ref' in each)) return each;
    return this.#source.components.parameters?.[each.$ref.replace(/^.*\//, '')];
  }
}

const asText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

const encodeOdd = (value: unknown): string => encodeURIComponent(asText(value).slice(0, 2_000).toWellFormed());
