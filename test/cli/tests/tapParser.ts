import assert from 'node:assert/strict';
import { parse } from 'yaml';

export interface TapTest {
  readonly ok: boolean;
  readonly number: number;
  readonly description: string;
  readonly diagnostics: Readonly<Record<string, unknown>> | undefined;
}

export interface Tap {
  readonly plan: number;
  readonly tests: readonly TapTest[];
  readonly bailOut: string | undefined;
}

const TEST = /^(not )?ok (\d+) - ((?:[^\\#]|\\[\\#])*)$/;

/** Parses the part of TAP 14 without directives and subtests. Fails for any other line. */
export function parseTap(text: string): Tap {
  assert.ok(text.endsWith('\n'));
  const lines = text.split('\n').slice(0, -1);
  assert.equal(lines.shift(), 'TAP version 14');
  const plan = /^1\.\.(\d+)$/.exec(lines.shift() ?? '');
  assert.ok(plan, 'the plan is the second line');
  const tests: TapTest[] = [];
  let bailOut: string | undefined;
  while (lines.length > 0) {
    const line = lines.shift() ?? '';
    assert.equal(bailOut, undefined, 'nothing follows a bail out');
    if (line.startsWith('Bail out! ')) {
      bailOut = unescaped(line.slice('Bail out! '.length));
      continue;
    }
    const test = TEST.exec(line);
    assert.ok(test, `neither a test nor a bail out: ${line}`);
    const number = Number(test[2]);
    assert.equal(number, tests.length + 1, 'numbers are consecutive');
    const diagnostics = lines[0] === '  ---' ? block(lines) : undefined;
    tests.push({ ok: test[1] === undefined, number, description: unescaped(test[3] ?? ''), diagnostics });
  }
  return { plan: Number(plan[1]), tests, bailOut };
}

function block(lines: string[]): Readonly<Record<string, unknown>> {
  const end = lines.indexOf('  ...');
  assert.ok(end > 0, 'the block of diagnostics ends');
  const content = lines.splice(0, end + 1).slice(1, -1);
  for (const line of content) assert.ok(line === '' || line.startsWith('  '), `not indented: ${line}`);
  return parse(content.map((line) => line.slice(2)).join('\n')) as Readonly<Record<string, unknown>>;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([\\#])/g, '$1');
}
