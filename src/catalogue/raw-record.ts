/** One record of an import file, before anything about it is checked. */
export interface RawRecord {
  /** Where it begins in the file, counted from 1. */
  line: number;
  /** A RecordError when the line could be told apart but not read. */
  value: unknown;
}

/** What is wrong with one line of an import file. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}
