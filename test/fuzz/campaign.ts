/** Sends fuzzed requests to a server, some at a time, and holds every response against the document. */
import type { FastifyInstance, InjectOptions } from 'fastify';
import type { OpenApiDocument } from '../../src/engines/openapi/types.ts';
import type { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';
import { responseCheck } from '../support/response-check.ts';
import { Memory } from './memory.ts';
import { type FuzzedRequest, RequestGrammar } from './requests.ts';

const atOnce = 6;
/** After so many one knows enough. */
const mostFaults = 20;

interface Campaign {
  document: OpenApiDocument;
  /** Of the caller, by the path of a request. */
  headersFor(path: string): Record<string, string>;
  /** Operations that would end the campaign, or leave this machine. */
  leavesOut(operation: string): boolean;
  random: SeededRandom;
}

export interface CampaignResult {
  /** By status. */
  statuses: Map<number, number>;
  /** Each with the request, to be repeated. */
  faults: string[];
}

export async function runCampaign(
  app: FastifyInstance,
  { document, headersFor, leavesOut, random }: Campaign,
  requests: number,
): Promise<CampaignResult> {
  const check = responseCheck(document);
  const memory = new Memory();
  const grammar = new RequestGrammar(document, random, memory, leavesOut);
  const result: CampaignResult = { statuses: new Map(), faults: [] };
  let sent = 0;
  const work = async () => {
    while (sent < requests && result.faults.length < mostFaults) {
      sent += 1;
      const request = grammar.next();
      await sendOne(request, headersFor(request.url)).catch((error: unknown) => {
        result.faults.push(`${describe(request)}\n${error instanceof Error ? error.message : String(error)}`);
      });
    }
  };

  async function sendOne({ method, url, headers, body }: FuzzedRequest, own: Record<string, string>): Promise<void> {
    const response = await app.inject({
      method: method as NonNullable<InjectOptions['method']>,
      url,
      headers: { ...own, ...headers },
      ...(body === null ? {} : { payload: body }),
    });
    const { statusCode: status, body: text } = response;
    result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1);
    memory.learn(text);
    const type = response.headers['content-type'];
    check({ method, url, status, contentType: typeof type === 'string' ? type : null, text });
  }

  await Promise.all(Array.from({ length: atOnce }, work));
  return result;
}

const describe = ({ method, url, headers, body }: FuzzedRequest): string =>
  `${method} ${url} ${headers['content-type'] ?? ''} ${(body ?? '').slice(0, 1_500)}`;
