import assert from 'node:assert/strict';
import {
  inputWarning,
  isWholeBody,
  jobFileTemplate,
  lineAndColumn,
  preview,
  readJobFile,
  readTypedInput,
} from '../../../src/features/jobs/jobInput.ts';

describe('a job file', () => {
  it('holds a body', () => {
    assert.deepEqual(readJobFile('{"input": {"a": 1}, "policy": {"ttl": 10000}}').body, {
      input: { a: 1 },
      policy: { ttl: 10_000 },
    });
    assert.ok(readJobFile(jobFileTemplate).body);
  });

  it('is refused unless its input is an object', () => {
    for (const input of ['null', '[]', '[{"a": 1}]', '"text"', '7', 'true']) {
      const text = `{\n  "input": ${input}\n}`;
      const read = readJobFile(text);
      assert.ok(read.problem !== undefined, input);
      assert.match(read.problem, /^input: must be an object, such as \{"prompt": "hello"\}$/);
      assert.deepEqual(lineAndColumn(text, read.offset), { line: 2, column: 12 }, input);
    }
  });

  it('is no bare input', () => {
    for (const text of ['{"prompt": "x"}', '[1]', '"text"', '7']) {
      const { problem } = readJobFile(text);
      assert.match(problem ?? '', /has no "input"/, text);
    }
  });

  it('tells what is wrong and where', () => {
    const text = '{\n  "input": {},\n  "policy": { "ttl": 5 }\n}';
    const read = readJobFile(text);
    assert.ok(read.problem !== undefined);
    assert.match(read.problem, /^policy\.ttl: must be at least 10000/);
    assert.deepEqual(lineAndColumn(text, read.offset), { line: 3, column: 22 });
  });

  it('tells where its JSON breaks', () => {
    const text = '{\n  "input": {\n    "a": 1,\n  }\n}';
    const read = readJobFile(text);
    assert.ok(read.problem !== undefined);
    assert.match(read.problem, /not JSON/);
    assert.deepEqual(lineAndColumn(text, read.offset), { line: 4, column: 3 });
  });

  it('is not empty', () => {
    assert.match(readJobFile(' \n').problem ?? '', /empty/);
  });

  it('holds nothing that the interface does not know', () => {
    const { problem } = readJobFile('{ "input": {}, "inputs": {} }');
    assert.equal(problem, "unknown property 'inputs'");
  });
});

describe('a typed input', () => {
  it('is the input itself', () => {
    assert.deepEqual(readTypedInput('{"prompt": "x"}').body, { input: { prompt: 'x' } });
  });

  it('is refused unless it is an object', () => {
    for (const text of ['null', '[1, 2]', '"text"', '7', '{"input": 1}'])
      assert.match(readTypedInput(text).problem ?? '', /^input: must be an object/, text);
  });

  it('is not wrapped twice when it is a body already', () => {
    assert.deepEqual(readTypedInput('{"input": {"prompt": "x"}}').body, { input: { prompt: 'x' } });
    assert.equal(isWholeBody('{"input": 1}'), true);
    assert.equal(isWholeBody('{"input": 1, "seed": 2}'), false, 'an input may have a member of that name');
    assert.deepEqual(readTypedInput('{"input": 1, "seed": 2}').body, { input: { input: 1, seed: 2 } });
  });

  it('tells what is wrong while it is typed', () => {
    assert.match(readTypedInput('{"a": ').problem ?? '', /^Not JSON, character 7: a value is expected/);
    assert.match(readTypedInput('').problem ?? '', /needed/);
  });

  it('is warned about when it is empty', () => {
    assert.ok(inputWarning({ input: {} }));
    assert.equal(inputWarning({ input: { a: 1 } }), undefined);
  });
});

describe('the preview of an input', () => {
  it('is a short line', () => {
    assert.equal(preview({ input: { a: 1 } }), '{"a":1}');
    assert.equal(preview({ input: {}, policy: { ttl: 10_000 } }), '{"input":{},"policy":{"ttl":10000}}');
    assert.equal(preview({ input: { x: 'x'.repeat(100) } }, 10), '{"x":"xxx…');
  });
});
