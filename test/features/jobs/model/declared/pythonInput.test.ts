import assert from 'node:assert/strict';
import { pythonInput } from '../../../../../src/features/jobs/model/declared/pythonInput.ts';
import { pythonModule } from '../../../../../src/features/jobs/model/declared/pythonModule.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

const read = (text: string, others: Readonly<Record<string, string>> = {}) => {
  const modules = Object.fromEntries(Object.entries(others).map(([name, source]) => [name, pythonModule(source)]));
  return pythonInput(pythonModule(text), (name) => modules[name]) as Schema | undefined;
};
/** Returns the schema of the member `x`, whose rule or annotation is given. */
const rule = (text: string) => read(`INPUT_SCHEMA = {'x': ${text}}`)?.properties?.['x'];
const field = (text: string, before = '') =>
  read(`${before}\nclass Input(BaseModel):\n    x: ${text}\nInput(**job["input"])`)?.properties?.['x'];

describe('The dictionary of a validator', () => {
  it('has types, required members, defaults, and no other members', () => {
    const schema = read(`
INPUT_SCHEMA = {
    'prompt': {'type': str, 'required': True},  # the text
    "steps": {"type": int, "required": False, "default": 20},
    'scale': {'type': float, 'required': False, 'default': -7.5,},
    'fast': {'type': bool, 'required': False, 'default': True},
    'tags': {'type': list, 'required': False, 'default': []},
    'extra': {'type': dict, 'required': False, 'default': None},
}
`);
    assert.deepEqual(schema, {
      type: 'object',
      properties: {
        prompt: { type: 'string' },
        steps: { type: 'integer', default: 20 },
        scale: { type: 'number', default: -7.5 },
        fast: { type: 'boolean', default: true },
        tags: { type: 'array', default: [] },
        extra: { type: ['object', 'null'] },
      },
      required: ['prompt'],
      additionalProperties: false,
    });
  });

  it('has the choices and bounds of its constraints, as far as they are understood', () => {
    const number = (constraints: string) => {
      const own = rule(`{'type': int, 'required': True, 'constraints': ${constraints}}`) ?? {};
      return Object.fromEntries(Object.entries(own).filter(([name]) => name !== 'type'));
    };
    assert.deepEqual(number('lambda x: x in [1, 2]'), { enum: [1, 2] });
    assert.deepEqual(number('lambda x: 0 < x <= 5'), { exclusiveMinimum: 0, maximum: 5 });
    assert.deepEqual(number('lambda x: x >= 1 and x < 2 ** 4 and x % 2 == 0'), { minimum: 1, exclusiveMaximum: 16 });
    assert.deepEqual(number('lambda x: 10 > x'), { exclusiveMaximum: 10 });
    for (const unknown of [
      'lambda x: x is None or x > 0',
      'lambda x: check(x)',
      'is_valid',
      'lambda x: x in allowed()',
      'lambda: 5',
    ])
      assert.deepEqual(number(unknown), {}, unknown);
  });

  it('refers to constants of the file and of other files', () => {
    const others = {
      schemas:
        'from .names import NAMES\nINPUT_SCHEMA = {"s": {"type": str, "required": False, "default": DEFAULT, "constraints": lambda s: s in NAMES.keys()}}\nDEFAULT = "a"',
      '.names': 'NAMES = {"a": make(1), "b": make(2)}',
    };
    const schema = read('from schemas import INPUT_SCHEMA as S\nv = validate(job["input"], S)', others);
    assert.deepEqual(schema?.properties, { s: { type: 'string', default: 'a', enum: ['a', 'b'] } });
  });

  it('can be a JSON schema', () => {
    const json = '{"type": "object", "properties": {"a": {"type": "string"}}}';
    assert.deepEqual(read(`INPUT_SCHEMA = ${json}`), JSON.parse(json));
  });

  it('accepts any JSON where a part is not understood', () => {
    assert.deepEqual(rule(`{'type': numpy.ndarray, 'required': False, 'default': [i for i in range(3)]}`), {});
    assert.deepEqual(rule(`{'type': (int, float), 'required': True}`), { type: ['integer', 'number'] });
    const partly = read(`INPUT_SCHEMA = {'a': {'type': str}, **COMMON, 'b': make_rule()}`);
    assert.deepEqual(partly, { type: 'object', properties: { a: { type: 'string' } }, required: [] });
    assert.equal(read('INPUT_SCHEMA = load("schema.json")'), undefined);
  });
});

describe('A pydantic model', () => {
  it('has types and constraints', () => {
    assert.deepEqual(field('int = Field(20, ge=1, le=50, description="Number " "of steps")'), {
      type: 'integer',
      minimum: 1,
      maximum: 50,
      description: 'Number of steps',
      default: 20,
    });
    assert.deepEqual(field('Optional[str] = None'), { type: ['string', 'null'] });
    assert.deepEqual(field('typing.Union[int, "str"] = 5'), { type: ['integer', 'string'], default: 5 });
    assert.deepEqual(field('Literal["a", "b"] = "a"'), { enum: ['a', 'b'], default: 'a' });
    assert.deepEqual(field('list[conint(ge=1)]'), { type: 'array', items: { type: 'integer', minimum: 1 } });
    assert.deepEqual(field('Annotated[str, Field(min_length=3)]'), { type: 'string', minLength: 3 });
    assert.deepEqual(field('Base64Bytes'), { type: 'string', contentEncoding: 'base64' });
    assert.deepEqual(field('SecretStr'), { type: 'string', writeOnly: true });
    assert.deepEqual(field('str = Field(..., json_schema_extra={"contentEncoding": "base64"})'), {
      type: 'string',
      contentEncoding: 'base64',
    });
    assert.deepEqual(field('Mode = Mode.FAST', 'class Mode(str, Enum):\n    FAST = "fast"\n    GOOD = "good"'), {
      enum: ['fast', 'good'],
      default: 'fast',
    });
    assert.deepEqual(field('torch.Tensor'), {});
  });

  it('requires the fields without a default, inherits fields, and can forbid others', () => {
    const schema = read(`
class Base(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: str
    def method(self):
        b: int = 5
        return b
class Input(Base):
    """Documentation: with a colon"""
    kind: ClassVar[str] = "x"
    c: Optional[int]
    d: list[str] = Field(default_factory=list)
    e: int = Field(..., alias="E")

def handler(job):
    return run(Input.model_validate(job["input"]))
`);
    assert.deepEqual(
      [Object.keys(schema?.properties ?? {}), schema?.required, schema?.additionalProperties],
      [['a', 'c', 'd', 'E'], ['a', 'E'], false],
    );
  });
});

describe('Type hints', () => {
  it('of the function that receives the members of the input', () => {
    const schema = read(
      'def run(prompt: str, steps: int = 20, *, fast=False, **rest) -> dict: ...\nrun(**event.get("input"))',
    );
    assert.deepEqual(schema, {
      type: 'object',
      properties: {
        prompt: { type: 'string' },
        steps: { type: 'integer', default: 20 },
        fast: { type: 'boolean', default: false },
      },
      required: ['prompt'],
    });
  });

  it('of the handler, with a typed dictionary or a dataclass', () => {
    const schema = read(`
class Input(TypedDict, total=False):
    a: Required[str]
    b: int
class Job(TypedDict):
    id: str
    input: Input
async def process(job: Job): ...
runpod.serverless.start({"handler": process})
`);
    assert.deepEqual(
      [schema?.properties, schema?.required],
      [{ a: { type: 'string' }, b: { type: 'integer' } }, ['a']],
    );
    const data = read('@dataclass\nclass Input:\n    a: int\n    b: str = "x"\nx = Input(**job_input)');
    assert.deepEqual(data?.required, ['a']);
  });

  it('say nothing without a declaration', () => {
    for (const text of [
      '',
      'def handler(job):\n    return job["input"]["a"]',
      'def handler(job: dict): ...',
      'class A: pass\nA(**job["input"])',
    ])
      assert.equal(read(text), undefined, text);
  });
});
