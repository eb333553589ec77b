import assert from 'node:assert/strict';
import { pythonFunctions } from '../../../../../src/features/manifest/model/worker/pythonFunctions.ts';

describe('Python functions', () => {
  const namesIn = (text: string) => pythonFunctions(text).map(({ name }) => name);
  const handlersIn = (text: string) =>
    pythonFunctions(text)
      .filter(({ isHandler }) => isHandler)
      .map(({ name }) => name);

  it('have exactly one required parameter, and are at the top level', () => {
    const text = [
      'def one(job): ...',
      'async def two(job, retries: int = 3, *, verbose=False): ...',
      'def none(): ...',
      'def lambda_handler(event, context): ...',
      'def only_optional(job=None): ...',
      'def several(*jobs): ...',
      'class A:\n    def method(job): ...',
      'def typed(job: dict[str, tuple[int, int]]) -> dict: ...',
      'def lines(\n    job,  # a job, with an input\n    size=(1, 2),\n): ...',
      'def unclosed(job',
    ].join('\n\n');
    assert.deepEqual(namesIn(text), ['one', 'two', 'typed', 'lines']);
  });

  it('with a decorator belong to a framework', () => {
    assert.deepEqual(
      namesIn('@app.get("/")\ndef a(job): ...\n\n@pytest.fixture(\n    scope="module"\n)\ndef b(job): ...\n'),
      [],
    );
    assert.deepEqual(namesIn('register(\n    a\n)\n\n\ndef c(job): ...\n'), []);
    assert.deepEqual(namesIn('x = 1\n\n\ndef d(job): ...\n'), ['d']);
  });

  it('look like handlers by their name, or by the name of their parameter', () => {
    assert.deepEqual(handlersIn('def handler(x): ...\ndef a(job): ...\ndef b(event): ...\ndef c(text): ...\n'), [
      'handler',
      'a',
      'b',
    ]);
  });

  it('have the members of the input that their bodies read', () => {
    const text = [
      'def handler(job):',
      '    data = job["input"]',
      '    # data["commented"]',
      "    prompt = data['prompt']",
      '    steps = data.get("steps", 20)',
      '    scale, hq = data.get("scale", 7.5), data.get("hq", True)',
      '    style = data.get("style", "plain")',
      '    other = data.get("other", compute())',
      '',
      '    return prompt',
      '',
      'print(x["later"])',
    ].join('\n');
    const [found] = pythonFunctions(text);
    assert.deepEqual(found?.input, {
      ...{ prompt: 'Hello', steps: 20, scale: 7.5, hq: true, style: 'plain' },
    });
    assert.equal(text.slice(found.end), 'print(x["later"])');
  });

  it('are coroutines and generators', () => {
    const kinds = pythonFunctions(
      'async def a(job):\n    yield 1\n\ndef b(job):\n    x = yield\n\ndef c(job):\n    # yield\n    pass\n',
    );
    assert.deepEqual(
      kinds.map(({ isAsync, isGenerator }) => [isAsync, isGenerator]),
      [
        [true, true],
        [false, true],
        [false, false],
      ],
    );
  });
});
