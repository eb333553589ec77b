import { words, type Words, type Wording } from '../words.ts';

/*
 * Violations that the editor detects in a manifest before it sends a request. Each code is a function from its data to its message.
 */

interface Malformed {
  /** The text of the reference. */
  readonly written: string;
  readonly problem: 'name' | 'unclosed' | 'kind';
  /** The corrected reference, if the intended one is known. */
  readonly instead?: string | undefined;
}

const MALFORMED: Readonly<Record<Malformed['problem'], (written: string) => Words>> = {
  name: (written) => words`'${written}' has no valid name`,
  unclosed: (written) => words`'${written}' has no closing brace`,
  kind: (written) => words`'${written}' is not a reference`,
};

export const manifestWords = {
  containerImageLocally: () =>
    words`The local platform runs this image on a container engine, such as Docker. To run a process instead, add a directory and a command to x-local`,
  imageNotBuilt: () => words`missing: the image is not built yet. Build it, or set image`,
  imageOnlyLocal: (() =>
    words`only this machine has the image. Build and push it to a registry that the platform can reach`) as Wording<{
    readonly image: string;
  }>,
  notARepository: () =>
    words`must be the name of a repository without a tag, such as registry.example.com/team/hello, in lowercase`,
  buildFolderMissing: ({ folder }: { readonly folder: string }) => words`there is no folder '${folder}'`,
  dockerfileMissing: ({ file }: { readonly file: string }) => words`there is no file '${file}'`,
  dockerfileWithoutStage: ({ stage }: { readonly stage: string; readonly known: readonly string[] }) =>
    words`the Dockerfile has no stage '${stage}'`,
  /** @param data `base` is the image whose command is used instead; undefined if there is none */
  imageWithoutCommand: ({ base }: { readonly base?: string | undefined }) =>
    base === undefined
      ? words`neither the Dockerfile nor the manifest has a command. Add CMD to the Dockerfile`
      : words`neither the Dockerfile nor the manifest has a command, so workers run that of ${base}`,
  imageForOtherPlatform: ({ platform, wanted }: { readonly platform: string; readonly wanted: string }) =>
    words`the image is built for ${platform}, and its programs cannot start on ${wanted}`,
  imageLargerThanDisk: ({ sizeGb, diskGb }: { readonly sizeGb: number; readonly diskGb: number }) =>
    words`the image has ${sizeGb} GB and does not fit on a disk of ${diskGb} GB`,
  imageProgramMissing: ({ program }: { readonly program: string }) =>
    words`the image has no program '${program}', which the command starts`,
  imageProgramNotExecutable: ({ file }: { readonly file: string }) =>
    words`the command starts '${file}' of the image, which is not executable`,
  imagePortDiffers: ({ port, exposed }: { readonly port: string; readonly exposed: readonly string[] }) =>
    words`requests go to port ${port}, but the image exposes ${exposed.join(', ')}. Set PORT in env`,
  imageForOtherType: ({ type, file }: { readonly type: 'QUEUE' | 'LOAD_BALANCER'; readonly file: string }) =>
    type === 'QUEUE'
      ? words`${file} responds to HTTP requests and takes no jobs. Use the type LOAD_BALANCER`
      : words`${file} takes jobs and does not respond to HTTP requests. Use the type QUEUE`,
  referenceInBuildArg: ({ reference }: { readonly reference: string }) =>
    words`the image would contain ${reference}. Set the variable in env, where workers receive it when they start`,
  /** @param data `looksLike` names the kind of key. The value itself is not part of the data */
  keyInBuildArg: ({ looksLike }: { readonly argument: string; readonly looksLike: string }) =>
    words`the value looks like ${looksLike}, and the image would contain it. Move it to a secret that env refers to`,
  verifyUnclear: () =>
    words`needs one of job (the path of a job file), input, and request (the path of a request file)`,
  verifyExpectsTwice: () => words`the expectations are those of the file. Move them there`,
  gateNeedsQueue: () => words`runs recorded jobs, and a load-balanced endpoint takes no jobs`,
  verifyNeedsQueue: () => words`runs a job, and a load-balanced endpoint takes no jobs. Use request instead`,
  verifyNeedsBalancer: () => words`sends requests, and a queue endpoint takes jobs. Use job or input instead`,
  alertOfOtherType: ({ type }: { readonly of: string; readonly type: 'QUEUE' | 'LOAD_BALANCER' }) =>
    type === 'QUEUE'
      ? words`a queue endpoint has no latency. Use endToEnd, queueDelay, execution, or coldStart`
      : words`a load-balanced endpoint has no jobs. Use latency or coldStart`,
  noJsonForm: () => words`must be a JSON value, and JSON has no infinite numbers`,
  jobFileMissing: ({ file }: { readonly file: string }) => words`there is no job file '${file}'`,
  requestFileMissing: ({ file }: { readonly file: string }) => words`there is no request file '${file}'`,
  environmentName: () => words`the name of an environment has lowercase letters, digits, and hyphens, at most 32`,
  environmentsInPatch: () => words`a patch cannot change the environments. Move them to the manifest`,
  tooManyEnvironments: ({ maximum }: { readonly maximum: number }) => words`must have at most ${maximum} environments`,
  /** @param data `known` lists the fields that null could remove */
  nothingToRemove: ({ name }: { readonly name: string; readonly known: readonly string[] }) =>
    words`the manifest has no field '${name}' that null could remove`,
  deprecatedField: ({ field, instead }: { readonly field: string; readonly instead: string }) =>
    words`${field} is deprecated. Use ${instead} instead`,
  /** @param data `dataCenters` are those of the network volumes */
  pinnedWithoutStock: ({ dataCenters }: { readonly dataCenters: readonly string[] }) =>
    words`no stock in ${dataCenters.join(', ')}, where the network volumes keep the workers. Choose other hardware`,
  /** A time in milliseconds that could be meant in seconds or minutes. */
  shortTime: ({ value }: { readonly value: number }) =>
    words`${value} ms? The unit is milliseconds: ${value} seconds are ${value * 1000}`,
  typeChanged: () => words`type cannot be changed. Create another endpoint instead`,
  hardwareFamilyChanged: () => words`an endpoint cannot change between GPUs and CPUs. Create another endpoint instead`,
  fieldRemoved: ({ field }: { readonly field: string; readonly before: unknown }) =>
    words`${field} cannot be removed. Set another value, or restore the previous one`,
  unresolvedVariable: ({ name }: { readonly name: string }) =>
    words`the environment of the editor has no variable '${name}'`,
  /** @param data `known` lists the names of all secrets */
  unresolvedSecret: ({ name }: { readonly name: string; readonly known: readonly string[] }) =>
    words`there is no secret '${name}'`,
  malformedReference: ({ written, problem, instead }: Malformed) => {
    const malformed = MALFORMED[problem](written);
    return instead === undefined ? malformed : words`${malformed}; did you mean '${instead}'?`;
  },
  /** @param data `looksLike` names the kind of key. The value itself is not part of the data */
  literalKey: ({ looksLike }: { readonly variable: string; readonly looksLike: string }) =>
    words`the value looks like ${looksLike}. Move it to a secret`,
};
