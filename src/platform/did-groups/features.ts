/** What a group's numbers can do. */
export const FEATURES = ['voice_in', 'voice_out', 't38', 'sms_in', 'p2p', 'a2p', 'emergency', 'cnam_out'] as const;
