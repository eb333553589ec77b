import assert from 'node:assert/strict';
import {
  ConditionError,
  conditionProblem,
  jobCondition,
  MAX_CONDITION_LENGTH,
} from '../../src/contract/jobCondition.ts';

const job = {
  id: 'job-1',
  input: JSON.parse(
    '{"user":42,"name":"Ada","tags":["a","b"],"nested":{"a b":{"c":true}},"empty":"","zero":0,"none":null,"ü":1,"__proto__":{"x":7}}',
  ) as unknown,
};
const holds = (condition: string): boolean => jobCondition(condition)(job);

describe('jobCondition', () => {
  it('compares members of the input with literals', () => {
    for (const condition of [
      'job.input.user == 42',
      'job.input.user != 41',
      '42 == job.input.user',
      'job.input.user >= 42 && job.input.user <= 42',
      'job.input.user > 41.5 && job.input.user < 4.3e1',
      'job.input.zero > -1',
      'job.input.name == "Ada"',
      "job.input.name == 'Ada'",
      'job.input.name < "B"',
      String.raw`job.input.name != "\"Ada\""`,
      'job.input.tags[1] == "b"',
      'job.input.tags.length == 2 && job.input.name.length == 3',
      'job.input.nested["a b"].c == true',
      'job["input"].user == 42',
      'job.id == "job-1"',
      'job.input.ü == 1',
      'job.input["__proto__"].x == 7',
    ]) {
      assert.equal(holds(condition), true, condition);
    }
  });

  it('joins conditions, && before ||, and negates the next value', () => {
    assert.equal(holds('job.input.user == 1 && job.input.user == 2 || job.input.user == 42'), true);
    assert.equal(holds('job.input.user == 1 && (job.input.user == 2 || job.input.user == 42)'), false);
    assert.equal(holds('!job.input.missing && !(job.input.user == 1)'), true);
    assert.equal(holds('!job.input.user == 42'), false);
  });

  it('treats a missing member as null, and false as JavaScript does', () => {
    assert.equal(holds('job.input.missing == null && job.input.none == null'), true);
    assert.equal(holds('job.input.missing.further[3] == null'), true);
    for (const name of ['missing', 'none', 'empty', 'zero']) assert.equal(holds(`job.input.${name}`), false, name);
    assert.equal(holds('job.input.tags'), true);
  });

  it('never converts a value', () => {
    assert.equal(holds('job.input.user == "42"'), false);
    assert.equal(holds('job.input.name > 1 || job.input.name < 1'), false);
    assert.equal(holds('job.input.zero == false || job.input.empty == null'), false);
    assert.equal(holds('job.input.tags == job.input.tags'), false);
    assert.equal(holds('null <= null || true >= true'), false);
  });

  it('reads only own members of the job', () => {
    assert.equal(holds('job.input.constructor == null && job.input.toString == null'), true);
    assert.equal(holds('job.input.name.constructor == null && job.input.tags.map == null'), true);
  });

  it('names the problem of a text that is no condition', () => {
    const problems = {
      '': 'the condition is incomplete',
      'job.input.user ==': 'the condition is incomplete',
      '(job.input.user == 1': 'the condition is incomplete',
      'job.input.user = 1': 'use == to compare values',
      'job.input.user === 1': 'use == to compare values',
      'job.input.user == "a': 'the quote " is not closed',
      'input.user == 1': 'a value of the job begins with job.input or is job.id',
      'job == 1': 'a value of the job begins with job.input or is job.id',
      'job.webhook': 'a value of the job begins with job.input or is job.id',
      'job.input.run()': 'unexpected (',
      'job.input; 1': 'unexpected ;',
      'job.input[job.id]': 'unexpected job',
      '1 < 2 < 3': 'unexpected <',
      [`${'!'.repeat(51)}job.id`]: 'the condition is nested too deeply',
      [' '.repeat(MAX_CONDITION_LENGTH + 1)]: 'a condition can have at most 1000 characters',
    };
    for (const [text, problem] of Object.entries(problems)) {
      assert.equal(String(conditionProblem(text)), problem, text);
      assert.throws(() => jobCondition(text), ConditionError);
    }
    assert.equal(conditionProblem('job.input.user == 42'), undefined);
  });
});
