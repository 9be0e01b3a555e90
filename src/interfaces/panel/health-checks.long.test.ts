/** The health page of operators: its checks read the metrics that a server really has, and say what to do. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { type Check, checksOf, parseMetrics } from '../../../web/src/operator/metrics.ts';

const server = useOpened(() => startTestServer({ server: { watched: { folders: { data: '.' } } } }));
const now = Date.parse('2026-06-15T12:00:00Z');

const stateOf = (checks: readonly Check[], alert: string) => checks.find((check) => check.alert === alert)?.state;

test('every check finds its metric on a real server', async () => {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const checks = checksOf(parseMetrics(text), now);
  expect(checks.length).toBeGreaterThan(10);
  // Nobody has proven the books of this server yet.
  expect(checks.filter(({ state }) => state === 'unknown').map(({ alert }) => alert)).toEqual(['TrunklineLedgerOff']);
  expect(stateOf(checks, 'TrunklineNoWorker')).toBe('bad');
});

test.each([
  ['trunkline_worker_pools 0', 'TrunklineNoWorker', 'bad'],
  ['trunkline_worker_pools{environment="sandbox"} 2', 'TrunklineNoWorker', 'good'],
  ['trunkline_jobs_backlog_seconds{task="a",state="due"} 31', 'TrunklineJobsLate', 'watch'],
  ['trunkline_jobs_backlog_seconds{task="a",state="due"} 301', 'TrunklineJobsLate', 'bad'],
  ['trunkline_jobs_backlog{task="a",state="failed"} 1', 'TrunklineJobsGaveUp', 'bad'],
  ['trunkline_verification_provider_set_aside{provider="a \\"b\\""} 1', 'TrunklineProviderDown', 'bad'],
  ['trunkline_ledger_checks_failed 1', 'TrunklineLedgerOff', 'bad'],
  ['trunkline_ledger_checks_failed NaN', 'TrunklineLedgerOff', 'unknown'],
  ['trunkline_disk_free_bytes{folder="d"} 4\ntrunkline_disk_size_bytes{folder="d"} 100', 'TrunklineDiskFilling', 'bad'],
  [
    'trunkline_disk_free_bytes{folder="d"} 14\ntrunkline_disk_size_bytes{folder="d"} 100',
    'TrunklineDiskFilling',
    'watch',
  ],
  [
    `trunkline_certificate_expiry_timestamp_seconds{certificate="c"} ${now / 1000 + 86_400}`,
    'TrunklineCertificateEnds',
    'bad',
  ],
  [
    `trunkline_certificate_expiry_timestamp_seconds{certificate="c"} ${now / 1000 + 864_000}`,
    'TrunklineCertificateEnds',
    'watch',
  ],
  ['trunkline_faults_total{kind="x"} 1', 'TrunklineFault', 'bad'],
])('%s: %s is %s', (text, alert, state) => {
  expect(stateOf(checksOf(parseMetrics(text), now), alert)).toBe(state);
});
