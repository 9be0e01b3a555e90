/** Deletes what a killed process has left in rtpengine, which would keep ports until it has heard nobody for long. */
import { textOf } from './answers.ts';
import { type Control, refusalOf, Unanswered } from './control.ts';
import { pairId } from './pair.ts';

/** So many unknown numbers in a row are the end: phones that rang in vain are forgotten already. */
const longestGap = 8;

/** One call after the other: nobody waits for it, and rtpengine has other work. */
export async function forgetCalls(control: Control, callIds: readonly string[]): Promise<void> {
  try {
    for (const callId of callIds) await forgetCall(control, callId);
  } catch (error) {
    // Its own timeouts close what is left.
    if (!(error instanceof Unanswered)) throw error;
  }
}

async function forgetCall(control: Control, callId: string): Promise<void> {
  let unknown = 0;
  for (let number = 0; unknown < longestGap; number++) {
    const command = { command: 'delete', 'call-id': pairId(callId, number), 'delete delay': 0 };
    const answer = await control.request(command);
    const isKnown = refusalOf(answer) === null && textOf(answer.warning) === '';
    unknown = isKnown ? 0 : unknown + 1;
  }
}
