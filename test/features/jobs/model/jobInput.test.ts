import assert from 'node:assert/strict';
import { readJobFile } from '../../../../src/features/jobs/model/checkJobFile.ts';
import {
  inputWarning,
  isWholeBody,
  jobFileText,
  lineAndColumn,
  preview,
  readTypedInput,
  templateRequest,
  bodyBytes,
  sizeProblem,
} from '../../../../src/features/jobs/model/jobInput.ts';
import { MAX_RUN_BYTES, MAX_RUN_SYNC_BYTES } from '../../../../src/contract/job.ts';

describe('Job file', () => {
  it('contains a job body', () => {
    assert.deepEqual(readJobFile('{"input": {"a": 1}, "policy": {"ttl": 10000}}').body, {
      input: { a: 1 },
      policy: { ttl: 10_000 },
    });
    assert.ok(readJobFile(jobFileText(templateRequest)).body);
  });

  it('is rejected unless its input is an object', () => {
    for (const input of ['null', '[]', '[{"a": 1}]', '"text"', '7', 'true']) {
      const text = `{\n  "input": ${input}\n}`;
      const read = readJobFile(text);
      assert.ok(read.problem !== undefined, input);
      assert.match(read.problem, /^input: must be an object/);
      assert.deepEqual(lineAndColumn(text, read.offset), { line: 2, column: 12 }, input);
    }
  });

  it('is rejected if it contains only an input', () => {
    for (const text of ['{"prompt": "x"}', '[1]', '"text"', '7']) {
      const { problem } = readJobFile(text);
      assert.match(problem ?? '', /^'input' is missing|^A job file is an object/, text);
    }
  });

  it('has a problem with its position', () => {
    const text = '{\n  "input": {},\n  "policy": { "ttl": 5 }\n}';
    const read = readJobFile(text);
    assert.ok(read.problem !== undefined);
    assert.match(read.problem, /^policy\.ttl: must be at least 10000/);
    assert.deepEqual(lineAndColumn(text, read.offset), { line: 3, column: 22 });
  });

  it('has the position of the first JSON error', () => {
    const text = '{\n  "input": {\n    "a": 1;\n  }\n}';
    const read = readJobFile(text);
    assert.ok(read.problem !== undefined);
    assert.match(read.problem, /^Invalid JSON/);
    assert.deepEqual(lineAndColumn(text, read.offset), { line: 3, column: 11 });
  });

  it('can contain comments and trailing commas', () => {
    const { body } = readJobFile('{ // the input\n "input": { "a": 1, }, }');
    assert.deepEqual(body, { input: { a: 1 } });
  });

  it('names its endpoint and expectations, which are not sent', () => {
    const { file, body } = readJobFile('{ "endpoint": "hello", "input": {}, "expect": { "output": 1 } }');
    assert.deepEqual(file, { endpoint: 'hello', input: {}, expect: { output: 1 } });
    assert.deepEqual(body, { input: {} });
  });

  it('is rejected if it is empty', () => {
    assert.match(readJobFile(' \n').problem ?? '', /empty/);
  });

  it('is rejected if it has an unknown property', () => {
    const { problem } = readJobFile('{ "input": {}, "inputs": {} }');
    assert.equal(problem, "Unknown property 'inputs'; did you mean 'input'?");
  });
});

describe('Typed input', () => {
  it('is wrapped in a job body', () => {
    assert.deepEqual(readTypedInput('{"prompt": "x"}').body, { input: { prompt: 'x' } });
  });

  it('is rejected unless it is an object', () => {
    for (const text of ['null', '[1, 2]', '"text"', '7', '{"input": 1}'])
      assert.match(readTypedInput(text).problem ?? '', /^input: must be an object/, text);
  });

  it('is not wrapped if it is already a job body', () => {
    assert.deepEqual(readTypedInput('{"input": {"prompt": "x"}}').body, { input: { prompt: 'x' } });
    assert.equal(isWholeBody('{"input": 1}'), true);
    assert.equal(isWholeBody('{"input": 1, "seed": 2}'), false, 'an input can have a property with that name');
    assert.deepEqual(readTypedInput('{"input": 1, "seed": 2}').body, { input: { input: 1, seed: 2 } });
  });

  it('has a problem with its position while the user types', () => {
    assert.match(readTypedInput('{"a": ').problem ?? '', /^Invalid JSON at character 7: a value is expected/);
    assert.match(readTypedInput('').problem ?? '', /^Enter an input/);
  });

  it('causes a warning if it is empty', () => {
    assert.ok(inputWarning({ input: {} }));
    assert.equal(inputWarning({ input: { a: 1 } }), undefined);
  });
});

describe('Preview of an input', () => {
  it('is one short line', () => {
    assert.equal(preview({ input: { a: 1 } }), '{"a":1}');
    assert.equal(preview({ input: {}, policy: { ttl: 10_000 } }), '{"input":{},"policy":{"ttl":10000}}');
    assert.equal(preview({ input: { x: 'x'.repeat(100) } }, 10), '{"x":"xxx…');
  });
});

const requestOf = (bytes: number) => ({ input: { data: 'x'.repeat(bytes - '{"input":{"data":""}}'.length) } });

describe('The size of a request', () => {
  it('counts the bytes of the JSON in UTF-8', () => {
    assert.equal(bodyBytes({ input: { a: 'ä€😀' } }), '{"input":{"a":""}}'.length + 2 + 3 + 4);
    assert.equal(bodyBytes(requestOf(1000)), 1000);
  });

  it('is a problem only above the limit of the operation', () => {
    assert.equal(sizeProblem(requestOf(MAX_RUN_BYTES), 'run'), undefined);
    const bytes = MAX_RUN_BYTES + 1;
    assert.deepEqual(sizeProblem(requestOf(bytes), 'run'), {
      code: 'tooLarge',
      kind: 'run',
      bytes,
      limit: MAX_RUN_BYTES,
    });
    assert.equal(sizeProblem(requestOf(bytes), 'runSync'), undefined);
    assert.equal(sizeProblem(requestOf(MAX_RUN_SYNC_BYTES + 1), 'runSync')?.limit, MAX_RUN_SYNC_BYTES);
  });
});
