/** The wrong lines of an import: the first ones with what is wrong, the rest as a count. */

import { FieldError } from '../fields.ts';
import { OperatorError } from '../operator-error.ts';
import { RecordError } from './raw-record.ts';

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

  /** Takes what a line's check threw; anything else is a fault of the program and thrown on. */
  add(line: number, error: unknown): void {
    if (!(error instanceof FieldError || error instanceof RecordError)) throw error;
    this.addText(line, error.message);
  }

  addText(line: number, message: string): void {
    this.#count++;
    if (this.#shown.length < this.#most) this.#shown.push({ line, message });
  }

  /** Wrong lines that are not described one by one. */
  addUntold(howMany: number): void {
    this.#count += howMany;
  }

  throwIfAny(): void {
    if (this.#count === 0) return;
    const lines = this.#shown.sort((a, b) => a.line - b.line).map(({ line, message }) => `  line ${line}: ${message}`);
    const more = this.#count - lines.length;
    if (more > 0) lines.push(`  and ${more} more`);
    const wrong = this.#count === 1 ? 'one line is wrong' : `${this.#count} lines are wrong`;
    throw new OperatorError(`Nothing was imported from ${this.#file}: ${wrong}.\n${lines.join('\n')}`);
  }
}
