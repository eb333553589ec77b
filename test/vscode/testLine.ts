const mark = '[test] ';

/** A line of the test report, as it goes through the console of the extension host. */
export function testLine(line: string): string {
  return mark + line;
}

/** The line of the report that a console message is, or undefined when it is the editor's own. */
export function asTestLine(message: string): string | undefined {
  return message.startsWith(mark) ? message.slice(mark.length) : undefined;
}
