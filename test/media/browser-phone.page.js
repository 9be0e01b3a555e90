/** Runs in a page: a peer connection that sends a tone, and finds the loudest frequency of what it hears. */
globalThis.openPhone = (hertz, configuration) => {
  const context = new AudioContext();
  const connection = new RTCPeerConnection(configuration);
  const analyser = new AnalyserNode(context, { fftSize: 4096, smoothingTimeConstant: 0 });
  sendTone();
  connection.addEventListener('track', ({ track }) => listenTo(new MediaStream([track])));

  function sendTone() {
    const oscillator = new OscillatorNode(context, { frequency: hertz });
    const sent = context.createMediaStreamDestination();
    oscillator.connect(sent);
    oscillator.start();
    for (const track of sent.stream.getTracks()) connection.addTrack(track, sent.stream);
  }

  function listenTo(stream) {
    // Nothing comes out of a remote stream before an element plays it.
    const player = new Audio();
    player.srcObject = stream;
    player.muted = true;
    void player.play();
    context.createMediaStreamSource(stream).connect(analyser);
  }

  /** With all candidates in it. */
  async function describe(description) {
    await connection.setLocalDescription(description);
    while (connection.iceGatheringState !== 'complete')
      await new Promise((done) => connection.addEventListener('icegatheringstatechange', done, { once: true }));
    return connection.localDescription.sdp;
  }

  globalThis.phone = {
    offer: async () => describe(await connection.createOffer()),
    answer: async (sdp) => {
      await connection.setRemoteDescription({ type: 'offer', sdp });
      return describe(await connection.createAnswer());
    },
    accept: (sdp) => connection.setRemoteDescription({ type: 'answer', sdp }),
    hears: () => {
      const levels = new Float32Array(analyser.frequencyBinCount);
      analyser.getFloatFrequencyData(levels);
      const loudest = levels.indexOf(Math.max(...levels));
      return (levels[loudest] ?? -200) < -60 ? null : (loudest * context.sampleRate) / analyser.fftSize;
    },
    state: () => connection.connectionState,
  };
};
