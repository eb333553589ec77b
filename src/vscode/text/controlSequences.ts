/* Control sequences of terminals (ECMA-48), in log lines that a worker or a host wrote. */

const ESC = '\u001b';
/** Introducers of control strings: DCS, SOS, OSC, PM and APC, as one character or as two. */
const STRING = `(?:${ESC}[PX\\]^_]|[\u0090\u0098\u009d\u009e\u009f])`;
/** What a control string holds stops at any control character that could begin or end one: so no text is searched twice. */
const STRING_TEXT = `[^${ESC}\u0007\u0080-\u009f]*`;
const STRING_END = `(?:${ESC}\\\\|[\u0007\u009c])`;
const CSI = `(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]`;
/** An introducer whose end is missing takes only itself away. */
const SINGLE = `${ESC}[ -/]*[0-~]|[\u0080-\u009f]`;

const SEQUENCE = new RegExp(`${STRING}${STRING_TEXT}${STRING_END}|${CSI}|${SINGLE}`, 'g');

/** A text without control sequences: without colors, cursor movements, window titles and links. Takes time in line with its length. */
export function withoutControlSequences(text: string): string {
  return text.replace(SEQUENCE, '');
}
