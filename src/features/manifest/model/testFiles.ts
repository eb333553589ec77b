import { MAX_RUN_BYTES } from '../../../contract/job.ts';
import { JOB_FILE_SUFFIX } from '../../../contract/jobFile.ts';

/* Files that can contain tests of endpoints. */

/** Maximum size of a request file, in UTF-16 code units. */
export const MAX_HTTP_FILE = 1_048_576;

/** Names of job files. A job file with comments can be longer than its body. */
export const JOB_FILES = {
  name: new RegExp(`${JOB_FILE_SUFFIX.replaceAll('.', '\\.')}$`),
  maxBytes: 2 * MAX_RUN_BYTES,
};

/** Names of request files. A character has at most four bytes. */
export const HTTP_FILES = { name: /\.http$/, maxBytes: 4 * MAX_HTTP_FILE };

/** Beginning of a line of a request file that expects something of the response. */
export const EXPECT_DIRECTIVE = /^\s*(?:#+|\/\/+)\s*@expect(?=\s|$)/;
