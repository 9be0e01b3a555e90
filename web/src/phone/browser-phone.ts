/**
 * A phone in this tab: SIP over the panel's own WebSocket by JsSIP, the browser's microphone and loudspeaker. One call
 * at a time. It lives on while other pages of the panel are shown, and ends with the session.
 */
import { UA, WebSocketInterface } from 'jssip';
import type { RTCSession } from 'jssip/lib/RTCSession';
import type { RTCSessionEvent, UAConfiguration } from 'jssip/lib/UA';
import { addressOf } from '../api/base.ts';
import type { AnswerOf } from '../api/routes.ts';

export type Credentials = AnswerOf<'POST /panel/v1/phone_credentials'>;

export interface PhoneCall {
  direction: 'in' | 'out';
  /** The other party's number. */
  party: string;
  phase: 'ringing' | 'calling' | 'active';
  /** When it was answered, in milliseconds. */
  since: number | null;
  isMuted: boolean;
}

export interface PhoneState {
  /** `ready` rings and may call. */
  line: 'off' | 'connecting' | 'ready';
  call: PhoneCall | null;
  /** What last went wrong, or how the last call ended. */
  said: string | null;
}

interface PhoneParts {
  /** New ones each time; they are good for some minutes. */
  credentials: () => Promise<Credentials>;
  /** Whether it registers; otherwise it only calls. */
  registers: boolean;
  changed: (state: PhoneState) => void;
}

const audioOnly = { audio: true, video: false } as const;
/** The server answers with its own address: nobody else has to be asked for ways. */
const connection: RTCConfiguration = { iceServers: [], rtcpMuxPolicy: 'require' };

export class BrowserPhone {
  readonly #parts: PhoneParts;
  readonly #sound = new Audio();
  #agent: UA | null = null;
  #session: RTCSession | null = null;
  #state: PhoneState = { line: 'off', call: null, said: null };

  constructor(parts: PhoneParts) {
    this.#parts = parts;
    this.#sound.autoplay = true;
  }

  get state(): PhoneState {
    return this.#state;
  }

  /** Of the call, for its figures. */
  get peer(): RTCPeerConnection | null {
    return this.#session?.connection ?? null;
  }

  /** Resolves when it may call; it is registered a moment later. */
  async start(): Promise<void> {
    this.#set({ line: 'connecting', said: null });
    const agent = new UA(this.#configuration(await this.#parts.credentials()));
    this.#agent = agent;
    const isConnected = new Promise<void>((resolve) => agent.once('connected', () => resolve()));
    agent.on('disconnected', () => this.#set({ line: 'connecting' }));
    agent.on('connected', () => !this.#parts.registers && this.#set({ line: 'ready' }));
    agent.on('registered', () => this.#set({ line: 'ready' }));
    agent.on('registrationExpiring', () => void this.#registerAgain(agent));
    agent.on('registrationFailed', ({ response, cause }) => {
      this.#set({ line: 'connecting', said: response?.reason_phrase || cause || null });
      // Credentials end while a computer sleeps.
      setTimeout(() => void this.#registerAgain(agent), 5_000);
    });
    agent.on('newRTCSession', ({ session, originator }: RTCSessionEvent) => {
      if (originator === 'remote') this.#ring(session);
    });
    agent.start();
    await isConnected;
  }

  stop(): void {
    this.#session?.terminate();
    this.#agent?.stop();
    this.#agent = null;
    this.#set({ line: 'off', call: null });
  }

  call(number: string, from: string): void {
    const agent = this.#agent;
    if (agent === null || this.#session !== null) return;
    const session = agent.call(number, { mediaConstraints: audioOnly, pcConfig: connection, fromUserName: from });
    this.#follow(session, { direction: 'out', party: number, phase: 'calling', since: null, isMuted: false });
  }

  answer(): void {
    this.#session?.answer({ mediaConstraints: audioOnly, pcConfig: connection });
  }

  hangUp(): void {
    this.#session?.terminate();
  }

  mute(isMuted: boolean): void {
    if (isMuted) this.#session?.mute({ audio: true });
    else this.#session?.unmute({ audio: true });
    this.#change({ isMuted });
  }

  press(key: string): void {
    // As events among the voice (RFC 4733), which the server translates where a trunk wants them otherwise.
    const [sender] = this.peer?.getSenders() ?? [];
    sender?.dtmf?.insertDTMF(key, 120, 70);
  }

  #configuration({ username, password }: Credentials): UAConfiguration {
    const { protocol, host, hostname } = window.location;
    const socket = `${protocol.replace('http', 'ws')}//${host}${addressOf('/sip')}`;
    return {
      sockets: new WebSocketInterface(socket),
      uri: `sip:browser@${hostname}`,
      authorization_user: username,
      password,
      register: this.#parts.registers,
      register_expires: 600,
      instance_id: instanceId(),
      session_timers: false,
      user_agent: 'Trunkline panel',
    };
  }

  async #registerAgain(agent: UA): Promise<void> {
    if (agent !== this.#agent) return;
    try {
      const { username, password } = await this.#parts.credentials();
      agent.set('authorization_user', username);
      agent.set('password', password);
      agent.register();
    } catch (error) {
      this.#set({ said: error instanceof Error ? error.message : String(error) });
    }
  }

  #ring(session: RTCSession): void {
    if (this.#session !== null) return void session.terminate({ status_code: 486 });
    const party = session.remote_identity.uri.user || 'anonymous';
    this.#follow(session, { direction: 'in', party, phase: 'ringing', since: null, isMuted: false });
  }

  #follow(session: RTCSession, call: PhoneCall): void {
    this.#session = session;
    this.#set({ call, said: null });
    const hear = (peer: RTCPeerConnection) =>
      peer.addEventListener('track', ({ track }) => {
        this.#sound.srcObject = new MediaStream([track]);
      });
    // A call out has its connection before anybody can listen for it.
    if (session.connection) hear(session.connection);
    session.on('peerconnection', ({ peerconnection }) => hear(peerconnection));
    session.on('accepted', () => this.#change({ phase: 'active', since: Date.now() }));
    session.on('ended', () => this.#over(session, 'The call has ended.'));
    session.on('failed', ({ cause, message }) => this.#over(session, whyOf(message) ?? cause));
    session.on('getusermediafailed', () => this.#set({ said: 'The browser gives no microphone to this page.' }));
  }

  #over(session: RTCSession, said: string): void {
    if (this.#session !== session) return;
    this.#session = null;
    this.#sound.srcObject = null;
    this.#set({ call: null, said: this.#state.said ?? said });
  }

  #change(more: Partial<PhoneCall>): void {
    if (this.#state.call !== null) this.#set({ call: { ...this.#state.call, ...more } });
  }

  #set(more: Partial<PhoneState>): void {
    this.#state = { ...this.#state, ...more };
    this.#parts.changed(this.#state);
  }
}

/** The words of a `Reason` header, in which the server says why a call was refused. */
function whyOf(message: unknown): string | null {
  const text = typeof message === 'object' && message !== null && 'data' in message ? String(message.data) : '';
  return /^Reason:.*?;\s*text="([^"]*)"/im.exec(text)?.[1] ?? null;
}

/** A tab that is loaded again takes the place of its former registration. */
function instanceId(): string {
  const name = 'trunkline-phone';
  const known = sessionStorage.getItem(name);
  if (known !== null) return known;
  const [a, b, c, d, e] = [8, 4, 4, 4, 12].map((digits) =>
    [...crypto.getRandomValues(new Uint8Array(digits))].map((byte) => (byte % 16).toString(16)).join(''),
  );
  const made = `${a}-${b}-${c}-${d}-${e}`;
  sessionStorage.setItem(name, made);
  return made;
}
