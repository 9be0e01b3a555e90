/** One measured ratio: two things side by side in one run, never a time by itself. */
export interface Row {
  /** What was measured against what. */
  measure: string;
  ratio: number;
  /** What the ratio has to be. */
  required: { atLeast: number } | { atMost: number };
  /** The raw numbers behind it, for the reader. */
  note: string;
}

export interface Bench {
  name: string;
  /** Tells from time to time what is being measured. */
  run: (progress: (text: string) => void) => Promise<Row[]>;
}

export const holds = ({ ratio, required }: Row): boolean =>
  'atLeast' in required ? ratio >= required.atLeast : ratio <= required.atMost;
