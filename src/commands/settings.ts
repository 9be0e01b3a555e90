/** Options of the form `name=value,name=value`. */
import { OperatorError } from '../operator-error.ts';

export function switches(option: string, text: string): Record<string, boolean> {
  return pairs(option, text, (value) => {
    if (value === 'on') return true;
    return value === 'off' ? false : undefined;
  });
}

export function numbers(option: string, text: string): Record<string, number> {
  return pairs(option, text, (value) => (/^\d{1,9}$/.test(value) ? Number(value) : undefined));
}

export function onOrOff(option: string, text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new OperatorError(`--${option} is on or off, not "${text}".`);
}

function pairs<T>(option: string, text: string, read: (value: string) => T | undefined): Record<string, T> {
  const found: Record<string, T> = {};
  for (const pair of text.split(',')) {
    const [name = '', given = '', ...rest] = pair.trim().split('=');
    const value = read(given);
    if (name === '' || value === undefined || rest.length > 0) {
      throw new OperatorError(`--${option} cannot make sense of "${pair.trim()}".`);
    }
    found[name] = value;
  }
  return found;
}
