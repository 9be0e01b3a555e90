/** A request as a line for the shell. */
export function curl(origin: string, method: string, path: string, body?: unknown): string {
  const lines = [
    `curl -g${method === 'GET' ? '' : ` -X ${method}`} ${quote(origin + readable(path))}`,
    `-H 'api-key: YOUR_KEY'`,
  ];
  if (body !== undefined) {
    const type = path.startsWith('/v3/') ? 'application/vnd.api+json' : 'application/json';
    lines.push(`-H 'Content-Type: ${type}'`, `-d ${quote(JSON.stringify(body))}`);
  }
  return lines.join(' \\\n  ');
}

/** Nothing in it ends the quotes. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Commas between the values of a filter need no escaping. */
const readable = (path: string): string => path.replaceAll('%2C', ',');
