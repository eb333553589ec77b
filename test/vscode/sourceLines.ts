import { findSourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Maps the positions in a stack trace from the bundle to the source files. Node.js can do this, but the extension host formats stack
 * traces itself.
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
