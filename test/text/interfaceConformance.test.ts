import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/*
 * Compares docs/contributing/interface-conformance.md with the tests that it cites. A citation is a file and parts of the names of its tests.
 * The first line of a cited file names the clauses that its tests verify.
 */

const repository = path.resolve(import.meta.dirname, '../..');
const MARK = '// Clauses of the interface: ';

interface Citation {
  readonly clause: string;
  readonly file: string;
  readonly title: string;
}

const rows = readFileSync(path.join(repository, 'docs/contributing/interface-conformance.md'), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(({ length }) => length === 6)
  .map(([, clause = '', , , tests = '']) => ({ clause, tests }))
  .filter(({ clause }) => clause !== 'Clause' && !clause.startsWith('---'));

const citations: Citation[] = rows.flatMap(({ clause, tests }) =>
  [...tests.matchAll(/`(test\/[^`]+)`: ([^`]+)/g)].flatMap(([, file = '', titles = '']) =>
    titles.split('; ').flatMap((title) => (title === '' ? [] : { clause, file, title })),
  ),
);

const read = (file: string): string => readFileSync(path.join(repository, file), 'utf8');

/** Returns the names of the tests and suites in a file, as they are written. */
function titlesIn(source: string): string[] {
  return [...source.matchAll(/\b(?:it|describe)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g)].map(([, , title = '']) =>
    title.replaceAll(/\\(.)/g, '$1'),
  );
}

function clausesNamedIn(source: string): string[] {
  const [first = ''] = source.split('\n', 1);
  return first.startsWith(MARK) ? first.slice(MARK.length).replace(/\.$/, '').split('; ') : [];
}

/** The numbered clauses of the specification, and its sections without numbers. */
const CLAUSES = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `Endpoints ${number}`),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => `Rules ${number}`),
  ...[1, 2, 3, 4, 5].map((number) => `Authentication ${number}`),
  ...[1, 2, 3].map((number) => `Events ${number}`),
  ...[1, 2, 3].map((number) => `Versioning ${number}`),
  ...['Resources', 'States and transitions', 'Errors', 'Limits'],
];

/** Returns the clauses that a cell names, such as those of "Rules 1 to 3" and of "Endpoints 7, timeout". */
function clausesIn(cell: string): string[] {
  const [, group = '', list = ''] = /^([A-Za-z ]+?) (\d[\d, and to]*)/.exec(cell) ?? [];
  if (group === '') return [cell.split(',')[0] ?? ''];
  const numbers = [...list.matchAll(/\d+/g)].map(([number]) => Number(number));
  const [first = 0, last = 0] = numbers;
  const all = list.includes('to') ? Array.from({ length: last - first + 1 }, (_, index) => first + index) : numbers;
  return all.map((number) => `${group} ${number}`);
}

describe('The conformance of the local platform to the interface', () => {
  it('has a row with a test for every clause', () => {
    assert.ok(rows.length > 40);
    const covered = new Set(rows.flatMap(({ clause }) => clausesIn(clause)));
    assert.deepEqual(
      CLAUSES.filter((clause) => !covered.has(clause)),
      [],
    );
    for (const { clause, tests } of rows) assert.ok(tests.startsWith('`test/'), `${clause}: ${tests}`);
  });

  it('cites tests that exist', () => {
    assert.ok(citations.length >= rows.length);
    for (const { clause, file, title } of citations) {
      assert.ok(
        titlesIn(read(file)).some((one) => one.includes(title)),
        `${clause}: ${file} has no test "${title}"`,
      );
    }
  });

  it('cites tests that name the clause, and only those', () => {
    const files = readdirSync(path.join(repository, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `test/${file.replaceAll('\\', '/')}`);
    const named = files.flatMap((file) => clausesNamedIn(read(file)).map((clause) => `${file}: ${clause}`));
    const cited = new Set(citations.map(({ file, clause }) => `${file}: ${clause}`));
    assert.deepEqual(named.sort(), [...cited].sort());
  });
});
