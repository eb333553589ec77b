import assert from 'node:assert/strict';
import * as l10n from '@vscode/l10n';
import { brokenRule } from '../../src/contract/violation.ts';
import { problemOfViolation } from '../../src/features/manifest/model/problem.ts';
import { localizedSchema, ruleMessage } from '../../src/account/contractText.ts';

const chinese = {
  'must be at least {0}': '不能小于 {0}',
  'expected {0}, received {1}': '应为 {0}，实际为 {1}',
  '{0}, or {1}': '{0}，或{1}',
  "'{0}' has no closing brace": '“{0}”缺少右大括号',
  "{0}; did you mean '{1}'?": '{0}；是否想用“{1}”？',
  'must be an absolute path': '必须是绝对路径',
  'must be an http or https URL': '必须是 http 或 https 地址',
  'missing: set gpu or cpu': '缺失：请设置 gpu 或 cpu',
  "'{0}' is {1}": '“{0}”{1}',
  'Exposed ports.': '公开的端口。',
};

describe('texts of the contract in another language', () => {
  before(() => l10n.config({ contents: chinese }));

  after(() => l10n.config({ contents: {} }));

  it('are messages with their values, while the message of the rule stays English', () => {
    const rule = brokenRule('tooSmall', { origin: 'int', minimum: 1, inclusive: true });
    assert.equal(ruleMessage(rule), '不能小于 1');
    assert.equal(rule.message, 'must be at least 1');
  });

  it('are messages of formats', () => {
    const data = { format: 'starts_with', prefix: '/', wanted: 'must be an absolute path' };
    assert.equal(ruleMessage(brokenRule('wrongFormat', data)), '必须是绝对路径');
  });

  it('are messages that consist of others', () => {
    const data = { written: '${env:A', problem: 'unclosed', instead: '${env:A}' } as const;
    assert.equal(ruleMessage(brokenRule('malformedReference', data)), '“${env:A”缺少右大括号；是否想用“${env:A}”？');
    const format = { format: 'url', wanted: 'must be an http or https URL' };
    const wrongType = brokenRule('wrongType', { expected: 'array', received: 'number' });
    const reasons = [wrongType, brokenRule('wrongFormat', format), wrongType];
    const rule = brokenRule('noAlternative', { reasons });
    assert.equal(ruleMessage(rule), '应为 array，实际为 number，或必须是 http 或 https 地址');
    assert.equal(rule.message, 'expected array, received number, or must be an http or https URL');
  });

  it('do not include messages of a service', () => {
    const message = 'must be an absolute path';
    assert.equal(ruleMessage(brokenRule('serviceMessage', { message })), message);
  });

  it('are part of the problems of a manifest', () => {
    const located = { text: 'name: a', root: undefined, index: 0 };
    const rule = brokenRule('hardwareMissing', {});
    assert.equal(problemOfViolation(located, { ...rule, path: ['gpu'] }).message, '“gpu”缺失：请设置 gpu 或 cpu');
  });

  it('are the titles and descriptions of a schema, but not its data', () => {
    const schema = (description: string) => ({
      description,
      properties: { description: { type: 'array', items: { description } } },
      examples: [{ description: 'Exposed ports.' }],
    });
    assert.deepEqual(localizedSchema(schema('Exposed ports.')), schema('公开的端口。'));
  });
});
