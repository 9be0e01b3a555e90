/** What must hold whatever happens: looked at again and again, and more strictly whenever the faults have paused. */
import { ledgerChecks } from '../../src/business/money/ledger-checks.ts';
import type { Observer } from './observer.ts';

/** A promise that was broken. */
export class Fault extends Error {
  readonly promise: string;

  constructor(promise: string, details: unknown) {
    super(typeof details === 'string' ? details : JSON.stringify(details).slice(0, 2_000));
    this.promise = promise;
  }
}

interface Check {
  readonly name: string;
  readonly sql: string;
}

/** At any moment. */
const always: readonly Check[] = [
  ...ledgerChecks,
  {
    name: 'a number is in at most one of available and owned',
    sql: 'select number from available_dids join dids using (number)',
  },
  {
    name: 'a number is owned once',
    sql: 'select number from dids group by number having count(*) > 1',
  },
  {
    name: 'a number is reserved once, and only while it is available',
    sql: `select r.number from did_reservations r left join available_dids a on a.id = r.available_did_id
          where a.id is null union all
          select number from did_reservations group by number having count(*) > 1`,
  },
  {
    name: 'no balance is below what the account may owe',
    sql: `select a.name, a.balance, a.credit from accounts a where a.balance < -a.credit
          and not exists (select from cdrs_in c where c.account_id = a.id)`,
  },
  {
    name: 'nobody has more reservations than are allowed',
    sql: `select account_id, count(*) from did_reservations where expires_at > environment_time.now()
          group by 1 having count(*) > 10`,
  },
  {
    name: 'one request makes one order',
    sql: `select external_reference_id, count(*) from orders where external_reference_id like 'once %'
          group by 1 having count(*) > 1`,
  },
  {
    name: 'a call ends once',
    sql: `select call_id from cdrs_in where is_last group by 1 having count(*) > 1`,
  },
  {
    name: 'a call that is up has no CDR',
    sql: 'select o.id from open_calls o join cdrs_in c on c.call_id = o.id where c.is_last',
  },
  {
    name: 'every month of a number is charged once',
    sql: `select reference, occasion, count(*) from ledger_transactions where cause = 'renewal' and occasion <> ''
          group by 1, 2 having count(*) > 1`,
  },
  {
    name: 'a callback that is sent has not been given up',
    sql: `select id from deliveries where status = 'pending' and attempts > 10`,
  },
];

/** Another with its key was added while it ran, and its process was killed: it stays, and is never run again. */
const isReplaced = 'attempts >= max_attempts and last_error is null and locked_by is null';

/** When nothing has gone wrong for a while, and nothing is due any more. */
const atRest: readonly Check[] = [
  {
    name: 'no job is left behind',
    sql: `select id, task, attempts, last_error, locked_by is not null as taken from jobs
          where run_at < environment_time.now() - interval '5 seconds' and not (${isReplaced})`,
  },
  {
    name: 'every order that could be completed is completed',
    sql: `select o.id, o.reference from orders o where o.status = 'pending'
          and not exists (select from order_items i where i.order_id = o.id and i.missing > 0)`,
  },
  {
    name: 'an order waits only while there is no number for it',
    sql: `select o.id, i.missing from orders o join order_items i on i.order_id = o.id
          where o.status = 'pending' and i.missing > 0 and exists (
            select from available_dids a where a.did_group_id = i.did_group_id and a.number <> all (i.declined)
            and not exists (select from did_reservations r where r.available_did_id = a.id))`,
  },
  {
    name: 'no number is past its date',
    sql: `select number, due_at from dids where due_at < environment_time.now() - interval '5 seconds'`,
  },
];

export class Invariants {
  readonly #observer: Observer;
  readonly #stocked: number;

  constructor(observer: Observer, stocked: number) {
    this.#observer = observer;
    this.#stocked = stocked;
  }

  async checkAlways(): Promise<void> {
    await this.#check(always);
    const [row] = await this.#observer.rows<{ all: number }>(
      'select ((select count(*) from available_dids) + (select count(*) from dids))::int as all',
    );
    if (row?.all !== this.#stocked) throw new Fault('no number appears or disappears', row);
  }

  async checkAtRest(): Promise<void> {
    await this.checkAlways();
    await this.#check(atRest);
  }

  async #check(checks: readonly Check[]): Promise<void> {
    for (const { name, sql } of checks) {
      const offences = await this.#observer.rows(`select * from (${sql}) offences limit 5`);
      if (offences.length > 0) throw new Fault(name, offences);
    }
  }
}
