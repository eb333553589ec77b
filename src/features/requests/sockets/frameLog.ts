import * as l10n from '@vscode/l10n';
import { dataSize } from '../../../text/quantities.ts';
import { withoutControls, oneLine } from '../../../text/shownText.ts';

/** Maximum number of entries that are kept. */
export const MAX_FRAMES = 1_000;
/** Maximum length of the part of a message that is shown, in UTF-16 code units or bytes. */
const MAX_TEXT = 8_192;
const MAX_HEX_BYTES = 64;

export type Direction = 'sent' | 'received';

const ARROWS: Readonly<Record<Direction, string>> = { sent: '→', received: '←' };
const INDENT = '    ';

/** Messages and events of a WebSocket, as lines of text. Keeps the newest ones. */
export class FrameLog {
  readonly #entries: string[] = [];
  #dropped = 0;

  /** Adds a message. @param at time in ms since the epoch */
  message(at: number, direction: Direction, data: string | Uint8Array): void {
    const size = typeof data === 'string' ? Buffer.byteLength(data) : data.length;
    const kind = typeof data === 'string' ? '' : l10n.t(' binary');
    const preview = typeof data === 'string' ? textPreview(data) : hexPreview(data);
    this.#add(`${timeOf(at)} ${ARROWS[direction]} ${dataSize(size)}${kind}  ${preview}`);
  }

  /** Adds an event, such as the end of the connection. */
  event(at: number, text: string): void {
    this.#add(`${timeOf(at)} # ${textPreview(text)}`);
  }

  /** The entries, oldest first. */
  get text(): string {
    const dropped = this.#dropped > 0 ? [l10n.t`# ${this.#dropped} older entries are not shown.`] : [];
    return [...dropped, ...this.#entries].map((line) => `${line}\n`).join('');
  }

  #add(entry: string): void {
    this.#entries.push(entry);
    if (this.#entries.length <= MAX_FRAMES) return;
    this.#entries.shift();
    this.#dropped++;
  }
}

function timeOf(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  const seconds = `${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${seconds}`;
}

function textPreview(text: string): string {
  const start = withoutControls(text.slice(0, MAX_TEXT)).replaceAll(/\r\n|[\n\r\u2028\u2029]/g, `\n${INDENT}`);
  return text.length > MAX_TEXT ? `${start}…` : start;
}

function hexPreview(data: Uint8Array): string {
  const hex = Array.from(data.subarray(0, MAX_HEX_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return data.length > MAX_HEX_BYTES ? `${hex} …` : hex;
}

/** Returns the messages in the body of a WebSocket request. A line `===` separates them, as in JetBrains editors. */
export function messagesOf(body: string): readonly string[] {
  return body
    .split(/^===[ \t]*(?:wait-for-server)?[ \t]*$/m)
    .map((part) => part.replace(/^\r?\n/, '').replace(/\r?\n$/, ''))
    .filter((part) => part.trim() !== '');
}

/** Meanings of close codes (RFC 6455, section 7.4.1). */
const CODES: Readonly<Record<number, string>> = {
  1000: l10n.t('normal closure'),
  1001: l10n.t('going away'),
  1002: l10n.t('protocol error'),
  1003: l10n.t('unsupported data'),
  1005: l10n.t('no code'),
  1006: l10n.t('the connection was lost'),
  1007: l10n.t('invalid data'),
  1008: l10n.t('policy violation'),
  1009: l10n.t('message too large'),
  1010: l10n.t('missing extension'),
  1011: l10n.t('server error'),
  1012: l10n.t('service restart'),
  1013: l10n.t('try again later'),
};

/** Describes the end of a connection, such as `closed with 1000 (normal closure): done`. */
export function closeWords(code: number, reason: string): string {
  const meaning = CODES[code];
  return l10n.t`closed with ${code}${meaning === undefined ? '' : ` (${meaning})`}${reason === '' ? '' : `: ${reason}`}`;
}

interface ShownSocket {
  readonly path: string;
  readonly endpointName: string;
  readonly workerId: string | undefined;
  readonly isOpen: boolean;
  /** Whether the connection is open, or can still open. */
  readonly isActive: boolean;
  readonly log: string;
}

/** Returns the document of a WebSocket: its state and its messages. */
export function socketText({ path, endpointName, workerId, isOpen, isActive, log }: ShownSocket): string {
  const state = isOpen ? l10n.t('open') : isActive ? l10n.t('connecting…') : l10n.t('closed');
  const worker = workerId === undefined ? [] : [l10n.t`worker ${workerId}`];
  return `# ${[`WEBSOCKET ${path}`, endpointName, state, ...worker].map(oneLine).join(' · ')}\n\n${log}`;
}
