/** Checks the values of command options and arguments. */
import { type Field, FieldError, oneOf } from '../fields.ts';
import { OperatorError } from '../operator-error.ts';

/** Throws `--name must be …, not "…".` for an invalid value; returns undefined for a missing option. */
export function option<T>(name: string, given: string | undefined, field: Field<T>): T | undefined {
  return given === undefined ? undefined : argument(`--${name}`, given, field);
}

/** The same for an argument, with its name in the help text. */
export function argument<T>(name: string, given: string, field: Field<T>): T {
  try {
    return field(given);
  } catch (error) {
    throw error instanceof FieldError ? new OperatorError(`${name} ${error.detail}.`) : error;
  }
}

export function switches(option: string, text: string): Record<string, boolean> {
  return pairs(option, text, (value) => {
    if (value === 'on') return true;
    return value === 'off' ? false : undefined;
  });
}

export function numbers(option: string, text: string): Record<string, number> {
  return pairs(option, text, (value) => (/^\d{1,9}$/.test(value) ? Number(value) : undefined));
}

export function onOrOff(name: string, text: string): boolean {
  return argument(name, text, oneOf('on', 'off')) === 'on';
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
