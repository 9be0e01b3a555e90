/** Calls to a number as sipp plays them: which scenarios call and are called (./scenarios), and what their CDRs say. */

interface InboundCase {
  what: string;
  /** Scenarios of the trunks in their order; null is a port where nobody listens. */
  called: readonly (string | null)[];
  caller: string;
  /** Of all attempts. */
  codes: readonly number[];
  configuration?: object;
  columns?: object;
  /** How sipp listens in place of the trunks. */
  transport?: 'TCP';
  /** A further scenario; its port is the variable `port` of the others. */
  third?: string;
  callerTransport?: 'TCP';
}

export const inboundCases: readonly InboundCase[] = [
  { what: 'answered, hung up by the caller', called: ['called'], caller: 'caller', codes: [200] },
  { what: 'hung up by the called side (trap 1)', called: ['called-hangs-up'], caller: 'caller-waits', codes: [200] },
  { what: 'busy', called: ['called-busy'], caller: 'caller-486', codes: [486] },
  { what: 'busy, then the next trunk', called: ['called-busy', 'called'], caller: 'caller', codes: [486, 200] },
  { what: 'cancelled while it rings (trap 8)', called: ['called-rings'], caller: 'caller-cancels', codes: [487] },
  {
    ...{ what: 'no answer, then the next trunk', called: ['called-rings', 'called'], caller: 'caller' },
    ...{ codes: [1505, 200], columns: { ringing_timeout: 1 } },
  },
  {
    ...{ what: 'no response at all, then the next trunk', called: [null, 'called'], caller: 'caller' },
    ...{ codes: [408, 200], configuration: { sip_timer_b: 1_000 } },
  },
  { what: '503, then the next trunk', called: ['called-503', 'called'], caller: 'caller', codes: [503, 200] },
  {
    what: 'the 200 crosses the CANCEL (trap 7)',
    called: ['called-answers-late'],
    caller: 'caller-cancels',
    codes: [487],
  },
  { what: 'held and resumed by the caller (trap 2)', called: ['called-is-held'], caller: 'caller-holds', codes: [200] },
  { what: 'held by the called side', called: ['called-holds'], caller: 'caller-is-held', codes: [200] },
  {
    what: 'glare: 491, and again after a pause (trap 11)',
    called: ['called-glare'],
    caller: 'caller-holds',
    codes: [200],
  },
  { what: 'UPDATE', called: ['called-is-updated'], caller: 'caller-updates', codes: [200] },
  { what: 'PRACK on both legs (trap 6)', called: ['called-reliably'], caller: 'caller-pracks', codes: [200] },
  { what: 'a session timer that is too short for us', called: ['called'], caller: 'caller-422', codes: [200] },
  {
    ...{ what: 'a session timer that is too short for the trunk (trap 3)', called: ['called-422'], caller: 'caller' },
    ...{ codes: [200], configuration: { sst_enabled: true, sst_session_expires: 120 } },
  },
  { what: 'a fork with two answers (trap 5)', called: ['called-forks'], caller: 'caller-waits', codes: [200] },
  {
    ...{
      what: 'digest with two algorithms and a stale nonce (trap 22)',
      called: ['called-challenges'],
      caller: 'caller',
    },
    ...{ codes: [200], configuration: { auth_enabled: true, auth_user: 'u1', auth_password: 'p1' } },
  },
  { what: 'a delayed offer (trap 12)', called: ['called-delayed'], caller: 'caller-delayed', codes: [200] },
  {
    ...{ what: 'too long for UDP: by TCP (trap 20)', called: ['called'], caller: 'caller-large', codes: [200] },
    transport: 'TCP',
  },
  { what: 'too long for UDP, without TCP: by UDP (trap 20)', called: ['called'], caller: 'caller-large', codes: [200] },
  {
    ...{ what: 'TCP on both legs', called: ['called'], caller: 'caller', codes: [200] },
    ...{ configuration: { transport_protocol_id: 2 }, transport: 'TCP', callerTransport: 'TCP' },
  },
  { what: 'a CSeq that is too low', called: ['called'], caller: 'caller-old-cseq', codes: [200] },
  { what: 'requests after the end', called: ['called'], caller: 'caller-late', codes: [200] },
  {
    ...{ what: '302', called: ['called-redirects'], third: 'called', caller: 'caller', codes: [200] },
    configuration: { max_30x_redirects: 1 },
  },
  {
    ...{ what: 'REFER (trap 13)', called: ['called-transfers'], third: 'called', caller: 'caller-is-transferred' },
    ...{ codes: [200], configuration: { max_transfers: 1 } },
  },
];
