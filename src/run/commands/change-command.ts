/** Declares a command that changes something: the change and its entry in the audit log are one transaction. */

import { OperatorError } from '../../base/operator-error.ts';
import type { AuditAction } from '../../business/audit.ts';
import type { Environment } from '../../engines/environment.ts';
import { act, atCommandLine, type Done } from '../../interfaces/operator/act.ts';
import type { Command, Declaration, Input, Options, Values } from './command.ts';
import { environmentCommand } from './open-environment.ts';

/** What the entry says about the change. */
type Changed = Pick<Done<void>, 'subject' | 'before' | 'after'> & { accountId?: string | null };

type ChangeDeclaration<O extends Options> = Omit<Declaration<O>, 'run'> & {
  action: AuditAction;
  /** `env.db` is the transaction; nothing else of the database may be used. Lines are printed after the commit. */
  run(input: Input<O> & { env: Environment }): Promise<Changed>;
};

export const reasonOption = {
  reason: { type: 'string', value: 'TEXT', summary: 'why; kept in the audit log' },
} as const;

/** For a command whose reason is not left out. */
export function requireReason({ reason = '' }: Values<typeof reasonOption>): string {
  if (reason.trim() === '') throw new OperatorError('--reason is missing.');
  return reason;
}

export function changeCommand<const O extends Options>(declaration: ChangeDeclaration<O>): Command {
  const { action, run, options, ...rest } = declaration;
  const command = environmentCommand<Options>({
    ...rest,
    options: { ...reasonOption, ...options },
    run: async ({ env, out, values, ...input }) => {
      let lines: string[] = [];
      const { reason } = values as Values<typeof reasonOption>;
      await act(atCommandLine(env, reason), async (inside) => {
        lines = [];
        const print = (line: string) => lines.push(line);
        const { accountId = null, ...changed } = await run({
          ...input,
          values: values as Values<O>,
          env: inside,
          out: print,
        });
        return { result: undefined, action, accountId, ...changed };
      });
      for (const line of lines) out(line);
    },
  });
  return { ...command, audits: action };
}
