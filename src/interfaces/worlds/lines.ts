/** Splits a stream into lines, within limits: a stranger's file may have a line without end, or rows without number. */
import { BadSnapshotFile } from './snapshot-format.ts';

export interface LineLimits {
  /** Bytes of all lines together. */
  readonly bytes: number;
  readonly lineBytes: number;
  readonly lines: number;
}

const lineFeed = 10;

/** Lines without their end. */
export async function* linesOf(stream: AsyncIterable<Buffer>, limits: LineLimits): AsyncGenerator<Buffer> {
  let [bytes, lines, length] = [0, 0, 0];
  // The beginning of a line whose end has not come yet.
  let pieces: Buffer[] = [];
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > limits.bytes) throw tooLarge(`more than ${Math.floor(limits.bytes / 2 ** 20)} MiB`);
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      const last = chunk.subarray(start, end);
      length += last.length;
      if (length > limits.lineBytes) throw tooLong(limits);
      lines += 1;
      if (lines > limits.lines) throw tooLarge(`more than ${limits.lines} rows`);
      yield pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
      [pieces, length, start] = [[], 0, end + 1];
    }
    const rest = chunk.subarray(start);
    length += rest.length;
    if (length > limits.lineBytes) throw tooLong(limits);
    if (rest.length > 0) pieces.push(rest);
  }
  if (length > 0) throw new BadSnapshotFile('The file is cut off.');
}

const tooLarge = (what: string) => new BadSnapshotFile(`The file is too large: it has ${what}.`);
const tooLong = ({ lineBytes }: LineLimits) =>
  new BadSnapshotFile(`The file has a row of more than ${Math.floor(lineBytes / 2 ** 20)} MiB.`);
