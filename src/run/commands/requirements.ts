/** `requirements load`, `requirements rate`. */

import { text } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import { loadRequirements } from '../../business/catalogue/requirements/load-requirements.ts';
import { readRules, shippedRules } from '../../business/catalogue/requirements/rule-files.ts';
import { setRate } from '../../interfaces/platform/emergency/rates.ts';
import { changeCommand } from './change-command.ts';
import { argument } from './command.ts';

export const requirementsCommands = [
  changeCommand({
    action: 'requirements.loaded',
    name: 'requirements load',
    summary: 'Load what countries ask for before numbers may be used, and what emergency calling costs.',
    options: {
      from: {
        type: 'string',
        value: 'FOLDER',
        summary: 'your own rules; those that come with Trunkline when left out',
      },
    },
    notes: 'docs/regulation.md describes the files. Loading again brings changed files in.',
    run: async ({ env, values, out }) => {
      const rules = values.from === undefined ? shippedRules() : readRules(values.from);
      const loaded = await loadRequirements(env.db, rules);
      out(`Loaded ${loaded.address} address and ${loaded.emergency} emergency requirements.`);
      const after = { address: loaded.address, emergency: loaded.emergency };
      return { subject: { type: 'requirements', id: values.from === undefined ? 'shipped' : 'own' }, after };
    },
  }),
  changeCommand({
    action: 'emergency_rate.changed',
    name: 'requirements rate',
    summary: 'Set what emergency calling costs one account a month and number.',
    positionals: ['ACCOUNT', 'COUNTRY', 'TYPE', 'PRICE|off|usual'],
    notes:
      'COUNTRY is an ISO code, TYPE a number type such as Local. "off": not sold to it; "usual": what everybody pays.',
    run: async ({ env, positionals: [name = '', iso = '', type = '', price = ''], out }) => {
      const account = await requireAccount(env, name);
      argument('PRICE', price, priceField);
      const requirement = await env.db
        .selectFrom('emergency_requirements as r')
        .innerJoin('countries as c', 'c.id', 'r.country_id')
        .innerJoin('did_group_types as t', 't.id', 'r.did_group_type_id')
        .select('r.id')
        .where('c.iso', '=', iso.toUpperCase())
        .where('t.name', '=', type)
        .executeTakeFirst();
      if (!requirement) throw new OperatorError(`There is no emergency requirement for ${iso} ${type}.`);
      await setRate(env, account.id, requirement.id, price === 'off' ? null : price);
      out(`${account.name}: ${iso.toUpperCase()} ${type} ${price}`);
      const subject = { type: 'emergency_requirements', id: requirement.id };
      return { accountId: account.id, subject, after: { price } };
    },
  }),
];

const priceField = text(/^(off|usual|\d{1,6}(\.\d{1,4})?)$/, 'a price such as 1.50, "off" or "usual"');
