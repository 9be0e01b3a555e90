/** One operation of the reference: what it is for, what it takes, what it returns, and a form that sends it. */
import type { Content, Example, Method, Operation, Parameter, Response } from '../../../engines/openapi/types.ts';
import { type Html, html } from './html.ts';
import { line, markdown } from './markdown.ts';
import { sampleOf } from './sample.ts';
import { members, nameOf, type Reader, resolved, typeOf } from './schema.ts';

export interface PlacedOperation {
  method: Method;
  path: string;
  operation: Operation;
}

export function operationSection(reader: Reader, { method, path, operation }: PlacedOperation): Html {
  const parameters = parametersOf(reader, operation);
  const sample = sampleOf(reader.document, method, path, operation, parameters);
  return html`<section class="operation" id="${operation.operationId}">
<h2><a class="anchor" href="#${operation.operationId}" aria-label="Link to this section">#</a>${operation.summary}</h2>
<p class="call"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code>${
    operation.deprecated === true ? html` <span class="deprecated">deprecated</span>` : null
  }</p>
<div class="two"><div>
${operation.description === undefined ? null : markdown(operation.description).html}
${group('Path', parameters, 'path', reader)}
${group('Query', parameters, 'query', reader)}
${group('Headers', parameters, 'header', reader)}
${bodyOf(reader, operation)}
${Object.entries(operation.callbacks ?? {}).map(([name, callback]) => callbackOf(reader, name, Object.values(callback)))}
</div><div class="side">
<div class="sample" data-request="${JSON.stringify(sample.request)}"><button class="copy" type="button">Copy</button><pre tabindex="0"><code>${sample.curl}</code></pre></div>
${responsesOf(reader, operation)}
</div></div>
</section>
`;
}

function parametersOf({ document }: Reader, { parameters = [] }: Operation): Parameter[] {
  return parameters.flatMap((each) =>
    '$ref' in each ? (document.components.parameters?.[nameOf(each.$ref)] ?? []) : each,
  );
}

function group(title: string, all: readonly Parameter[], place: Parameter['in'], reader: Reader): Html | null {
  const shown = all.filter((parameter) => parameter.in === place);
  if (shown.length === 0) return null;
  const list = html`<dl class="members">${shown.map((parameter) => parameterOf(parameter, reader))}</dl>`;
  // Long lists of filters are opened by who wants one.
  if (shown.length < 7) return html`<h3>${title}</h3>${list}`;
  return html`<details class="group"><summary>${title}: ${shown.length} parameters</summary>${list}</details>`;
}

function parameterOf({ name, description, required, schema }: Parameter, reader: Reader): Html {
  const values = schema.enum ?? resolved(reader.document, schema.items ?? {}).enum ?? [];
  return html`<div><dt><code>${name}</code> <span class="type">${typeOf(reader, schema)}</span>${
    required === true ? html` <span class="required">required</span>` : null
  }</dt><dd>${description === undefined ? null : html`<p>${line(description)}</p>`}${
    values.length === 0
      ? null
      : html`<p class="rules">${values.map((value) => html`<code>${String(value)}</code> `)}</p>`
  }</dd></div>`;
}

function bodyOf(reader: Reader, { requestBody }: Operation): Html | null {
  if (requestBody === undefined) return null;
  return html`<h3>Body</h3>${Object.entries(requestBody.content).map(
    ([media, { schema }]) => html`<p class="media"><code>${media}</code></p>${members(reader, schema)}`,
  )}`;
}

function responsesOf(reader: Reader, { responses }: Operation): Html {
  const all = Object.entries(responses).map(([status, each]): [string, Response] => [
    status,
    '$ref' in each ? (reader.document.components.responses?.[nameOf(each.$ref)] ?? { description: '' }) : each,
  ]);
  return html`<div class="responses">${all.map(
    ([status, { description, content = {} }]) =>
      html`<details${status < '300' ? html` open` : null}><summary><span class="status s${status.charAt(0)}">${status}</span> ${line(description)}</summary>${Object.values(
        content,
      ).map((each) => contentOf(reader, each))}</details>`,
  )}</div>`;
}

function contentOf(reader: Reader, { schema, examples = {} }: Content): Html {
  const own = schema.$ref === undefined || !/_(document|collection)$/.test(schema.$ref);
  const described = own ? members(reader, schema, 1) : null;
  return html`${Object.values(examples).map((each, index) => exampleOf(each, index === 0))}${
    described === null ? null : html`<details class="described"><summary>Members</summary>${described}</details>`
  }`;
}

const exampleOf = ({ summary, value }: Example, isFirst: boolean): Html =>
  html`<details class="example"${isFirst ? html` open` : null}><summary>${summary}</summary><pre tabindex="0"><code>${
    typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  }</code></pre></details>`;

/** A request that this server sends. */
function callbackOf(reader: Reader, name: string, items: readonly Readonly<Record<string, Operation>>[]): Html {
  const operations = items.flatMap((item) => Object.entries(item));
  return html`<h3>Callback: ${name.replaceAll('_', ' ')}</h3>${operations.map(([method, operation]) => sentRequest(reader, method, operation))}`;
}

export const sentRequest = (reader: Reader, method: string, operation: Operation): Html =>
  html`<details class="group"><summary><span class="method ${method}">${method.toUpperCase()}</span> ${operation.summary}</summary>${
    operation.description === undefined ? null : markdown(operation.description).html
  }${group('Fields', parametersOf(reader, operation), 'query', reader)}${group('Headers', parametersOf(reader, operation), 'header', reader)}${bodyOf(
    reader,
    operation,
  )}${Object.values(operation.requestBody?.content ?? {}).flatMap(({ examples = {} }) =>
    Object.values(examples).map((each) => exampleOf(each, true)),
  )}</details>`;
