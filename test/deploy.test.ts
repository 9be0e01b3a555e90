/** What is shipped for operators loads in the tools it is made for, and names only what exists. */
import { execFile, spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createHttpServer } from '../src/interfaces/server/http-server.ts';
import { settings } from '../src/run/config/settings.ts';
import { createTestEnvironment } from './support/environment.ts';
import { useMade, useOpened } from './support/use.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '..');
const rules = path.join(root, 'deploy/prometheus/alerts.yml');
const dashboardFile = path.join(root, 'deploy/grafana/dashboards/trunkline.json');

const house = useOpened(() => createTestEnvironment());
const metrics = useMade(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-deploy-'));
  await writeFile(path.join(folder, 'broken.pem'), 'no certificate');
  const certificate = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=sip.test', '-days', '10'];
  await run('openssl', [...certificate, '-keyout', '/dev/null', '-out', path.join(folder, 'sip.pem')]);
  const app = await createHttpServer(house.env, {
    rooms: [],
    watched: {
      folders: { data: folder },
      certificates: ['sip.pem', 'broken.pem'].map((name) => path.join(folder, name)),
      areWorkersAlive: () => true,
    },
  });
  const { body } = await app.inject('/metrics');
  await app.close();
  await rm(folder, { recursive: true });
  return { body };
});

/** Series that `/metrics` declares; a histogram has three kinds of them. */
function declared(): Set<string> {
  const types = [...metrics.body.matchAll(/^# TYPE (\S+) (\w+)$/gm)];
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

const namesIn = (expression: string) => expression.match(/\b(trunkline|process|nodejs)_[a-z0-9_]+/g) ?? [];

async function promtool(words: string[], input = ''): Promise<string> {
  const child = spawn('promtool', words, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.once('close', resolve)),
  ]);
  return code === 0 ? '' : `${output}${errors}`;
}

describe('Prometheus', () => {
  it('takes the metrics, the rules and the configuration', async () => {
    expect(await promtool(['check', 'metrics'], metrics.body)).toBe('');
    expect(await promtool(['check', 'rules', rules])).toBe('');
    expect(await promtool(['check', 'config', path.join(path.dirname(rules), 'prometheus.yml')])).toBe('');
    expect(await promtool(['test', 'rules', path.join(path.dirname(rules), 'alerts.test.yml')])).toBe('');
  });

  it('finds what alerts watch', () => {
    const value = (pattern: RegExp) => Number(pattern.exec(metrics.body)?.[1]);
    expect(value(/^trunkline_worker_alive\{[^}]*\} (\d+)$/m)).toBe(1);
    expect(value(/^trunkline_worker_pools\{[^}]*\} (\d+)$/m)).toBe(0);
    expect(value(/^trunkline_partitions_ahead\{table="cdrs_in"[^}]*\} (\d+)$/m)).toBeGreaterThanOrEqual(0);
    expect(value(/^trunkline_database_size_bytes\{[^}]*\} (\d+)$/m)).toBeGreaterThan(1_000_000);
    expect(value(/^trunkline_disk_free_bytes\{folder="data"[^}]*\} (\d+)$/m)).toBeGreaterThan(0);
    const ends = value(/^trunkline_certificate_expiry_timestamp_seconds\{certificate="sip.pem"[^}]*\} (\d+)$/m);
    expect(Math.round(ends / 86_400 - Date.now() / 86_400_000)).toBe(10);
    expect(value(/^trunkline_certificate_expiry_timestamp_seconds\{certificate="broken.pem"[^}]*\} (\d+)$/m)).toBe(0);
  });

  it('finds every metric that the rules name, and every alert is explained, and tried or said not to be', async () => {
    const content = await readFile(rules, 'utf8');
    const names = namesIn(content);
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !declared().has(name))).toEqual([]);
    const page = await readFile(path.join(root, 'docs/alerts.md'), 'utf8');
    const alerts = [...content.matchAll(/alert: (\w+)/g)].map(([, name = '']) => name);
    const [explained = '', tried = ''] = page.split('## Tried');
    const isIn = (text: string) => (name: string) => text.includes(`\`${name}\``);
    expect(alerts.filter((name) => !isIn(explained)(name))).toEqual([]);
    expect(alerts.filter((name) => tried.split(`\`${name}\``).length !== 2)).toEqual([]);
    for (const [, file = ''] of tried.matchAll(/`(\S+\.test\.ts)`/g)) await stat(path.join(root, file));
  });
});

describe('the Grafana dashboard', () => {
  it('asks only for metrics that exist', async () => {
    const dashboard = JSON.parse(await readFile(dashboardFile, 'utf8'));
    const expressions: string[] = dashboard.panels.flatMap((panel: { targets: { expr: string }[] }) =>
      panel.targets.map(({ expr }) => expr),
    );
    expect(expressions.length).toBeGreaterThan(15);
    const unknown = expressions.flatMap(namesIn).filter((name) => !declared().has(name));
    expect(unknown).toEqual([]);
    expect(new Set(dashboard.panels.map(({ id }: { id: number }) => id)).size).toBe(dashboard.panels.length);
  });
});

describe('files for containers and services', () => {
  const read = (file: string) => readFile(path.join(root, file), 'utf8');
  /** Settings that other parts of the program may not have yet are not checked: SIP has its own tests. */
  const isSetting = (name: string) =>
    /_SIP_/.test(name) || settings.some(({ variable }) => variable === name || `${variable}_FILE` === name);

  it('compose.yaml mounts what is there, has every secret, and sets only settings that exist', async () => {
    const compose = parse(await read('compose.yaml'));
    const { trunkline, ...others } = compose.services;
    expect(Object.keys(others)).toEqual(['postgres', 'prometheus', 'grafana']);
    expect(Object.keys(trunkline.environment).filter((name) => !isSetting(name))).toEqual([]);
    expect([trunkline.read_only, trunkline.cap_drop]).toEqual([true, ['ALL']]);
    for (const { secrets = [], volumes = [] } of Object.values<{ secrets?: string[]; volumes?: string[] }>(
      compose.services,
    )) {
      expect(secrets.filter((name) => !(name in compose.secrets))).toEqual([]);
      const folders = volumes.map((volume) => volume.split(':')[0] ?? '').filter((from) => from.startsWith('./deploy'));
      for (const folder of folders) await expect(stat(path.join(root, folder))).resolves.toBeDefined();
    }
    const made = [...(await read('deploy/secrets.sh')).matchAll(/^make ([\w-]+) /gm)].map(([, name]) => name);
    expect(made.sort()).toEqual(Object.keys(compose.secrets).sort());
  });

  it('compose.edge.yaml gives Kamailio a configuration that it takes, with the workers that it starts', async () => {
    const overlay = parse((await read('deploy/compose.edge.yaml')).replaceAll(/\$\{SIP_ADDRESS[^}]*\}/g, '127.0.0.1'), {
      merge: true,
    });
    const voices = ['voice-1', 'voice-2'].map((name) => overlay.services[name]);
    for (const { environment } of voices) {
      expect(Object.keys(environment).filter((name) => !isSetting(name))).toEqual([]);
    }
    const listening = voices.map(
      ({ environment }) => `${environment.TRUNKLINE_SIP_HOST}:${environment.TRUNKLINE_SIP_PORT}`,
    );
    const { command } = overlay.services['edge-config'];
    const workers = command.filter((word: string) => word.startsWith('--worker=')).map((word: string) => word.slice(9));
    expect(workers).toEqual(listening);
    const ports = voices.map(({ environment }) => environment.TRUNKLINE_PORT);
    expect(new Set(ports).size).toBe(2);
    // `edge config` as the service runs it, but into a folder of this test; Kamailio reads what it wrote.
    const words = command.filter((word: string) => !word.startsWith('--output='));
    const { stdout } = await run(process.execPath, ['bin/trunkline.cjs', ...words, '--check', '--json'], { cwd: root });
    expect(stdout).toContain('127.0.0.1:5072');
    const control = overlay.services.rtpengine.command.find((word: string) => word.startsWith('--listen-ng='));
    const media = voices.map(({ environment }) => environment.TRUNKLINE_MEDIA);
    expect(new Set(media)).toEqual(new Set([`rtpengine:${control.slice('--listen-ng='.length)}`]));
  });

  it('what is told to stop has as long as its calls may take, and the 20 s of a stop', async () => {
    const { environment, stop_grace_period: grace } = parse(
      (await read('deploy/compose.edge.yaml')).replaceAll(/\$\{SIP_ADDRESS[^}]*\}/g, '127.0.0.1'),
      { merge: true },
    ).services['voice-2'];
    expect(Number.parseInt(grace, 10)).toBe(Number(environment.TRUNKLINE_DRAIN_SECONDS) + 30);
    for (const unit of ['trunkline.service', 'trunkline@.service']) {
      const content = await read(`deploy/systemd/${unit}`);
      const [, room] = /TRUNKLINE_DRAIN_SECONDS: room for (\d+)/.exec(content) ?? [];
      expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(content)?.[1])).toBe(Number(room) + 30);
    }
    const { voice, api } = parse(await read('deploy/helm/trunkline/values.yaml'));
    expect([voice.drainSeconds, api.drainSeconds]).toEqual([900, undefined]);
    const pods = await read('deploy/helm/trunkline/templates/deployments.yaml');
    expect(pods).toContain('terminationGracePeriodSeconds: {{ add 30 ($process.drainSeconds | default 0) }}');
    expect(pods).toContain('{ name: TRUNKLINE_DRAIN_SECONDS, value: {{ $process.drainSeconds | quote }} }');
  });

  it('compose.calls.yaml opens the ports that its settings name', async () => {
    const { environment, ports } = parse(
      (await read('deploy/compose.calls.yaml')).replaceAll(/\$\{SIP_ADDRESS[^}]*\}/g, '192.0.2.1'),
    ).services.trunkline;
    expect(Object.keys(environment).filter((name) => !isSetting(name))).toEqual([]);
    const media = environment.TRUNKLINE_MEDIA_PORTS;
    expect(ports).toEqual(['5060:5060/udp', '5060:5060/tcp', `${media}:${media}/udp`]);
  });

  it('pin-images.sh writes every image that others make into .env by digest, and compose and the Dockerfiles take them from there', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-images-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await Promise.all(['deploy', 'bin'].map((name) => mkdir(path.join(folder, name))));
    await cp(path.join(root, 'deploy/pin-images.sh'), path.join(folder, 'deploy/pin-images.sh'));
    const answer = (text: string) =>
      writeFile(path.join(folder, 'bin/docker'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}/bin:${process.env.PATH}` };
    const pin = () => run('sh', [path.join(folder, 'deploy/pin-images.sh')], { env });
    await answer('echo "sha256:$(printf "%s" "$5" | sha256sum | cut -c1-64)"');
    await writeFile(path.join(folder, '.env'), 'SIP_ADDRESS=203.0.113.10\nPOSTGRES_IMAGE=postgres:17\n');
    await pin();
    const lines = (await readFile(path.join(folder, '.env'), 'utf8')).trim().split('\n');
    expect(lines.filter((line) => !line.includes('@sha256:'))).toEqual(['SIP_ADDRESS=203.0.113.10']);
    const pinned = new Map(lines.slice(1).map((line) => line.split(/[=@]/).slice(0, 2) as [string, string]));

    const files = await Promise.all(
      ['compose.yaml', 'deploy/compose.edge.yaml', 'Dockerfile', 'deploy/edge/Dockerfile'].map(read),
    );
    const foreign = files.flatMap((content) => [
      ...content.matchAll(/\$\{(\w+_IMAGE):-([^}]+)\}/g),
      ...content.matchAll(/^ARG (\w+_IMAGE)=(\S+)$/gm),
    ]);
    expect(new Set(foreign.map(([, name]) => name))).toEqual(new Set(pinned.keys()));
    for (const [, name = '', image] of foreign) expect([name, image]).toEqual([name, pinned.get(name)]);
    const named = files.flatMap((content) => [...content.matchAll(/^ +image: (\S+)$|^FROM (?:--\S+ )?(\S+)/gm)]);
    const own = ['trunkline', 'trunkline-edge', 'build', 'base'];
    const fixed = named.map(([, image, base]) => image ?? base ?? '').filter((image) => !own.includes(image));
    expect(fixed.filter((image) => !/^\$\{?\w+_IMAGE/.test(image))).toEqual([]);

    await answer('echo unknown');
    await expect(pin()).rejects.toThrow('The registry names no digest for node:24-bookworm-slim: unknown');
  });

  it('both units are confined in the same way', async () => {
    const confinement = async (unit: string) =>
      (await read(`deploy/systemd/${unit}`))
        .split('\n')
        .filter((line) =>
          /^(Capability|Ambient|NoNew|Protect|Private|Remove|Restrict|Lock|SystemCall|UMask)/.test(line),
        )
        .filter((line) => !line.startsWith('Restart'));
    const [one, several] = [await confinement('trunkline.service'), await confinement('trunkline@.service')];
    expect(several).toEqual(one);
    expect(one).toEqual(
      expect.arrayContaining([
        ...['CapabilityBoundingSet=', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'ProtectKernelLogs=yes'],
        ...['ProtectClock=yes', 'ProtectHostname=yes', 'RestrictRealtime=yes', 'RestrictSUIDSGID=yes'],
      ]),
    );
  });

  it('the chart shuts its pods off from what is inside the cluster, and takes an image by digest', async () => {
    const policy = await read('deploy/helm/trunkline/templates/network-policy.yaml');
    const blocks = [...policy.matchAll(/^ +except: (\[.*\])$/gm)].flatMap(([, list = '[]']) => parse(list));
    expect(blocks).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '192.168.0.0/16', 'fc00::/7']));
    expect(policy).toMatch(/policyTypes: \[Ingress, Egress\]/);
    const { networkPolicy, image } = parse(await read('deploy/helm/trunkline/values.yaml'));
    expect(networkPolicy).toMatchObject({
      enabled: true,
      from: [],
      inside: [{ ports: [{ port: 5432 }, { port: 6432 }] }],
    });
    expect(image.digest).toBe('');
    expect(await read('deploy/helm/trunkline/templates/_helpers.tpl')).toContain(
      '{{ .Values.image.repository }}@{{ .Values.image.digest }}',
    );
  });

  it('systemd takes the units, and they set only settings that exist', async () => {
    const units = globSync('deploy/systemd/*.service', { cwd: root });
    expect(units.length).toBe(2);
    const { stderr } = await run('systemd-analyze', ['verify', ...units], { cwd: root });
    expect(stderr).toBe('');
    for (const unit of units) {
      const names = [...(await read(unit)).matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name);
      expect(names.filter((name) => !isSetting(name))).toEqual([]);
    }
  });

  it('the Helm chart names only values that it has, and settings that exist', async () => {
    const chart = 'deploy/helm/trunkline';
    const values = parse(await read(`${chart}/values.yaml`));
    expect(parse(await read(`${chart}/Chart.yaml`))).toMatchObject({ apiVersion: 'v2', name: 'trunkline' });
    expect(Object.keys(values.settings).filter((name) => !isSetting(name))).toEqual([]);
    const templates = globSync(`${chart}/templates/*.yaml`, { cwd: root });
    expect(templates.length).toBeGreaterThan(4);
    for (const template of templates) {
      const content = await read(template);
      for (const [, name = ''] of content.matchAll(/\.Values\.([\w.]+)/g)) {
        const value = name.split('.').reduce((part, word) => part?.[word], values);
        expect([template, name, value !== undefined]).toEqual([template, name, true]);
      }
      // Without its template expressions each file is YAML; helm itself renders them.
      const plain = content.replace(/^\s*\{\{.*\}\}\s*$\n/gm, '').replace(/\{\{[^}]*\}\}/g, 'x');
      for (const document of parseAllDocuments(plain)) {
        expect([template, document.errors]).toEqual([template, []]);
        expect(document.toJS()).toMatchObject({
          apiVersion: expect.any(String),
          metadata: { name: expect.any(String) },
        });
      }
    }
  });
});
