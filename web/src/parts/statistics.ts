/** What `/panel/v1/statistics` returns. */
export interface Statistics {
  days: {
    day: string;
    answered: number;
    failed: number;
    seconds: number;
    outbound: number;
    verifications: number;
    verified: number;
  }[];
}
