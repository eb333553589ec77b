import { formatted, joinedMarkdown, table, type Markdown } from '../../text/markdown.ts';
import type { LoadReport } from './model/report.ts';
import { reportTables } from './model/words.ts';

/** Returns a report as a document, with its comparison with an earlier one. */
export function reportDocument(report: LoadReport, earlier?: LoadReport): Markdown {
  return joinedMarkdown(
    [
      formatted`# Load test of “${report.endpoint.name}”`,
      ...reportTables(report, earlier).flatMap(({ title, head, rows }) => [
        ...(title === undefined ? [] : [formatted`## ${title}`]),
        table(rows, title === undefined ? undefined : head),
      ]),
    ],
    '\n\n',
  );
}
