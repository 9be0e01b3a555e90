/** The real queue, which also remembers what was asked of it. */
import type { JobOptions, JobPayload, Jobs } from '../../src/jobs/jobs.ts';

export class RecordingJobs implements Jobs {
  readonly added: { task: string; payload: JobPayload; options: JobOptions }[] = [];
  readonly #queue: Jobs;

  constructor(queue: Jobs) {
    this.#queue = queue;
  }

  async add(...[trx, task, payload, options = {}]: Parameters<Jobs['add']>): Promise<void> {
    await this.#queue.add(trx, task, payload, options);
    this.added.push({ task, payload, options });
  }
}
