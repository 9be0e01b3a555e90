/** A SIP server under measurement: Trunkline, or Kamailio beside it. */
export interface SipServer {
  name: string;
  port: number;
  /** The process whose processor time and memory count, with its children. */
  pid: number;
  /** Numbers that can be called. */
  numbers: readonly string[];
  /** Calls that are completely recorded in PostgreSQL so far, and those that are open there. */
  recorded(): Promise<{ calls: number; open: number }>;
  stop(): Promise<void>;
}
