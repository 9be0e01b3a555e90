/**
 * A real S3-compatible server on loopback (`@20minutes/s3rver`, which checks signatures), behind a front that can fail
 * on demand and remembers what was asked of it.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import type { S3Config } from '../../src/engines/objects/s3-store.ts';

interface S3Server {
  config: S3Config;
  /** `PUT /files/…`, in the order in which they came. */
  readonly requests: string[];
  /**
   * From now on `rule` says what a request gets instead of being served: a status, or `cut` for a closed connection.
   */
  failBy(rule: (request: string) => number | 'cut' | null): void;
  /** The keys of the objects in the bucket. */
  keys(): Promise<string[]>;
  close(): Promise<void>;
}

const bucket = 'files';
/** The keys that this server knows. */
const credentials = { accessKey: 'S3RVER', secretKey: 'S3RVER' };

export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'trunkline-s3-'));
  const store = new S3rver({
    directory,
    ...{ address: '127.0.0.1', port: 0, silent: true, configureBuckets: [{ name: bucket }] },
  });
  const { port } = await store.run();
  let failureOf: Parameters<S3Server['failBy']>[0] = () => null;
  const front = http.createServer((request, response) => {
    const asked = `${request.method} ${request.url}`;
    server.requests.push(asked);
    const failure = failureOf(asked);
    if (failure === 'cut') {
      request.socket.destroy();
      return;
    }
    if (failure !== null) {
      request.resume();
      response.writeHead(failure, { 'content-type': 'application/xml' });
      response.end('<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>');
      return;
    }
    // With its own Host header, which is signed.
    const forwarded = http.request(
      { host: '127.0.0.1', port, method: request.method, path: request.url, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/${bucket}`;
  const server: S3Server = {
    config: { url, region: 'us-east-1', ...credentials },
    requests: [],
    failBy: (rule) => {
      failureOf = rule;
    },
    keys: async () => {
      const files = await readdir(path.join(directory, bucket), { recursive: true });
      return files.flatMap((file) =>
        file.endsWith('._S3rver_object') ? [file.slice(0, -'._S3rver_object'.length)] : [],
      );
    },
    close: async () => {
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return server;
}
