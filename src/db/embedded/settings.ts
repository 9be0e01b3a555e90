/** How the embedded server is tuned: modest memory, two databases of an interactive service on one machine. */
export function serverSettings(durable: boolean): Record<string, string> {
  return {
    max_connections: durable ? '120' : '300',
    shared_buffers: '256MB',
    effective_cache_size: '1GB',
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    random_page_cost: '1.1',
    jit: 'off',
    // Parallel queries need /dev/shm, which containers keep small; no query here gains from them.
    max_parallel_workers_per_gather: '0',
    // No replica hangs on an embedded server, so the log carries only what a crash needs.
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '1GB',
    checkpoint_timeout: '15min',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    log_line_prefix: '%m [%p] ',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }),
  };
}
