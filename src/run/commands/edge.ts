/** `edge config`: writes and checks the configuration of a Kamailio in front of several workers. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text, wholeNumber } from '../../base/fields.ts';
import { writeAtomically } from '../../base/files.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { type EdgeSettings, exampleEdge, hasTls } from '../../business/edge/edge-settings.ts';
import { edgeFiles } from '../../business/edge/kamailio-config.ts';
import { defineCommand, option } from './command.ts';

const hostAndPort = String.raw`(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):\d{1,5}`;
const socket = text(new RegExp(`^(udp|tcp|tls):${hostAndPort}$`), 'a socket such as udp:203.0.113.10:5060');
const worker = text(new RegExp(`^${hostAndPort}$`), 'an address and a port such as 10.0.0.11:5060');
const control = text(new RegExp(`^udp:${hostAndPort}$`), 'a control port such as udp:127.0.0.1:2223');
const network = text(/^[0-9a-fA-F.:]+\/\d{1,3}$/, 'a network such as 192.0.2.0/24');
/** It is written into a configuration file, between quotation marks. */
const filePath = text(/^[^"\\\p{Cc}]+$/u, 'a path without quotation marks, backslashes and control characters');

export const edgeCommands = [
  defineCommand({
    name: 'edge config',
    summary: 'Write the configuration of a Kamailio edge in front of several workers, and check it.',
    options: {
      worker: { type: 'string', value: 'HOST:PORT', multiple: true, summary: 'where a worker listens; once for each' },
      listen: { type: 'string', value: 'SOCKET', multiple: true, summary: 'udp:, tcp: or tls:HOST:PORT of the edge' },
      certificate: { type: 'string', value: 'FILE', summary: 'PEM file, for tls:' },
      key: { type: 'string', value: 'FILE', summary: 'PEM file, for tls:' },
      rtpengine: { type: 'string', value: 'SOCKET', summary: 'udp:HOST:PORT of an rtpengine that carries the media' },
      exempt: { type: 'string', value: 'NETWORK', multiple: true, summary: 'without a flood limit: a carrier' },
      'requests-per-source': { type: 'string', value: 'N', summary: 'requests of one address in two seconds (60)' },
      'calls-per-second': { type: 'string', value: 'N', summary: 'new calls; more get 503 (500)' },
      children: { type: 'string', value: 'N', summary: 'processes for each socket (4)' },
      folder: { type: 'string', value: 'FOLDER', summary: 'where Kamailio reads it (/etc/kamailio)' },
      output: { type: 'string', value: 'FOLDER', summary: 'write the files here; printed when left out' },
      check: { type: 'boolean', summary: 'let kamailio -c check it' },
    },
    notes: 'Without --worker and --listen it is the example of the documentation. docs/edge.md explains the rest.',
    run: async ({ values, out }) => {
      const settings: EdgeSettings = {
        listen: values.listen?.map((each) => option('listen', each, socket) ?? '') ?? exampleEdge.listen,
        workers: values.worker?.map((each) => option('worker', each, worker) ?? '') ?? exampleEdge.workers,
        folder: option('folder', values.folder, filePath) ?? exampleEdge.folder,
        certificateFile: option('certificate', values.certificate, filePath) ?? null,
        keyFile: option('key', values.key, filePath) ?? null,
        rtpengine: option('rtpengine', values.rtpengine, control) ?? null,
        exempt: values.exempt?.map((each) => option('exempt', each, network) ?? '') ?? [],
        requestsPerSource:
          option('requests-per-source', values['requests-per-source'], wholeNumber(1, 100_000)) ??
          exampleEdge.requestsPerSource,
        callsPerSecond:
          option('calls-per-second', values['calls-per-second'], wholeNumber(1, 100_000)) ?? exampleEdge.callsPerSecond,
        children: option('children', values.children, wholeNumber(1, 64)) ?? exampleEdge.children,
      };
      if (hasTls(settings) && (settings.certificateFile === null || settings.keyFile === null)) {
        throw new OperatorError('An edge that listens for TLS needs --certificate and --key.');
      }
      if (values.check) await check(settings);
      const files = Object.entries(edgeFiles(settings));
      if (values.output === undefined) return out(files.map(([, content]) => content).join('\n'));
      for (const name of await write(settings, values.output)) out(`Wrote ${name}.`);
      if (values.check) out('Kamailio accepts it.');
    },
  }),
];

async function write(settings: EdgeSettings, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const written = Object.entries(edgeFiles(settings)).map(async ([name, content]) => {
    const file = path.join(folder, name);
    await writeAtomically(file, content);
    return file;
  });
  return Promise.all(written);
}

/** Checked where it is not used yet, so that a mistake never replaces what works. */
async function check(settings: EdgeSettings): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-edge-'));
  try {
    await write({ ...settings, folder }, folder);
    const { status, stderr, error } = spawnSync('kamailio', ['-c', '-f', path.join(folder, 'kamailio.cfg')], {
      encoding: 'utf8',
    });
    if (error !== undefined) throw new OperatorError(`kamailio cannot be run: ${error.message}.`);
    if (status !== 0) throw new OperatorError(`Kamailio does not accept it:\n${stderr.trim()}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
