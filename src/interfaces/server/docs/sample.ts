/** A request that can be sent as it is: for a terminal, and as data for the form and the other languages. */
import type { Method, OpenApiDocument, Operation, Parameter } from '../../../engines/openapi/types.ts';

export interface SampleRequest {
  method: string;
  /** With its query, as it is sent. */
  path: string;
  headers: Record<string, string>;
  /** Which credentials it takes: those that the reader has are put in their place. */
  access: 'api-key' | 'application' | null;
  /** Ways to call it, by what each is called; a text, or the parts of a form. */
  bodies: readonly { name: string; value: unknown }[];
  media: string | null;
}

const shownKey = '$KEY';

export function sampleOf(
  document: OpenApiDocument,
  method: Method,
  path: string,
  { security = [], requestBody }: Operation,
  parameters: readonly Parameter[],
): { request: SampleRequest; curl: string } {
  const [media = null, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let target = path;
  for (const { name, in: place, example } of parameters) {
    if (example === undefined) continue;
    if (place === 'path') target = target.replace(`{${name}}`, String(example));
    if (place === 'query') query.set(name, String(example));
    if (place === 'header') headers[name] = String(example);
  }
  const takes = (scheme: string) => security.some((each) => scheme in each);
  const request: SampleRequest = {
    method: method.toUpperCase(),
    path: query.size === 0 ? target : `${target}?${query}`,
    headers,
    access: takes('api_key') ? 'api-key' : takes('otp_basic') ? 'application' : null,
    bodies: Object.values(content?.examples ?? {}).map(({ summary, value }) => ({ name: summary, value })),
    media,
  };
  return { request, curl: curlOf(document.servers[0]?.url ?? '', request) };
}

function curlOf(server: string, { method, path, headers, access, bodies, media }: SampleRequest): string {
  const [body] = bodies;
  const lines = [
    `curl -g${method === 'GET' ? '' : ` -X ${method}`} '${server}${path}'`,
    ...(access === 'api-key' ? [`-H "api-key: ${shownKey}"`] : []),
    ...(access === 'application' ? ['-u "$APP_KEY:$APP_SECRET"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(media === 'application/gzip' ? ["-H 'content-type: application/gzip'", '--data-binary @snapshot.gz'] : []),
    ...(body === undefined ? [] : bodyLines(media ?? '', body.value)),
  ];
  return lines.join(' \\\n  ');
}

function bodyLines(media: string, value: unknown): string[] {
  if (media !== 'multipart/form-data')
    return [`-H 'content-type: ${media}'`, `-d ${quoted(JSON.stringify(value, null, 2))}`];
  return Object.entries(Object(value)).map(([name, part]) =>
    name.endsWith('[file]') ? `-F ${quoted(`${name}=@${part}`)}` : `-F ${quoted(`${name}=${part}`)}`,
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
