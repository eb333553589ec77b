const mark = '[test] ';

/** Adds the marker to a line of the test report for the console of the extension host. */
export function testLine(line: string): string {
  return mark + line;
}

/** Returns the line of the test report in a console message, or undefined for other messages of the editor. */
export function asTestLine(message: string): string | undefined {
  return message.startsWith(mark) ? message.slice(mark.length) : undefined;
}
