/** `requirements load`. */
import { loadRequirements } from '../catalogue/requirements/load-requirements.ts';
import { readRules, shippedRules } from '../catalogue/requirements/rule-files.ts';
import { defineCommand } from './command.ts';
import { environmentOptions, withEnvironment } from './open-environment.ts';

export const requirementsLoadCommand = defineCommand({
  name: 'requirements load',
  summary: 'Load what countries ask for before numbers may be used, and what emergency calling costs.',
  options: {
    ...environmentOptions,
    from: { type: 'string', value: 'FOLDER', summary: 'your own rules; those that come with Trunkline when left out' },
  },
  notes: 'docs/regulation.md describes the files. Loading again brings changed files in.',
  run: ({ values, out }) => {
    const rules = values.from === undefined ? shippedRules() : readRules(values.from);
    return withEnvironment(values, async (env) => {
      const loaded = await env.db.transaction().execute((trx) => loadRequirements(trx, rules));
      out(`Loaded ${loaded.address} address and ${loaded.emergency} emergency requirements.`);
    });
  },
});
