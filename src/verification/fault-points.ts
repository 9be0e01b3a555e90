/**
 * Places between two steps where a crash test lets the process die. Armed only by TRUNKLINE_FAULT_POINT, which nothing
 * but a test sets; otherwise a call costs one comparison.
 */
export type FaultPoint =
  | 'start.decided'
  | 'start.planned'
  | 'start.committed'
  | 'dispatch.prepared'
  | 'dispatch.begun'
  | 'dispatch.sent'
  | 'dispatch.marked'
  | 'dispatch.committed'
  | 'report.matched'
  | 'report.counted'
  | 'report.verified'
  | 'report.charged'
  | 'report.committed';

const armed = process.env.TRUNKLINE_FAULT_POINT;

export function faultPoint(point: FaultPoint): void {
  if (armed === point) process.kill(process.pid, 'SIGKILL');
}
