/**
 * The records of an import before they are checked, and the errors of invalid lines: the first ones described, the rest
 * counted.
 */
import { FieldError } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';

export class ImportErrors {
  readonly #file: string;
  readonly #most: number;
  readonly #shown: { line: number; message: string }[] = [];
  #count = 0;

  constructor(file: string, most: number) {
    this.#file = file;
    this.#most = most;
  }

  get any(): boolean {
    return this.#count > 0;
  }

  /** Adds the error of a line; rethrows anything that is not a RecordError. */
  add(line: number, error: unknown): void {
    if (!(error instanceof FieldError || error instanceof RecordError)) throw error;
    this.addText(line, error.message);
  }

  addText(line: number, message: string): void {
    this.#count++;
    if (this.#shown.length < this.#most) this.#shown.push({ line, message });
  }

  /** Counts invalid lines without describing them. */
  addCount(howMany: number): void {
    this.#count += howMany;
  }

  throwIfAny(): void {
    if (this.#count === 0) return;
    const lines = this.#shown.sort((a, b) => a.line - b.line).map(({ line, message }) => `  line ${line}: ${message}`);
    const more = this.#count - lines.length;
    if (more > 0) lines.push(`  and ${more} more`);
    const wrong = this.#count === 1 ? 'one line is wrong' : `${this.#count} lines are wrong`;
    const message = `Nothing was imported from ${this.#file}: ${wrong}.\n${lines.join('\n')}`;
    throw new InvalidLines(message, this.#shown, this.#count);
  }
}

/** Nothing was imported, because lines are invalid. */
export class InvalidLines extends OperatorError {
  /** The first ones, by line. */
  readonly lines: readonly { line: number; message: string }[];
  readonly count: number;

  constructor(message: string, lines: InvalidLines['lines'], count: number) {
    super(message);
    this.lines = lines;
    this.count = count;
  }
}

/** One record of an import file, not yet checked, and the error of an invalid one. */
export interface RawRecord {
  /** The line where it begins, counted from 1. */
  line: number;
  /** The parsed value, or a RecordError if the line could not be parsed. */
  value: unknown;
}

/** The error of one line of an import file. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}
