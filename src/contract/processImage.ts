/** Prefix of an image that names a directory of this machine. The command runs in that directory as a process. */
export const PROCESS_IMAGE_PREFIX = 'process:';
