/** What a group's numbers can do. */
export const FEATURES = {
  voice_in: 'Receives calls.',
  voice_out: 'May be presented as caller id.',
  t38: 'Receives faxes over T.38.',
  sms_in: 'Receives SMS.',
  p2p: 'Sends and receives SMS between persons.',
  a2p: 'Sends SMS from applications.',
  emergency: 'Can call emergency services.',
  cnam_out: 'Can present a caller name.',
};
