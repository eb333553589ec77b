/* Searches the output of a worker's program. Programs choose their own wording, so only patterns can find a failure. */

const SIGNS_OF_FAILURE = /error|exception|fatal|panic|denied|not found/i;

/** Returns the last line that mentions a failure, else the last line. A stack trace often follows the line with the failure. */
export function failureLine(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => SIGNS_OF_FAILURE.test(line)) ?? lines.at(-1);
}
