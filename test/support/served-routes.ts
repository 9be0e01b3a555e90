/** Every route that a server has, as its routers tell it, so that a test of all routes cannot forget one. */
import type { FastifyInstance } from 'fastify';
import { declaredRoutes } from '../../src/engines/jsonapi/route-table.ts';

export interface ServedRoute {
  method: string;
  /** With `:name` for what stands for something else. */
  pattern: string;
  /** Of a declared type: the newest version that has it. */
  version?: string;
}

const line = /^(?<indent>(?:│ {3}| {4})*)[├└]── (?<part>\S*)(?: \((?<methods>[A-Z, ]+)\))?/;

export function servedRoutes(app: FastifyInstance): ServedRoute[] {
  const parts: string[] = [];
  const routes: ServedRoute[] = [];
  for (const text of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const { indent = '', part = '', methods = '' } = line.exec(text)?.groups ?? {};
    if (part === '') continue;
    const depth = indent.length / 4;
    parts.splice(depth, parts.length, part);
    const pattern = parts.join('');
    for (const method of methods.split(', ')) if (method !== '') routes.push({ method, pattern });
  }
  return [...routes, ...declaredRoutes(app)];
}

/** The address of a route for a record that is not there. */
export const addressOf = ({ pattern }: ServedRoute): string =>
  pattern.replaceAll(/:\w+/g, '00000000-0000-4000-8000-000000000000').replace('*', 'x');
