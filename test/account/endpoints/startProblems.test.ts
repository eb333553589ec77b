import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { START_PROBLEMS, type StartProblem } from '../../../src/contract/startProblem.ts';
import { startProblemWithCode, startProblemWords } from '../../../src/account/endpoints/startProblems.ts';
import { repository } from '../../platform/support.ts';

const problems = Object.keys(START_PROBLEMS) as StartProblem[];

describe('problems of a start', () => {
  it('have words and a remedy each, whose command exists', async () => {
    const text = await readFile(path.join(repository, 'package.json'), 'utf8');
    const { contributes } = JSON.parse(text) as { contributes: { commands: { command: string }[] } };
    const commands = contributes.commands.map(({ command }) => command);
    for (const problem of problems) {
      const { headline, explanation, remedies } = startProblemWords(problem, 'local');
      assert.ok(headline !== '' && explanation.endsWith('.'), problem);
      assert.ok(remedies.length > 0, problem);
      for (const { command } of remedies) assert.ok(commands.includes(command), command);
    }
  });

  it('offer no commands of the local platform on another platform', () => {
    for (const problem of problems) {
      for (const { command } of startProblemWords(problem, 'hosted').remedies) {
        assert.ok(!command.startsWith('cloudCompute.localPlatform.'), `${problem}: ${command}`);
      }
    }
  });

  it('are unknown if a newer platform reports another code', () => {
    assert.equal(startProblemWithCode('noSpace'), 'noSpace');
    for (const code of ['constructor', 'somethingNew', undefined]) assert.equal(startProblemWithCode(code), undefined);
  });
});
