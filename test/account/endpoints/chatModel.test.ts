import assert from 'node:assert/strict';
import { OpenAiModel } from '../../../src/contract/openAiChat.ts';
import {
  contextLengthOf,
  familyOf,
  reportedCapabilities,
  tokenLimits,
} from '../../../src/account/endpoints/chatModelStore.ts';

const model = (fields: object) => OpenAiModel.parse({ id: 'm', ...fields });

describe('A chat model', () => {
  it('has the context length that its server reports, under any of its names', () => {
    for (const name of ['max_model_len', 'context_length', 'max_context_length'])
      assert.equal(contextLengthOf(model({ [name]: 32_768 })), 32_768, name);
    for (const wrong of [0, -1, 'much', null, 1.5])
      assert.equal(contextLengthOf(model({ max_model_len: wrong })), undefined);
  });

  it('has the reported capabilities, and otherwise tools without images', () => {
    assert.deepEqual(reportedCapabilities(model({})), { toolCalling: true, imageInput: false });
    assert.deepEqual(
      reportedCapabilities(
        model({ supported_parameters: ['temperature'], architecture: { input_modalities: ['text', 'image'] } }),
      ),
      { toolCalling: false, imageInput: true },
    );
  });

  it('divides its context into a prompt and an answer', () => {
    assert.deepEqual(tokenLimits(8_192), { input: 6_144, output: 2_048 });
    assert.deepEqual(tokenLimits(131_072), { input: 126_976, output: 4_096 });
    assert.deepEqual(tokenLimits(1), { input: 1, output: 1 });
  });

  it('has the last part of its name as family', () => {
    assert.equal(familyOf('org/Model-8B'), 'Model-8B');
    assert.equal(familyOf('model'), 'model');
    assert.equal(familyOf('org/'), 'org');
    assert.equal(familyOf('/'), '/');
  });
});
