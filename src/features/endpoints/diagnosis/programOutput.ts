/* What the lines of a worker's program say. Programs word them freely, so patterns are all there is. */

const SIGNS_OF_FAILURE = /error|exception|fatal|panic|denied|not found/i;

/** The last line that speaks of a failure; what comes after is often only where it happened. */
export function tellingLine(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => SIGNS_OF_FAILURE.test(line)) ?? lines.at(-1);
}
