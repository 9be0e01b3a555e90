/** What is locked, in one place: the numbers of the advisory locks, and the order in which rows are locked. */

/** No two mean different things. Held says when; docs/schema.md shows this table. */
export const advisoryLocks = {
  embeddedUsers: {
    number: 7421001,
    purpose: 'shared, by everyone who uses the embedded server (maintenance database)',
  },
  embeddedServing: { number: 7421002, purpose: 'by the one Trunkline that serves from a data folder (beside it)' },
  migrations: { number: 7421010, purpose: 'while a database is brought to the schema of the program' },
  bootstrap: { number: 7421012, purpose: 'while a bootstrap file is applied' },
  advance: { number: 7421020, purpose: "by the process that advances the sandbox's clock, for as long as it does" },
  workerAlive: { number: 7421021, purpose: 'first of two numbers, the second stands for a worker that is alive' },
  // 7421031 to 7421034 are taken by voice_channels_in_use: number, capacity group, trunk group, trunk.
  worlds: { number: 7421050, purpose: 'while a world is given to an account, so that its limits hold' },
  eventLane: {
    number: 7421041,
    purpose: "first of two numbers, the second stands for one account's stream of call events that a process delivers",
  },
} as const;

export const locks = Object.fromEntries(Object.entries(advisoryLocks).map(([name, { number }]) => [name, number])) as {
  readonly [K in keyof typeof advisoryLocks]: number;
};

/**
 * A transaction that locks rows of several tables takes them in this order, and rows of one table by their ids. A
 * deadlock is repeated by inTransaction, but the order keeps it rare.
 */
export const rowLockOrder: readonly { rows: string; why: string }[] = [
  {
    rows: 'advisory locks of the transaction (reservations, idempotency keys, imports)',
    why: 'they decide whether the rest is done at all',
  },
  { rows: '`identities`, `addresses`', why: 'paperwork is held while a submission refers to it' },
  {
    rows: '`address_verifications`, `emergency_verifications`',
    why: 'a decision locks the submission, then what follows from it',
  },
  { rows: '`emergency_calling_services`', why: 'before the numbers they cover' },
  { rows: '`orders`', why: 'before the numbers they handed over, whose money a pending order still holds' },
  { rows: '`shared_capacity_groups`, `voice_in_trunk_groups`', why: 'before their members' },
  { rows: '`dids`, `voice_in_trunks`, `voice_out_trunks`', why: 'the things that customers change' },
  { rows: '`stock_blocks` by base, `available_dids`', why: 'numbers leave and enter the stock in one direction' },
  { rows: '`capacity_pools`', why: 'triggers on numbers and groups count assigned channels here' },
  { rows: '`accounts`', why: 'last of all, since everything else that the account pays waits for it' },
];
