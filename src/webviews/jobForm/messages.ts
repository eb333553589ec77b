import * as z from 'zod/mini';
import type { Received } from '../schema.ts';

/* Messages between the editor and the form for the input of a job. Texts of the schema are foreign. */

const Path = z.array(z.union([z.string().check(z.maxLength(1_000)), z.number()])).check(z.maxLength(4));
export type JobFormPath = Received<typeof Path>;

/** A file as a string: its Base64 text, or a data URL. */
const FileForm = z.enum(['base64', 'dataUrl']);
export type JobFormFile = z.infer<typeof FileForm>;

const Choice = z.object({ label: z.string(), value: z.unknown() });

/** Controls of one value. */
const simple = [
  z.object({
    kind: z.literal('text'),
    isMultiline: z.boolean(),
    /** Whether the text is hidden, such as a password. */
    isSecret: z.boolean(),
    /** Set if the text can also be a file. */
    file: z.optional(FileForm),
  }),
  z.object({
    kind: z.literal('number'),
    isInteger: z.boolean(),
    /** Range in words. */
    range: z.string(),
  }),
  z.object({ kind: z.literal('flag') }),
  z.object({ kind: z.literal('choice'), choices: z.array(Choice) }),
  /** `mediaType` is that of files, if the schema names one. */
  z.object({ kind: z.literal('file'), file: FileForm, mediaType: z.optional(z.string()) }),
  z.object({ kind: z.literal('json') }),
] as const;

const SimpleControl = z.discriminatedUnion('kind', [...simple]);
export type JobFormSimpleControl = Received<typeof SimpleControl>;

const List = z.object({ kind: z.literal('list'), item: SimpleControl });

/** Facts about a value of the input. */
const facts = {
  name: z.string(),
  label: z.string(),
  description: z.optional(z.string()),
  isRequired: z.boolean(),
  /** The default of the schema as JSON. */
  defaultText: z.optional(z.string()),
};

const Member = z.object({ ...facts, control: z.discriminatedUnion('kind', [...simple, List]) });
export type JobFormMember = Received<typeof Member>;

const Field = z.object({
  ...facts,
  control: z.discriminatedUnion('kind', [
    ...simple,
    List,
    /** An object whose members have controls of their own. */
    z.object({ kind: z.literal('group'), members: z.array(Member) }),
  ]),
});
export type JobFormField = Received<typeof Field>;

/** A value of the input. A field without an entry has no value. */
const Value = z.object({
  path: Path,
  value: z.optional(z.unknown()),
  /** Number of items of a list. Their values have entries of their own. */
  count: z.optional(z.number()),
  /** Set instead of a value that is too large for the page. */
  large: z.optional(z.object({ bytes: z.number(), mediaType: z.optional(z.string()) })),
  /** ID of the picture in the value, which an earlier message contained. */
  picture: z.optional(z.string()),
  /** Whether the value does not fit its control, and is edited as JSON. */
  isJson: z.optional(z.boolean()),
});
export type JobFormValue = Received<typeof Value>;

const Problem = z.object({ path: Path, message: z.string(), isMissing: z.boolean() });
export type JobFormProblem = Received<typeof Problem>;

const View = z.object({
  endpoint: z.string(),
  /** Name of the connection that runs the jobs. */
  connection: z.optional(z.string()),
  /** File that contains the schema. */
  source: z.string(),
  /** Name of the job file that is kept in step. Undefined for a form without a file. */
  file: z.optional(z.string()),
  fields: z.array(Field),
  values: z.array(Value),
  /** Problems of values. A problem with an empty path is one of the whole input. */
  problems: z.array(Problem),
  /** Why the input cannot be edited, such as a syntax error in the JSON. */
  blocked: z.optional(z.string()),
  /** Why a file could not be used. */
  fileFailure: z.optional(z.object({ path: Path, message: z.string() })),
  /** Number of runs that were refused because of problems. */
  refusals: z.number(),
  /** Number of the last change of the page that the values contain. */
  revision: z.number(),
  /** What the editor needs to open the form again after a reload. The page keeps it. */
  reopen: z.optional(z.unknown()),
});
export type JobFormView = Received<typeof View>;

/** A picture in a value, which later views refer to. */
const Picture = z.object({ id: z.string(), mediaType: z.string(), bytes: z.instanceof(Uint8Array) });
export type JobFormPicture = Received<typeof Picture>;

export const ToWebview = z.discriminatedUnion('type', [
  z.object({ type: z.literal('picture'), picture: Picture }),
  z.object({ type: z.literal('view'), view: View }),
]);
export type JobFormToWebview = Received<typeof ToWebview>;

/** Maximum size of a dropped file in a message, in bytes. */
export const MAX_FILE_BYTES = 20 * 1_048_576;

const revision = z.number();

export const ToHost = z.discriminatedUnion('type', [
  /** `ready`: the page is loaded and can receive messages. */
  z.object({ type: z.enum(['ready', 'editAsJson']) }),
  /** Sets a value. Without one, removes it. An index of -1 appends to a list. */
  z.object({ type: z.literal('change'), path: Path, value: z.optional(z.unknown()), revision }),
  z.object({ type: z.literal('chooseFile'), path: Path, revision }),
  /** A file that was dropped from the editor. */
  z.object({ type: z.literal('fileUri'), path: Path, uri: z.string().check(z.maxLength(8_000)), revision }),
  /** A file that was dropped from another program. */
  z.object({
    type: z.literal('fileBytes'),
    path: Path,
    name: z.string().check(z.maxLength(1_000)),
    bytes: z.instanceof(Uint8Array).check(z.refine(({ length }) => length <= MAX_FILE_BYTES)),
    revision,
  }),
  /** A file that is too large for a message, with its size in bytes. */
  z.object({ type: z.literal('fileTooLarge'), path: Path, name: z.string(), bytes: z.number(), revision }),
  /** `force` runs in spite of problems. */
  z.object({ type: z.literal('run'), kind: z.enum(['run', 'runSync']), force: z.boolean() }),
]);
export type JobFormToHost = Received<typeof ToHost>;

/** State that the editor keeps while the page is hidden, and over a reload: texts that are no values yet, and `reopen` of the view. */
export const KeptState = z.object({
  typed: z.array(z.object({ key: z.string(), text: z.string(), base: z.string() })),
  reopen: z.optional(z.unknown()),
});
export type JobFormPageState = Received<typeof KeptState>;
