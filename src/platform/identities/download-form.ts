/** The blank forms, for everyone who knows their address. */
import type { FastifyInstance } from 'fastify';
import type { Environment } from '../../environment.ts';
import { isStorable } from '../../incoming-json.ts';
import { blankForm } from './blank-forms.ts';

export const FORM_PATH = '/storage/public/';

export function registerForms(app: FastifyInstance, env: Environment): void {
  app.get<{ Params: { key: string } }>(`${FORM_PATH}:key`, async (request, reply) => {
    const { key } = request.params;
    const form = isStorable(key) ? await findForm(env, key) : undefined;
    if (!form) return reply.code(404).send({ error: 'Not found' });
    const fileName = form.name.replace(/[^A-Za-z0-9]+/g, '-').toLowerCase();
    return reply
      .header('content-type', 'application/pdf')
      .header('content-disposition', `inline; filename="${fileName}.pdf"`)
      .header('cache-control', 'public, max-age=3600')
      .header('x-content-type-options', 'nosniff')
      .send(blankForm(form.name, form.form_lines));
  });
}

const findForm = (env: Environment, key: string) =>
  env.db
    .selectFrom('supporting_document_templates')
    .select(['name', 'form_lines'])
    .where('storage_key', '=', key)
    .executeTakeFirst();
