/** Serves certificates of signers by https on loopback, under the name sip.test, which its client alone resolves. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { addressPolicy } from '../../engines/outbound/address-policy.ts';
import { type OutboundHttp, outboundHttp } from '../../engines/outbound/outbound-http.ts';
import { authority, serverCertificate, serverKey } from '../../engines/sip/transport/certificates.fixture.ts';

interface CertificateServer {
  /** For an environment that fetches from here. */
  readonly outbound: OutboundHttp;
  /** Paths that were asked for, in order. */
  readonly requests: string[];
  /** Where this certificate is from now on; null for one that never comes. */
  publish(name: string, pem: string | null): string;
  close(): void;
}

export async function openCertificateServer(): Promise<CertificateServer> {
  const published = new Map<string, string | null>();
  const requests: string[] = [];
  const server = createServer({ cert: serverCertificate, key: serverKey }, (request, response) => {
    requests.push(request.url ?? '');
    const pem = published.get(request.url ?? '');
    if (pem === undefined) response.writeHead(404).end();
    else if (pem !== null) response.writeHead(200, { 'cache-control': 'max-age=3600' }).end(pem);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const policy = addressPolicy({ allowEverything: true, allowedRanges: [] });
  return {
    outbound: outboundHttp(policy, { authorities: [authority], resolve: async () => ['127.0.0.1'] }),
    requests,
    publish: (name, pem) => {
      published.set(`/${name}.pem`, pem);
      return `https://sip.test:${port}/${name}.pem`;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
