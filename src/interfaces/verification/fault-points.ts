/**
 * Points between two steps at which a crash test kills the process. Only tests set TRUNKLINE_FAULT_POINT; without it a
 * call costs one comparison.
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
  | 'report.committed';

const armed = process.env.TRUNKLINE_FAULT_POINT;

export function faultPoint(point: FaultPoint): void {
  if (armed === point) process.kill(process.pid, 'SIGKILL');
}
