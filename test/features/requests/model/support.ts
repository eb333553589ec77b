import type { HttpFile } from '../../../../src/features/requests/model/httpFile.ts';
import type { Span } from '../../../../src/text/span.ts';
import { parseHttpFile } from '../../../../src/features/requests/model/parseHttpFile.ts';
import type { HttpProblem } from '../../../../src/features/requests/model/problem.ts';
import type { ResolveContext } from '../../../../src/features/requests/model/resolveRequest.ts';

/** Joins lines, so that tests show files as they are. */
export const lines = (...all: readonly string[]): string => all.join('\n');

export const textAt = (text: string, { start, end }: Span): string => text.slice(start, end);

/** Formats problems as their code and the text at their place. */
export function problemsIn(text: string, problems: readonly HttpProblem[]): string[] {
  return problems.map((one) => `${one.severity} ${one.code}: ${textAt(text, one)}`);
}

export const context: ResolveContext = {
  endpoints: [
    { id: 'ep1', name: 'hello-balanced', type: 'LOAD_BALANCER', base: 'https://ep1.api.example.com' },
    { id: 'ep2', name: 'hello-queue', type: 'QUEUE', base: 'https://api.example.com/v2/ep2' },
    { id: 'ep3', name: 'twin', type: 'LOAD_BALANCER', base: 'http://127.0.0.1:8000/endpoints/ep3' },
    { id: 'ep4', name: 'twin', type: 'LOAD_BALANCER', base: 'http://127.0.0.1:8000/endpoints/ep4' },
  ],
  now: Date.UTC(2030, 0, 2, 3, 4, 5, 678),
  random: () => 0.5,
};

export const parsed = (...all: readonly string[]): HttpFile => parseHttpFile(lines(...all));
