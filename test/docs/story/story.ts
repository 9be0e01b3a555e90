/** A customer's whole story, told by HTTP alone to a fresh sandbox; every operation occurs in it. */
import type { OpenApiDocument } from '../../../src/engines/openapi/types.ts';
import type { Recorder } from '../../support/recorder.ts';
import { makeMistakes } from './mistakes.ts';
import { doPaperwork } from './papers.ts';
import { goShopping, reserve } from './shop.ts';
import { verifyNumber } from './verification.ts';
import { routeAndCall } from './voice.ts';
import { makeWorld } from './worlds.ts';

export async function tellStory(
  recorder: Recorder,
  document: OpenApiDocument,
  application: { key: string; secret: string },
): Promise<void> {
  const goods = await goShopping(recorder);
  await routeAndCall(recorder, goods);
  const registered = await doPaperwork(recorder);
  await verifyNumber(recorder, application);
  await reserve(recorder, goods.spare);
  await followLinks(recorder, document);
  await rewriteLinks(recorder, document);
  await makeMistakes(recorder, goods, registered, application.key);
  await makeWorld(recorder);
}

/** Every relationship of the records that the story was about. */
async function followLinks(recorder: Recorder, document: OpenApiDocument): Promise<void> {
  for (const [path, { get }] of Object.entries(document.paths)) {
    const [, type, member] = /^\/v3\/(\w+)\/\{id\}\/(.+)$/.exec(path) ?? [];
    if (!get || type === undefined || recorder.has(get.operationId)) continue;
    const id = recorder.exchanges[`read_${type}`]?.[0]?.path.id;
    if (id === undefined) continue;
    const many = get.parameters?.some((parameter) => '$ref' in parameter && /\/page_size(_\d+)?$/.test(parameter.$ref));
    await recorder.send('GET', `/v3/${type}/${id}/${member}${many ? '?page[size]=2' : ''}`);
  }
}

/** Every relationship that can be written, with what it links to already; PATCH comes last and puts it all back. */
async function rewriteLinks(recorder: Recorder, document: OpenApiDocument): Promise<void> {
  for (const [path, item] of Object.entries(document.paths)) {
    const [, type, name] = /^\/v3\/(\w+)\/\{id\}\/relationships\/(\w+)$/.exec(path) ?? [];
    const id = recorder.exchanges[`read_${type}`]?.[0]?.path.id;
    if (!item.patch || id === undefined) continue;
    const url = `/v3/${type}/${id}/relationships/${name}`;
    const { body } = await recorder.send('GET', url);
    for (const method of ['delete', 'post', 'patch'] as const) {
      if (item[method]) await recorder.send(method.toUpperCase(), url, { body: { data: body.data } });
    }
  }
}
