/** Media that flow past this element (`TRUNKLINE_MEDIA=direct`): descriptions pass as they are, nothing is heard. */
import type { CallQuality, LegSettings, MediaCall, MediaLeg } from '../../engines/media/media-engine.ts';

const nothing: CallQuality = { legs: [] };

export class DirectMedia implements MediaCall {
  leg(name: string, _settings: LegSettings): MediaLeg {
    return { name, press: () => false };
  }

  async offer(_from: MediaLeg, _to: MediaLeg, sdp: Buffer): Promise<Buffer> {
    return sdp;
  }

  async answer(_from: MediaLeg, _to: MediaLeg, sdp: Buffer): Promise<Buffer> {
    return sdp;
  }

  refused(): void {}

  drop(): void {}

  async quality(): Promise<CallQuality> {
    return nothing;
  }

  async close(): Promise<CallQuality> {
    return nothing;
  }
}
