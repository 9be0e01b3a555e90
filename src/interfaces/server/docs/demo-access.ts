/** The demo account's credentials in the API reference of a local start, and which requests may see them. */
import type { FastifyRequest } from 'fastify';

/** What the page may fill in. Only a server that no stranger can reach has it. */
export interface DemoAccess {
  readonly apiKey: string;
  readonly application: { readonly key: string; readonly secret: string } | null;
  /** Resolves when the account has its first records; never rejects. */
  readonly recordsMade: Promise<void>;
}

const loopbackAddress = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const loopbackName = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/;
const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

type LocalRequest = Pick<FastifyRequest, 'headers'> & { socket: Pick<FastifyRequest['socket'], 'remoteAddress'> };

/**
 * Whether a request comes from a browser on this machine. A name in `Host` that is not loopback may be a stranger's
 * page that resolves to this machine; a forwarding header means that a proxy stands in front.
 */
export function isLocal(request: LocalRequest): boolean {
  const { headers, socket } = request;
  return (
    loopbackAddress.test(socket.remoteAddress ?? '') && loopbackName.test(headers.host ?? '') && !isForwarded(request)
  );
}

/** Whether a proxy says that it stands in front. */
export const isForwarded = ({ headers }: Pick<LocalRequest, 'headers'>): boolean =>
  forwardingHeaders.some((name) => headers[name] !== undefined);

/** The credentials in the form the pages' script takes. */
export const filledIn = ({
  apiKey,
  application,
}: Pick<DemoAccess, 'apiKey' | 'application'>): Record<string, string> => ({
  'api-key': apiKey,
  ...(application ? { application: `${application.key}:${application.secret}` } : {}),
});
