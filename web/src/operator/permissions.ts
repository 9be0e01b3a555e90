/** What the buttons of a role are. The server decides; this only hides what it would refuse. */
import type { OperatorRole, Session } from '../api/queries.ts';

const acts = {
  'open accounts': ['owner', 'support'],
  'suspend accounts': ['owner', 'support'],
  'change accounts': ['owner', 'support', 'finance'],
  'move money': ['owner', 'finance'],
  review: ['owner', 'reviewer'],
  'export personal data': ['owner', 'support'],
  erase: ['owner'],
  'run the stock': ['owner', 'support'],
  'run operations': ['owner', 'support'],
  'run the network': ['owner'],
  'test providers': ['owner', 'support'],
  'decide on prefixes': ['owner', 'support'],
  'set guards': ['owner'],
  'name callers': ['owner', 'support'],
  'write notes': ['owner', 'support', 'finance', 'reviewer'],
  'remove notes': ['owner', 'support'],
  'see margins': ['owner', 'finance'],
} as const satisfies Readonly<Record<string, readonly OperatorRole[]>>;

export type OperatorAct = keyof typeof acts;

export function mayDo(session: Session | null | undefined, act: OperatorAct): boolean {
  const roles: readonly OperatorRole[] = acts[act];
  return session?.operator != null && roles.includes(session.operator.role);
}
