/* Terminal control sequences (ECMA-48) in foreign text, such as log lines from a worker or a host. */

const ESC = '\u001b';
/** Introducers of control strings: DCS, SOS, OSC, PM, and APC, as one character or as two. */
const STRING = `(?:${ESC}[PX\\]^_]|[\u0090\u0098\u009d\u009e\u009f])`;
/** The content of a control string. It excludes all characters that can begin or end one, so no text is searched twice. */
const STRING_TEXT = `[^${ESC}\u0007\u0080-\u009f]*`;
const STRING_END = `(?:${ESC}\\\\|[\u0007\u009c])`;
const CSI = `(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]`;
/** An introducer without an end, which is removed by itself. */
const SINGLE = `${ESC}[ -/]*[0-~]|[\u0080-\u009f]`;

/** Matches every control sequence of a text. Takes linear time. */
export const CONTROL_SEQUENCE = new RegExp(`${STRING}${STRING_TEXT}${STRING_END}|${CSI}|${SINGLE}`, 'g');

/** Removes control sequences, such as colors, cursor movements, window titles, and links. Takes linear time. */
export function withoutControlSequences(text: string): string {
  return text.replace(CONTROL_SEQUENCE, '');
}
