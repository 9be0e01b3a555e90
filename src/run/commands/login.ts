/** `login link`: for a person who cannot sign in to the panel any more. */

import { OperatorError } from '../../base/operator-error.ts';
import { findPeople } from '../../business/accounts/people.ts';
import { linkPath, loginOf, makeLink } from '../../interfaces/panel/logins.ts';
import { removeTotp } from '../../interfaces/panel/second-factor.ts';
import { changeCommand } from './change-command.ts';

export const loginCommands = [
  changeCommand({
    name: 'login link',
    summary: 'Make a link by which a person sets a new password of the panel; it works once, for a day.',
    action: 'login.link_made',
    positionals: ['EMAIL'],
    options: {
      'without-app': { type: 'boolean', summary: 'also forget the app for codes, for who has lost the phone' },
      operator: { type: 'boolean', summary: 'the operator with this address, if a customer has it too' },
      json: { type: 'boolean', summary: 'print JSON' },
    },
    run: async ({ env, values, positionals: [email = ''], out }) => {
      const people = await findPeople(env, email);
      const person = values.operator ? people.find(({ kind }) => kind === 'operator') : people[0];
      if (person === undefined) throw new OperatorError(`Nobody in ${env.name} signs in as ${email}.`);
      const link = `${env.publicUrl ?? ''}${linkPath(await makeLink(env, person, 'reset'))}`;
      if (values['without-app']) await removeTotp(env, (await loginOf(env, person)).id);
      out(values.json ? JSON.stringify({ link }) : link);
      return {
        accountId: person.accountId,
        subject: { type: 'logins', id: person.id },
        after: { for: person.id, ...(values['without-app'] ? { app: 'forgotten' } : {}) },
      };
    },
  }),
];
