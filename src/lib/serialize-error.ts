/** Errors that cross from one process to another, by the name of their class. */
import { ConfigError, LockedError, errorMessage, VodhouseError, WarehouseError } from './errors.ts';

/** An error as it is sent. */
export interface SerializedError {
  name: string;
  message: string;
  hint: string | undefined;
  stack: string | undefined;
}

const CLASSES = { ConfigError, LockedError, WarehouseError };

/** The error in a form that can be sent. */
export function serializeError(error: unknown): SerializedError {
  const { name, hint } = error instanceof VodhouseError ? error : { name: 'Error', hint: undefined };
  return {
    name,
    message: errorMessage(error),
    hint,
    stack: error instanceof Error ? error.stack : undefined,
  };
}

/** Restores the error, in its own class if vodhouse defines that. */
export function deserializeError({ name, message, hint, stack }: SerializedError): Error {
  const known = Object.hasOwn(CLASSES, name) ? CLASSES[name as keyof typeof CLASSES] : null;
  return known ? new known(message, { hint }) : Object.assign(new Error(message), { stack });
}
