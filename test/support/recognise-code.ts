/**
 * Listens to a recording of a spoken code: finds where it begins, reads the digits, and compares it with what was sent.
 */
import type { Clips } from '../../src/engines/speech/clips.ts';
import { decodeMuLaw } from '../../src/engines/speech/g711.ts';
import { pauses, speakCode } from '../../src/engines/speech/spoken-code.ts';

/** How alike two recordings are, from -1 to 1. */
function correlation(left: Int16Array, right: Int16Array): number {
  const length = Math.min(left.length, right.length);
  let [both, ofLeft, ofRight] = [0, 0, 0];
  for (let at = 0; at < length; at++) {
    const [one = 0, other = 0] = [left[at], right[at]];
    both += one * other;
    ofLeft += one * one;
    ofRight += other * other;
  }
  return both / Math.sqrt(ofLeft * ofRight || 1);
}

/** Reads the code in the first reading, and says how well the whole recording matches the audio of that code. */
export function recogniseCode(heard: Int16Array, clips: Clips, length: number): { code: string; match: number } {
  const intro = decodeMuLaw(clips.intro);
  const begin = beginOf(heard, intro);
  let position = begin + intro.length + pauses.beforeDigits * 8000;
  let code = '';
  for (let digit = 0; digit < length; digit++) {
    const { name, samples } = bestDigit(heard, position, clips);
    code += name;
    position += samples + pauses.betweenDigits * 8000;
  }
  const sent = decodeMuLaw(speakCode(clips, code).audio);
  return { code, match: correlation(heard.subarray(Math.max(0, begin - pauses.beforeFirstWord * 8000)), sent) };
}

function bestDigit(heard: Int16Array, position: number, clips: Clips): { name: number; samples: number } {
  const scores = clips.digits.map((clip) => {
    const spoken = decodeMuLaw(clip);
    return correlation(heard.subarray(position, position + spoken.length), spoken);
  });
  const name = scores.indexOf(Math.max(...scores));
  return { name, samples: clips.digits[name]?.length ?? 0 };
}

/** Where the words begin: coarse steps by a part of them, then to the sample. */
function beginOf(heard: Int16Array, words: Int16Array): number {
  const part = words.subarray(0, 8000);
  let best = { at: 0, score: -1 };
  const last = Math.min(heard.length - part.length, 5 * 8000);
  for (let at = 0; at < last; at++) {
    // Most places are silent, and need no comparison in full.
    const score = sparse(heard, at, part);
    if (score > best.score) best = { at, score };
  }
  return best.at;
}

/** Every 7th sample is enough to find the place. */
function sparse(heard: Int16Array, start: number, part: Int16Array): number {
  let [both, ofHeard, ofPart] = [0, 0, 0];
  for (let at = 0; at < part.length; at += 7) {
    const [one = 0, other = 0] = [heard[start + at], part[at]];
    both += one * other;
    ofHeard += one * one;
    ofPart += other * other;
  }
  return both / Math.sqrt(ofHeard * ofPart || 1);
}
