/** `lookup TYPE`: every look-up of the operator's interface, with the same filters, at the command line. */

import { OperatorError } from '../../base/operator-error.ts';
import { lookUp } from '../../interfaces/operator/read-records.ts';
import { defineCommand } from './command.ts';
import { environmentOptions, withEnvironment } from './open-environment.ts';
import { printRecords } from './records.ts';

export const lookupCommand = defineCommand({
  name: 'lookup',
  summary: 'List records of a type of /operator/v1, such as numbers, orders, verifications, stock or carriers.',
  positionals: ['TYPE'],
  options: {
    ...environmentOptions,
    filter: { type: 'string', value: 'NAME=VALUE', multiple: true, summary: 'as in /operator/docs: number=442*' },
    sort: { type: 'string', value: 'KEY', summary: '-KEY is the other way round' },
    size: { type: 'string', value: 'N', summary: 'records of a page (50)' },
    page: { type: 'string', value: 'N', summary: 'which page (1)' },
    json: { type: 'boolean', summary: 'print JSON' },
  },
  run: ({ values, positionals: [type = ''], out }) => {
    const query: [string, string][] = (values.filter ?? []).map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new OperatorError(`"${pair}" is not NAME=VALUE of a filter.`);
      return [`filter[${pair.slice(0, at)}]`, pair.slice(at + 1)];
    });
    if (values.sort !== undefined) query.push(['sort', values.sort]);
    if (values.size !== undefined) query.push(['page[size]', values.size]);
    if (values.page !== undefined) query.push(['page[number]', values.page]);
    return withEnvironment(values, async (env) => {
      const found = await lookUp(env, type, query);
      if (values.json) return out(JSON.stringify(found));
      printRecords(found, out);
    });
  },
});
