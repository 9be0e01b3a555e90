/**
 * A provider of callers' names over HTTP: GET of a URL with the number in it. The answer is JSON with the name in one
 * member, or plain text; 404, an empty answer and null mean that there is no name.
 */
import type { Environment, NameService } from '../../../engines/environment.ts';
import type { NameProvider } from './name-provider.ts';

const mostBytes = 16_384;

export const httpNames = ({ outbound }: Environment, service: NameService): NameProvider => ({
  name: 'name service',
  isCached: true,
  async nameOf(number, signal) {
    const { status, body } = await outbound.request({
      method: 'GET',
      url: service.url.replaceAll('{number}', number),
      headers: {
        Accept: 'application/json, text/plain',
        ...(service.token === null ? {} : { Authorization: `Bearer ${service.token}` }),
      },
      ...{ signal, maxResponseBytes: mostBytes, oversize: 'fail', timeoutMs: service.timeoutMs },
    });
    if (status === 404 || status === 204) return null;
    if (status !== 200) throw new Error(`the name service answered ${status}`);
    return nameIn(body.toString(), service.member);
  },
});

/** `member` is a path such as `caller_name.caller_name`. */
function nameIn(text: string, member: string): string | null {
  const trimmed = text.trim();
  if (!/^[{["]/.test(trimmed)) return trimmed === '' || trimmed === 'null' ? null : trimmed;
  let value: unknown = JSON.parse(trimmed);
  if (typeof value === 'object') {
    for (const key of member.split('.')) {
      value = typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : null;
    }
  }
  return typeof value === 'string' ? value : null;
}
