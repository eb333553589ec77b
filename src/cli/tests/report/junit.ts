import { mismatchWords } from '../../../features/jobs/model/expectations/mismatch.ts';
import type { Reporter, TestResult } from './result.ts';

/** Writes the XML of JUnit, with a suite for each endpoint. */
export function junitReporter(): Reporter {
  const results: TestResult[] = [];
  return {
    begin: () => '',
    test: (result) => {
      results.push(result);
      return '';
    },
    end: (bailOut) => {
      const suites = [...Map.groupBy(results, ({ endpoint }) => endpoint)];
      const content = suites.map(([name, tests]) =>
        element('testsuite', { name, ...totals(tests) }, tests.map(testCase)),
      );
      if (bailOut !== undefined) content.push(notRun(bailOut));
      const all = totals(results);
      const root = { name: 'cloud-compute', ...all, errors: all.errors + (bailOut === undefined ? 0 : 1) };
      return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', root, content)}\n`;
    },
  };
}

function totals(tests: readonly TestResult[]) {
  const count = (outcome: TestResult['outcome']) => tests.filter((test) => test.outcome === outcome).length;
  const time = seconds(tests.reduce((sum, { durationMs }) => sum + durationMs, 0));
  return { tests: tests.length, failures: count('failed'), errors: count('error'), time };
}

function testCase(result: TestResult): string {
  const { path, endpoint, outcome, durationMs, reason = '', mismatches, log, skipped } = result;
  const content: string[] = [];
  const words = mismatches.length > 0 || outcome !== 'failed' ? mismatches.map(mismatchWords) : [reason];
  if (skipped !== undefined) content.push(element('skipped', { message: skipped }, []));
  if (outcome === 'failed')
    content.push(
      element('failure', { type: mismatches[0]?.code ?? 'mismatch', message: words[0] ?? '' }, [
        text(words.join('\n')),
      ]),
    );
  if (outcome === 'error') content.push(element('error', { type: 'cannotRun', message: reason }, [text(reason)]));
  if (log.length > 0) content.push(element('system-out', {}, [text(log.join('\n'))]));
  return element('testcase', { name: path, classname: endpoint, file: path, time: seconds(durationMs) }, content);
}

/** Some readers of reports ignore a suite without tests. */
function notRun(reason: string): string {
  const error = element('error', { type: 'cannotRun', message: reason }, [text(reason)]);
  const test = element('testcase', { name: 'cloud-compute test', classname: 'cloud-compute', time: seconds(0) }, [
    error,
  ]);
  return element('testsuite', { name: 'cloud-compute', tests: 1, failures: 0, errors: 1, time: seconds(0) }, [test]);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: readonly string[],
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${text(String(value), true)}"`);
  return `<${name}${written.join('')}>${content.join('')}</${name}>`;
}

/** Characters that XML 1.0 forbids, or that control a terminal. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes text. White space in an attribute is escaped too, because a parser would turn it into spaces. */
function text(value: string, isAttribute = false): string {
  const escaped = value
    .toWellFormed()
    .replaceAll(FORBIDDEN, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
    .replaceAll('\r', '&#13;');
  return isAttribute ? escaped.replaceAll('\n', '&#10;').replaceAll('\t', '&#9;') : escaped;
}
