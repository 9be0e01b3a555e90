/** Reads the metrics of the server, in the text format of Prometheus. */
export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

export function parseMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const match = /^([a-z_:][\w:]*)(?:\{(.*)\})? (\S+)/i.exec(line);
    if (match === null) return [];
    const [, name = '', labels = '', value = ''] = match;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', content = '']) => [
      label,
      content.replaceAll(/\\(.)/g, '$1'),
    ]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

export interface Check {
  /** As docs/alerts.md and the rules for Prometheus name it. */
  alert: string;
  what: string;
  /** What was measured; null if nothing is known. */
  found: string | null;
  state: 'good' | 'watch' | 'bad' | 'unknown';
  todo: string;
}

const hours = (seconds: number): string =>
  seconds < 120
    ? `${Math.round(seconds)} s`
    : seconds < 7_200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3_600)} h`;

/** The alerts that one look can answer, with the thresholds of docs/alerts.md; those about a time need Prometheus. */
export function checksOf(samples: readonly Sample[], now: number): Check[] {
  const of = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    samples.filter(
      (sample) =>
        sample.name === `trunkline_${name}` &&
        !Number.isNaN(sample.value) &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  const most = (found: readonly Sample[]) => (found.length === 0 ? null : Math.max(...found.map(({ value }) => value)));
  const least = (found: readonly Sample[]) =>
    found.length === 0 ? null : Math.min(...found.map(({ value }) => value));
  const sum = (found: readonly Sample[]) => found.reduce((total, { value }) => total + value, 0);
  const none = (found: readonly Sample[], words: string): Pick<Check, 'found' | 'state'> => {
    const count = sum(found);
    return { found: count === 0 ? 'none' : `${count} ${words}`, state: count === 0 ? 'good' : 'bad' };
  };
  const pools = most(of('worker_pools'));
  const oldest = most(of('jobs_backlog_seconds', { state: 'due' }));
  const partitions = least(of('partitions_ahead'));
  const failedChecks = most(of('ledger_checks_failed'));
  const ends = least(of('certificate_expiry_timestamp_seconds'));
  const days = ends === null ? null : (ends - now / 1000) / 86_400;
  const aside = of('verification_provider_set_aside').filter(({ value }) => value > 0);
  const free = least(
    of('disk_free_bytes').map((sample) => ({
      ...sample,
      value: (100 * sample.value) / (most(of('disk_size_bytes', sample.labels)) ?? sample.value),
    })),
  );
  return [
    {
      alert: 'TrunklineNoWorker',
      what: 'Worker pools of all processes',
      found: pools === null ? null : String(pools),
      state: pools === null ? 'unknown' : pools > 0 ? 'good' : 'bad',
      todo: 'Start a process with the role worker: nobody sends codes, completes orders or renews.',
    },
    {
      alert: 'TrunklineJobsLate',
      what: 'Oldest job that is due',
      found: oldest === null ? 'none' : hours(oldest),
      state: oldest === null || oldest < 30 ? 'good' : oldest < 300 ? 'watch' : 'bad',
      todo: 'See the jobs: too few workers, or one task fails and is repeated.',
    },
    {
      alert: 'TrunklineJobsGaveUp',
      what: 'Jobs that gave up',
      ...none(of('jobs_backlog', { state: 'failed' }), 'jobs'),
      todo: 'Open the jobs that failed, mend the cause, then try them again.',
    },
    {
      alert: 'TrunklineProviderDown',
      what: 'Providers that are set aside',
      found: aside.length === 0 ? 'none' : aside.map(({ labels }) => labels.provider).join(', '),
      state: aside.length === 0 ? 'good' : 'bad',
      todo: 'Others are asked first. Call the provider, or add a route.',
    },
    {
      alert: 'TrunklineEventReceiverFailing',
      what: 'Receivers of call events that fail',
      ...none(of('call_event_receivers_failing'), 'receivers'),
      todo: 'Events are kept and sent again; tell the customer.',
    },
    {
      alert: 'TrunklineLedgerOff',
      what: 'Checks of the ledger that failed',
      found: failedChecks === null ? null : String(failedChecks),
      state: failedChecks === null ? 'unknown' : failedChecks === 0 ? 'good' : 'bad',
      todo: 'See the proofs of the books, and stop what charges until it is understood.',
    },
    {
      alert: 'TrunklineDiskFilling',
      what: 'Free on the fullest disk of this process',
      found: free === null ? null : `${Math.round(free)} %`,
      state: free === null ? 'unknown' : free < 5 ? 'bad' : free < 15 ? 'watch' : 'good',
      todo: 'PostgreSQL stops writing on a full disk: make room.',
    },
    {
      alert: 'TrunklineCertificateEnds',
      what: 'Certificate that ends first',
      found: days === null ? 'none is watched' : ends === 0 ? 'cannot be read' : `in ${Math.floor(days)} days`,
      state: days === null ? 'good' : days < 3 ? 'bad' : days < 14 ? 'watch' : 'good',
      todo: 'Renew it; processes take the new one at a restart.',
    },
    {
      alert: 'TrunklinePartitionsMissing',
      what: 'Months ahead that calls and events have room for',
      found: partitions === null ? null : String(partitions),
      state: partitions === null ? 'unknown' : partitions > 0 ? 'good' : 'bad',
      todo: 'A worker creates them daily: see whether one runs, and whether the role may create tables.',
    },
    {
      alert: 'TrunklineDatabaseBusy',
      what: 'Work that waits for a database connection',
      ...none(of('database_waiting'), 'waiting'),
      todo: 'Raise TRUNKLINE_DATABASE_CONNECTIONS or add processes if it stays like this.',
    },
    {
      alert: 'TrunklineFault',
      what: 'Errors that no code handled, since the start',
      ...none(of('faults_total'), 'errors'),
      todo: 'A fault of Trunkline: the log has its stack.',
    },
  ];
}
