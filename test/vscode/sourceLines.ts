import { findSourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * A stack with the lines somebody wrote in place of the bundled ones. Node would do this by itself, but the extension host
 * formats stacks in a way of its own.
 */
export function withSourceLines(stack: string): string {
  return stack.replaceAll(/(file:\/\/[^\s)]+?):(\d+):(\d+)/g, (whole, url: string, line: string, column: string) => {
    const entry = findSourceMap(fileURLToPath(url))?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) {
      return whole;
    }
    return `${fileURLToPath(entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}
