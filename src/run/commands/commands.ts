/**
 * Every command of the command line, by the file that declares it. A file is loaded when one of its commands runs; what
 * the help and the completion say of all of them stands in `index.json`, which `npm run commands` writes from the
 * declarations.
 */
import type { Command, CommandSummary } from './command.ts';
import written from './index.json' with { type: 'json' };

export interface IndexedCommand extends CommandSummary {
  /** The file that declares it, without its ending. */
  readonly file: string;
}

/** In the order of the help text. */
export const index: readonly IndexedCommand[] = written as IndexedCommand[];

const files: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  serve: async () => [(await import('./serve.ts')).serveCommand],
  migrate: async () => (await import('./migrate.ts')).databaseCommands,
  'server-key': async () => (await import('./server-key.ts')).serverKeyCommands,
  account: async () => (await import('./account.ts')).accountCommands,
  'account-states': async () => (await import('./account-states.ts')).accountStateCommands,
  'account-billing': async () => (await import('./account-billing.ts')).accountBillingCommands,
  ledger: async () => (await import('./ledger.ts')).ledgerCommands,
  statements: async () => (await import('./statements.ts')).statementsCommands,
  prices: async () => (await import('./prices.ts')).pricesCommands,
  operator: async () => (await import('./operator.ts')).operatorCommands,
  login: async () => (await import('./login.ts')).loginCommands,
  audit: async () => (await import('./audit.ts')).auditCommands,
  lookup: async () => [(await import('./lookup.ts')).lookupCommand],
  keys: async () => (await import('./keys.ts')).keysCommands,
  deliveries: async () => (await import('./deliveries.ts')).deliveriesCommands,
  jobs: async () => (await import('./jobs.ts')).jobsCommands,
  catalogue: async () => (await import('./catalogue.ts')).catalogueCommands,
  stock: async () => (await import('./stock.ts')).stockCommands,
  otp: async () => (await import('./otp.ts')).otpCommands,
  'otp-delivery': async () => (await import('./otp-delivery.ts')).otpDeliveryCommands,
  'otp-guards': async () => (await import('./otp-guards.ts')).otpGuardsCommands,
  'otp-conversion': async () => (await import('./otp-conversion.ts')).otpConversionCommands,
  'otp-calls': async () => (await import('./otp-calls.ts')).otpCallsCommands,
  clock: async () => (await import('./clock.ts')).clockCommands,
  listen: async () => (await import('./listen.ts')).listenCommands,
  world: async () => (await import('./world.ts')).worldCommands,
  snapshot: async () => (await import('./snapshot.ts')).snapshotCommands,
  seed: async () => (await import('./seed.ts')).seedCommands,
  call: async () => (await import('./call.ts')).callCommands,
  'call-trace': async () => (await import('./call-trace.ts')).callTraceCommands,
  'call-events': async () => (await import('./call-events.ts')).callEventsCommands,
  phone: async () => [(await import('./phone.ts')).phoneCommand],
  names: async () => (await import('./names.ts')).namesCommands,
  risks: async () => (await import('./risks.ts')).riskCommands,
  voice: async () => (await import('./voice.ts')).voiceCommands,
  carrier: async () => (await import('./carrier.ts')).carrierCommands,
  'signing-certificate': async () => (await import('./signing-certificate.ts')).signingCertificateCommands,
  supplier: async () => (await import('./supplier.ts')).supplierCommands,
  'peer-tests': async () => (await import('./peer-tests.ts')).peerTestCommands,
  'sip-switches': async () => (await import('./sip-switches.ts')).sipSwitchCommands,
  'peer-health': async () => (await import('./peer-health.ts')).peerHealthCommands,
  route: async () => (await import('./route.ts')).routeCommands,
  edge: async () => (await import('./edge.ts')).edgeCommands,
  requirements: async () => (await import('./requirements.ts')).requirementsCommands,
  review: async () => (await import('./review.ts')).reviewCommands,
  completion: async () => [(await import('./completion.ts')).completionCommand(index)],
};

/** The command of that name, with everything that it needs loaded. */
export async function loadCommand({ name, file }: Pick<IndexedCommand, 'name' | 'file'>): Promise<Command> {
  const found = (await files[file]?.())?.find((command) => command.name === name);
  if (found === undefined)
    throw new Error(`${file}.ts declares no command '${name}': npm run commands writes the index`);
  return found;
}

/** Every declaration, for what must not trust the index. */
export async function loadCommands(): Promise<(Command & { file: string })[]> {
  const all = [];
  for (const [file, load] of Object.entries(files)) {
    for (const command of await load()) all.push({ ...command, file });
  }
  return all;
}
